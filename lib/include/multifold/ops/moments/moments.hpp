// Norms, dot products, variances and descriptions as folds: exact sums of elements and of products, finished together.
// The meaning of these operations, and slow; engines gather in something faster, with the same results.
#pragma once

#include <cstdint>
#include <type_traits>

#include "multifold/exact/accumulator.hpp"
#include "multifold/ops/extremum.hpp"

namespace multifold::inline v0_1 {

/// What an operation gathers.
enum class moment_set : std::uint8_t {
  absolute,     // sum of |x|
  squares,      // sum of x x
  spread,       // sums of x and of x x
  products,     // sum of x y
  joint,        // sums of x, y and x y
  description,  // sums of x and of x x, extremes and counts
};

/// Columns of floating-point elements of `item` bytes that a thread of tiles takes together where it has whole runs, at
/// most: more than one where a double or two hold what ordinary elements add up to, and registers hold those.
constexpr int most_moment_columns(std::int64_t item, moment_set set) noexcept {
  switch (set) {
    case moment_set::absolute: return item == 2 ? 4 : item == 4 ? 2 : 1;
    case moment_set::squares:
    case moment_set::spread: return item == 2 ? 4 : 1;
    case moment_set::products:
    case moment_set::joint: return item == 2 ? 2 : 1;
    case moment_set::description: break;
  }
  return 1;
}

/// What `op` gathers. Throws: unsupported_error for operations that are no moments.
constexpr moment_set moments_of(op_kind op) {
  switch (op) {
    case op_kind::norm1: return moment_set::absolute;
    case op_kind::sumsq:
    case op_kind::norm2: return moment_set::squares;
    case op_kind::var:
    case op_kind::std: return moment_set::spread;
    case op_kind::dot: return moment_set::products;
    case op_kind::cov: return moment_set::joint;
    case op_kind::describe: return moment_set::description;
    case op_kind::sum:
    case op_kind::prod:
    case op_kind::min:
    case op_kind::max:
    case op_kind::argmin:
    case op_kind::argmax:
    case op_kind::mean:
    case op_kind::any:
    case op_kind::all:
    case op_kind::count_nonzero: break;
  }
  throw unsupported_error(std::string(name(op)) + " is not made of moments");
}

constexpr bool sums_elements(moment_set set) noexcept {
  return set == moment_set::absolute || set == moment_set::spread || set == moment_set::joint ||
         set == moment_set::description;
}
constexpr bool sums_products(moment_set set) noexcept { return set != moment_set::absolute; }
constexpr bool reads_two_arrays(moment_set set) noexcept {
  return set == moment_set::products || set == moment_set::joint;
}
/// Whether sums of floating point are taken in one look at their elements, where these are whole batches.
constexpr bool takes_one_look(moment_set set) noexcept {
  return !reads_two_arrays(set) && set != moment_set::description;
}

/// What elements of T are gathered as, which all of them are exactly: sums, products and extremes of four types serve
/// all dtypes.
template <storage_type T>
using carrier_of =
    std::conditional_t<std::is_same_v<T, double>, double,
                       std::conditional_t<floating_storage<T>, float,
                                          std::conditional_t<std::is_unsigned_v<T> || std::is_same_v<T, bool8>,
                                                             std::uint64_t, std::int64_t>>>;

template <storage_type T>
MULTIFOLD_HD constexpr carrier_of<T> carried(T x) {
  if constexpr (std::is_same_v<T, bool8>) return x.bits != 0 ? 1 : 0;
  else if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>) return to_float(x);
  else return x;
}

/// Counts and extremes of a description, of carriers.
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
    see(x, index, policy);
  }
  /// The extremes alone.
  MULTIFOLD_HD void see(T x, std::int64_t index, nan_policy policy) {
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

/// The exact sums of a set over a carrier type: x, y, products and marks, as far as they are in it.
template <storage_type T, moment_set Set>
struct carried_sums
    : std::conditional_t<sums_elements(Set), detail::sum_of_x<T>, detail::nothing<0>>,
      std::conditional_t<Set == moment_set::joint, detail::sum_of_y<T>, detail::nothing<1>>,
      std::conditional_t<sums_products(Set), detail::sum_of_products<T>, detail::nothing<2>>,
      std::conditional_t<Set == moment_set::description, detail::marks_of_description<T>, detail::nothing<3>> {
  MULTIFOLD_HD void merge(const carried_sums& other) {
    if constexpr (sums_elements(Set)) this->x.merge(other.x);
    if constexpr (Set == moment_set::joint) this->y.merge(other.y);
    if constexpr (sums_products(Set)) this->products.merge(other.products);
    if constexpr (Set == moment_set::description) this->marks.merge(other.marks);
  }
};

template <storage_type T, moment_set Set>
using moment_sums = carried_sums<carrier_of<T>, Set>;

/// Merged sums on their way to a result (ops/moments/finish_moments.hpp).
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
  /// The same elements, in a batch that began `by` elements earlier.
  MULTIFOLD_HD accumulator moved(accumulator a, std::int64_t by) const requires(Set == moment_set::description) {
    for (auto* const at : {&a.marks.argmin, &a.marks.argmax}) {
      if (at->index != arg_extremum<carrier_of<T>>::no_index) at->index += by;
    }
    return a;
  }
  MULTIFOLD_HD finished_moments<T, Set> lower(const accumulator& a, std::int64_t) const { return {a, correction}; }

  /// The same as combine with lift, without copies.
  MULTIFOLD_HD void add(accumulator& a, value_type v, std::int64_t index) const {
    if constexpr (reads_two_arrays(Set)) add_pair(a, carried(v.x), carried(v.y));
    else add_element(a, carried(v), index);
  }

 private:
  using carrier = carrier_of<T>;

  MULTIFOLD_HD bool is_omitted(carrier x) const { return nan == nan_policy::omit && detail::unpack(x).nan; }

  MULTIFOLD_HD void add_pair(accumulator& a, carrier x, carrier y) const {
    if (is_omitted(x) || is_omitted(y)) return;
    if constexpr (Set == moment_set::joint) a.x.add(x), a.y.add(y);
    if constexpr (sums_products(Set)) a.products.add_product(x, y);
  }

  MULTIFOLD_HD void add_element(accumulator& a, carrier x, std::int64_t index) const {
    if constexpr (Set == moment_set::description) a.marks.add(x, index, nan);
    if (is_omitted(x)) return;
    if constexpr (Set == moment_set::absolute) add_magnitude(a.x, x);
    else if constexpr (sums_elements(Set)) a.x.add(x);
    if constexpr (sums_products(Set)) a.products.add_product(x, x);
  }

  MULTIFOLD_HD static void add_magnitude(exact_sum<carrier>& sum, carrier x) {
    if constexpr (floating_storage<carrier>) {
      using layout = detail::float_layout<carrier>;
      using bits = typename layout::bits_type;
      sum.add(bit_copy<carrier>(static_cast<bits>(bit_copy<bits>(x) & (layout::sign - 1))));
    } else {
      const detail::unpacked parts = detail::unpack(x);
      sum.add_counts({1, 0, 0, 0, 1});
      sum.add_significand(parts.significand);
    }
  }
};

}  // namespace multifold::inline v0_1
