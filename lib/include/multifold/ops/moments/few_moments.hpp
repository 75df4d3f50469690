// Moments of a few elements, in one pass over them and without a look at exponents: in doubles from which a narrow
// result is certain, or in near values. Bounds: docs/exact-sums.md, 17.
#pragma once

#include <cmath>

#include "multifold/exact/near/close.hpp"
#include "multifold/exact/short_sum.hpp"
#include "multifold/ops/moments/few_sums.hpp"
#include "multifold/ops/moments/moments.hpp"

namespace multifold::inline v0_1::detail {

/// What is gathered of a few elements of T: narrow ones, whose result is one of T.
template <floating_storage T, moment_set Set>
struct few_moments;

template <floating_storage T>
requires(sizeof(T) < 8) struct few_moments<T, moment_set::absolute> {
  few_sum<T> x;

  MULTIFOLD_HD few_moments(T, T) {}
  MULTIFOLD_HD void add(T u, T) { x.add_magnitude(u); }
  MULTIFOLD_HD bool round(int, double, bool, T& out) const {
    if (!x.exact()) return round_if_within(x.value(), x.error(), out);
    out = nearest<T>(x.value());
    return true;
  }
};

/// Products are doubles, and their sum is off by 15 u of it. Those of 2 bytes are exact if it is below 2^53 units, and are
/// ties often then.
template <floating_storage T>
requires(sizeof(T) < 8) struct few_moments<T, moment_set::squares> {
  static constexpr bool halves = sizeof(T) == 2;
  double products = 0.0;
  std::conditional_t<halves, least_magnitude<T>, nothing<0>> least;

  MULTIFOLD_HD few_moments(T, T) {}
  MULTIFOLD_HD void add(T u, T) {
    const double x = to_double(u);
    products = fused(x, x, products);
    if constexpr (halves) least.see(u);
  }
  MULTIFOLD_HD bool round(int, double, bool has_root, T& out) const {
    if (has_root) return round_root_if_close(products, out);
    if (round_if_close(products, out)) return true;
    if constexpr (halves) {
      const double unit = least.unit();
      if (!(products < 0x1p53 * unit * unit)) return false;
      out = nearest<T>(products);
      return true;
    }
    return false;
  }
};

template <floating_storage T>
requires(sizeof(T) < 8) struct few_moments<T, moment_set::products> {
  static constexpr bool halves = sizeof(T) == 2;
  double products = -0.0, size = 0.0;
  std::conditional_t<halves, least_magnitude<T>, nothing<0>> least_x, least_y;

  MULTIFOLD_HD few_moments(T, T) {}
  MULTIFOLD_HD void add(T u, T v) {
    const double p = plain_product(to_double(u), to_double(v));
    products = plain_sum(products, p);
    size = plain_sum(size, std::fabs(p));
    if constexpr (halves) least_x.see(u), least_y.see(v);
  }
  MULTIFOLD_HD bool round(int, double, bool, T& out) const {
    bool exact = size == 0;  // with its sign
    if constexpr (halves) exact = exact || size < 0x1p53 * least_x.unit() * least_y.unit();
    if (!exact) return round_if_within(products, 0x1p-48 * size, out);
    out = nearest<T>(products);
    return true;
  }
};

/// Of differences to the first element, each within u of itself. With n of them, n S - T^2 is n^2 times the variance,
/// and at least S: the square of an element's distance from the mean is at most n - 1 variances. So it is off by at
/// most (3 n + 5) u n S, which is less than 2^-42 of it.
template <floating_storage T>
requires(sizeof(T) < 8) struct few_moments<T, moment_set::spread> {
  double first, x = 0.0, products = 0.0;

  MULTIFOLD_HD few_moments(T u, T) : first(to_double(u)) {}
  MULTIFOLD_HD void add(T u, T) {
    const double d = plain_difference(to_double(u), first);
    x = plain_sum(x, d);
    products = fused(d, d, products);
  }
  MULTIFOLD_HD bool round(int count, double reciprocal, bool has_root, T& out) const {
    const double v = fused(-x, x, static_cast<double>(count) * products) * reciprocal;
    if (reciprocal == 0) return false;
    return has_root ? round_root_if_close(v, out) : round_if_close(v, out);
  }
};

/// Likewise, but for cancellation.
template <floating_storage T>
requires(sizeof(T) < 8) struct few_moments<T, moment_set::joint> {
  double first_x, first_y, x = 0.0, y = 0.0, size_x = 0.0, size_y = 0.0, products = 0.0, size = 0.0;

  MULTIFOLD_HD few_moments(T u, T v) : first_x(to_double(u)), first_y(to_double(v)) {}
  MULTIFOLD_HD void add(T u, T v) {
    const double a = plain_difference(to_double(u), first_x), b = plain_difference(to_double(v), first_y);
    const double p = plain_product(a, b);
    x = plain_sum(x, a);
    y = plain_sum(y, b);
    size_x = plain_sum(size_x, std::fabs(a));
    size_y = plain_sum(size_y, std::fabs(b));
    products = plain_sum(products, p);
    size = plain_sum(size, std::fabs(p));
  }
  MULTIFOLD_HD bool round(int count, double reciprocal, bool, T& out) const {
    const auto n = static_cast<double>(count);
    const double v = fused(-x, y, n * products) * reciprocal, all = fused(size_x, size_y, n * size) * reciprocal;
    if (reciprocal == 0) return false;
    if (all == 0) {
      out = nearest<T>(0.0);
      return true;
    }
    return round_if_within(v, 0x1p-46 * all, out);
  }
};

/// Those of doubles: near values.
template <floating_storage T, moment_set Set>
requires(sizeof(T) == 8) struct few_moments<T, Set> {
  static constexpr bool sums = sums_elements(Set), multiplies = sums_products(Set), joint = Set == moment_set::joint;
  // Sums that are rounded are ties one time in a few.
  static constexpr bool rounds_sum = Set == moment_set::absolute || Set == moment_set::description;
  short_sum x{-0.0, 0.0, 0.0}, y{-0.0, 0.0, 0.0};  // or their magnitudes in `rest`
  few_products products;
  static constexpr bool sees_zeros = Set == moment_set::squares || Set == moment_set::description;
  double size = 0.0;  // of products of two arrays; of one, of the elements

  MULTIFOLD_HD few_moments(T, T) {}
  MULTIFOLD_HD void add(T u, T v) {
    const double a = to_double(u), b = to_double(v);
    if constexpr (sums) add_element(x, Set == moment_set::absolute ? std::fabs(a) : a);
    if constexpr (joint) add_element(y, b);
    if constexpr (multiplies) products.add(u, v);
    if constexpr (reads_two_arrays(Set)) size = plain_sum(size, std::fabs(plain_product(a, b)));
    else if constexpr (sees_zeros) size = plain_sum(size, std::fabs(a));
  }
  /// Returns false where they are unknown: of products that are zeros or too small for it, if not all elements are 0.
  MULTIFOLD_HD bool totals(few_totals& of) const {
    if constexpr (sums) of.x = near_of_elements(x);
    if constexpr (joint) of.y = near_of_elements(y);
    if constexpr (multiplies) {
      const double all = reads_two_arrays(Set) ? size : products.high;
      of.products = products.near(all);
      if (all > 0x1p-700) return all < 0x1p1000;
      return !reads_two_arrays(Set) && all == 0 && (Set == moment_set::spread ? x.rest : size) == 0;
    } else {
      return x.rest == x.rest;
    }
  }

 private:
  MULTIFOLD_HD static void add_element(short_sum& sum, double x) {
    if constexpr (rounds_sum) {
      sum.add(x);
    } else {
      const two_sum s = add_exactly(sum.high, x);
      sum.high = s.sum;
      sum.low = plain_sum(sum.low, s.error);
      sum.rest = plain_sum(sum.rest, std::fabs(x));
    }
  }
  MULTIFOLD_HD static near_value near_of_elements(const short_sum& sum) {
    const two_sum tight = add_exactly(sum.high, sum.low);
    return {tight.sum, tight.error, (rounds_sum ? 2.0 : 0x1p-96) * sum.rest};
  }
};

}  // namespace multifold::inline v0_1::detail
