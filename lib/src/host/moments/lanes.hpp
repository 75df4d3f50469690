// Batches side by side to their sums of moments, one element of each at a time: for columns, and for short rows that
// are laid out as columns. See docs/exact-sums.md, 13.
#pragma once

#include <cmath>

#include "host/elements/widened.hpp"
#include "host/moments/mark_block.hpp"
#include "host/moments/partial.hpp"

namespace multifold::inline v0_1::host {

/// Batches that are gathered together.
inline constexpr int moment_lane_count = 64;

/// One row of elements a lane, and their partners in the second array, if there is one.
template <class T>
struct lane_rows {
  const packed<T>* x;
  const packed<T>* y;
  std::int64_t stride;  // elements from row to row
  index_range indices;  // of the rows
};

namespace detail {

using multifold::detail::add_exactly;

// detail::add_or_lose in a form that vectorises.
MULTIFOLD_INLINE double sum_or_lose(double a, double b) {
  const double sum = a + b;
  const bool exact = (sum - a == b) & (sum - b == a);
  return blend(exact, sum, std::numeric_limits<double>::quiet_NaN());
}

}  // namespace detail

/// The sums of N batches. What is lost, or not finite, stays lost.
template <class T, moment_set Set, int N = moment_lane_count>
struct moment_lanes {
  using C = carrier_of<T>;
  using parts = moment_parts<C, Set>;
  using accumulator = moment_partial<C, Set>;
  static constexpr bool two = reads_two_arrays(Set), split = sizeof(C) == 8;

  double part[parts::count][N];
  std::int64_t count[N];
  partial_marks_of<C, Set> marks[N];

  MULTIFOLD_INLINE void load(const accumulator* acc, std::int64_t step, int n) {
    for (int j = 0; j < N; ++j) {
      const accumulator& a = acc[(j < n ? j : 0) * step];
      for (int i = 0; i < parts::count; ++i) part[i][j] = a.part[i];
      count[j] = a.count;
      marks[j] = a.marks;
    }
  }
  MULTIFOLD_INLINE void store(int j, accumulator& a) const {
    for (int i = 0; i < parts::count; ++i) a.part[i] = part[i][j];
    a.count = count[j];
    a.marks = marks[j];
  }
  MULTIFOLD_INLINE bool lost(int j) const {
    double sum = 0;  // NaN if one of them is
    for_each_sum<C, Set>([&](int first, int numbers) { sum += 0.0 * part[first + numbers - 1][j]; });
    return sum != sum;
  }

  /// Adds one element of each batch, but for its marks. `propagates`: all bits if NaN takes part, or none.
  template <bool Fma, class Element>
  MULTIFOLD_INLINE void add(const packed<Element>* x, const packed<Element>* y, key_of<C> propagates) {
    using key = key_of<C>;
    C cx[N], cy[N];
    double a[N], b[N];
    key takes_part[N];
    for_each_widened<N>(x, 0, N, [&](int j, auto value) { cx[j] = value; });
    for (int j = 0; j < N; ++j) takes_part[j] = static_cast<key>(-static_cast<key>(cx[j] == cx[j]) | propagates);
    if constexpr (two) {
      for_each_widened<N>(y, 0, N, [&](int j, auto value) { cy[j] = value; });
      for (int j = 0; j < N; ++j) takes_part[j] &= static_cast<key>(-static_cast<key>(cy[j] == cy[j]) | propagates);
      for (int j = 0; j < N; ++j) b[j] = blend(takes_part[j] != 0, static_cast<double>(cy[j]), -0.0);
    }
    for (int j = 0; j < N; ++j) a[j] = blend(takes_part[j] != 0, static_cast<double>(cx[j]), -0.0);
    for (int j = 0; j < N; ++j) count[j] -= takes_part[j];
    if constexpr (Set == moment_set::absolute) {
      for (int j = 0; j < N; ++j) put<parts::x, 2>(j, std::fabs(a[j]));
    } else if constexpr (sums_elements(Set)) {
      for (int j = 0; j < N; ++j) put<parts::x, 2>(j, a[j]);
    }
    if constexpr (Set == moment_set::joint) {
      for (int j = 0; j < N; ++j) put<parts::y, 2>(j, b[j]);
    }
    if constexpr (sums_products(Set)) add_products<Fma>(a, two ? b : a, takes_part);
  }

  /// Adds a number to the sum that lies from part First on.
  template <int First, int Count>
  MULTIFOLD_INLINE void put(int j, double x) {
    for (int i = First; i + 1 < First + Count; ++i) {
      const auto s = detail::add_exactly(part[i][j], x);
      part[i][j] = s.sum;
      x = s.error;
    }
    part[First + Count - 1][j] = detail::sum_or_lose(part[First + Count - 1][j], x);
  }

 private:
  // Elements that take no part are -0 here, and so has to be their product.
  template <bool Fma>
  MULTIFOLD_INLINE void add_products(const double* a, const double* b, const key_of<C>* takes_part) {
    double product[N], error[N];
    if constexpr (split) {
      // The error of a product close to the end of the range is no number of its own.
      constexpr double least = 0x1p-960;
      for (int j = 0; j < N; ++j) {
        const split_product term = product_of<Fma>(a[j], b[j]);
        const bool whole = (std::fabs(term.product) >= least) | (a[j] == 0) | (b[j] == 0);
        product[j] = term.product;
        error[j] = blend(whole, term.error, std::numeric_limits<double>::quiet_NaN());
      }
    } else {
      for (int j = 0; j < N; ++j) product[j] = a[j] * b[j];
    }
    for (int j = 0; j < N; ++j) product[j] = blend(takes_part[j] != 0, product[j], -0.0);
    for (int j = 0; j < N; ++j) put<parts::products, parts::product_count>(j, product[j]);
    if constexpr (split) {
      for (int j = 0; j < N; ++j) put<parts::products + 1, parts::product_count - 1>(j, error[j]);
    }
  }
};

}  // namespace multifold::inline v0_1::host
