// Norms, dot products, variances and descriptions as folds: exact sums of elements and of products, finished together.
// The meaning of these operations, and slow; engines gather in something faster, with the same results.
#pragma once

#include <cstdint>
#include <type_traits>

#include "multifold/exact/accumulator.hpp"
#include "multifold/ops/extremum.hpp"

namespace multifold {

/// What an operation gathers.
enum class moment_set : std::uint8_t {
  absolute,     // sum of |x|
  squares,      // sum of x x
  spread,       // sums of x and of x x
  products,     // sum of x y
  joint,        // sums of x, y and x y
  description,  // sums of x and of x x, extremes and counts
};

constexpr moment_set moments_of(op_kind op) noexcept {
  switch (op) {
    case op_kind::norm1: return moment_set::absolute;
    case op_kind::var:
    case op_kind::std: return moment_set::spread;
    case op_kind::dot: return moment_set::products;
    case op_kind::cov: return moment_set::joint;
    case op_kind::describe: return moment_set::description;
    default: return moment_set::squares;
  }
}

constexpr bool sums_elements(moment_set set) noexcept {
  return set == moment_set::absolute || set == moment_set::spread || set == moment_set::joint ||
         set == moment_set::description;
}
constexpr bool sums_products(moment_set set) noexcept { return set != moment_set::absolute; }
constexpr bool reads_two_arrays(moment_set set) noexcept {
  return set == moment_set::products || set == moment_set::joint;
}

/// An element of each of two arrays.
template <storage_type T>
struct element_pair {
  T x, y;
};

/// Counts and extremes of a description.
template <storage_type T>
struct description_marks {
  using extremes = extremum<T>;
  using indices = arg_extremum<T>;
  using key = typename extremes::key;

  std::int64_t nan = 0, positive_infinity = 0, negative_infinity = 0, zero = 0;
  typename extremes::accumulator min = greatest_key<key>, max = greatest_key<key>;
  typename indices::accumulator argmin{greatest_key<key>, indices::no_index};
  typename indices::accumulator argmax{greatest_key<key>, indices::no_index};

  MULTIFOLD_HD void add(T x, std::int64_t index, nan_policy policy) {
    const detail::unpacked parts = detail::unpack(x);
    nan += parts.nan;
    positive_infinity += parts.infinite && !parts.negative;
    negative_infinity += parts.infinite && parts.negative;
    zero += parts.finite() && parts.zero();
    description_marks one;
    one.min = extremes{keys(false, policy)}.lift(x, index);
    one.max = extremes{keys(true, policy)}.lift(x, index);
    one.argmin = indices{keys(false, policy)}.lift(x, index);
    one.argmax = indices{keys(true, policy)}.lift(x, index);
    merge_extremes(one);
  }
  MULTIFOLD_HD void merge(const description_marks& other) {
    nan += other.nan;
    positive_infinity += other.positive_infinity;
    negative_infinity += other.negative_infinity;
    zero += other.zero;
    merge_extremes(other);
  }
  MULTIFOLD_HD void merge_extremes(const description_marks& other) {
    min = extremes{}.combine(min, other.min);
    max = extremes{}.combine(max, other.max);
    argmin = indices{}.combine(argmin, other.argmin);
    argmax = indices{}.combine(argmax, other.argmax);
  }
  MULTIFOLD_HD static constexpr key_policy<key> keys(bool greatest, nan_policy policy) {
    return key_policy<key>::make(greatest, policy);
  }
};

namespace detail {

template <storage_type T>
struct sum_of_x {
  exact_sum<T> x;
};
template <storage_type T>
struct sum_of_y {
  exact_sum<T> y;
};
template <storage_type T>
struct sum_of_products {
  exact_dot<T> products;
};
template <storage_type T>
struct marks_of_description {
  description_marks<T> marks;
};
template <int>
struct nothing {};

}  // namespace detail

/// The exact sums of a set: x, y, products and marks, as far as they are in it.
template <storage_type T, moment_set Set>
struct moment_sums
    : std::conditional_t<sums_elements(Set), detail::sum_of_x<T>, detail::nothing<0>>,
      std::conditional_t<Set == moment_set::joint, detail::sum_of_y<T>, detail::nothing<1>>,
      std::conditional_t<sums_products(Set), detail::sum_of_products<T>, detail::nothing<2>>,
      std::conditional_t<Set == moment_set::description, detail::marks_of_description<T>, detail::nothing<3>> {
  MULTIFOLD_HD void merge(const moment_sums& other) {
    if constexpr (sums_elements(Set)) this->x.merge(other.x);
    if constexpr (Set == moment_set::joint) this->y.merge(other.y);
    if constexpr (sums_products(Set)) this->products.merge(other.products);
    if constexpr (Set == moment_set::description) this->marks.merge(other.marks);
  }
};

/// Merged sums on their way to a result (ops/finish_moments.hpp).
template <storage_type T, moment_set Set>
struct finished_moments {
  const moment_sums<T, Set>& sums;
  std::int64_t correction;
};

template <storage_type T, moment_set Set>
struct exact_moments {
  using element = T;
  using value_type = std::conditional_t<reads_two_arrays(Set), element_pair<T>, T>;
  using accumulator = moment_sums<T, Set>;
  static constexpr moment_set set = Set;
  static constexpr bool order_free = true;

  nan_policy nan = nan_policy::propagate;
  std::int64_t correction = 0;

  MULTIFOLD_HD accumulator identity() const { return {}; }
  MULTIFOLD_HD accumulator lift(value_type v, std::int64_t index) const {
    accumulator a;
    add(a, v, index);
    return a;
  }
  MULTIFOLD_HD accumulator combine(accumulator a, const accumulator& b) const {
    a.merge(b);
    return a;
  }
  MULTIFOLD_HD finished_moments<T, Set> lower(const accumulator& a, std::int64_t) const { return {a, correction}; }

  /// The same as combine with lift, without copies.
  MULTIFOLD_HD void add(accumulator& a, value_type v, std::int64_t index) const {
    if constexpr (Set == moment_set::description) a.marks.add(v, index, nan);
    if (nan == nan_policy::omit && is_nan(v)) return;
    if constexpr (reads_two_arrays(Set)) {
      if constexpr (Set == moment_set::joint) a.x.add(v.x), a.y.add(v.y);
      a.products.add_product(v.x, v.y);
    } else if constexpr (Set == moment_set::absolute) {
      add_magnitude(a.x, v);
    } else {
      if constexpr (sums_elements(Set)) a.x.add(v);
      a.products.add_product(v, v);
    }
  }

  MULTIFOLD_HD static bool is_nan(const value_type& v) {
    if constexpr (reads_two_arrays(Set)) return detail::unpack(v.x).nan || detail::unpack(v.y).nan;
    else return detail::unpack(v).nan;
  }

 private:
  MULTIFOLD_HD static void add_magnitude(exact_sum<T>& sum, T x) {
    if constexpr (floating_storage<T>) {
      using layout = detail::float_layout<T>;
      using bits = typename layout::bits_type;
      sum.add(bit_copy<T>(static_cast<bits>(bit_copy<bits>(x) & (layout::sign - 1))));
    } else {
      const detail::unpacked parts = detail::unpack(x);
      sum.add_counts({1, 0, 0, 0, 1});
      sum.add_significand(parts.significand);
    }
  }
};

}  // namespace multifold
