// Norms of any order of real and complex arrays. Those of order 1 and 2 of real numbers are op_kind::norm1 and norm2,
// which are correctly rounded, and quicker.
#pragma once

#include <cmath>
#include <cstdint>

#include "multifold/exact/expansions/pair.hpp"
#include "multifold/fold.hpp"
#include "multifold/ops/power_sum.hpp"
#include "multifold/view.hpp"

namespace multifold::inline v0_1 {

/// The norm of order `order` as an operation for fold: over one array, or over an array of real and one of imaginary
/// parts (Value is element_pair of the floating-point type T).
/// Numerics: off by (64 + 256 / |order|) 2^-64 of itself, and rounded to T: of orders from 1 on within one ulp. Exact
///           of order 0 and, of real numbers, +-Inf. NaN if an element is.
template <floating_storage T, class Value = T>
struct norm_fold {
  using value_type = Value;
  using accumulator = power_sum;
  static constexpr bool uses_index = false;

  double order = 2;

  power_sum identity() const { return {}; }
  power_sum lift(const Value& x, std::int64_t) const {
    power_sum one;
    one.add(magnitude(x), order);
    return one;
  }
  power_sum combine(power_sum a, const power_sum& b) const {
    a.merge(b, order);
    return a;
  }
  T lower(const power_sum& sum, std::int64_t) const {
    const long double norm = sum.norm(order);
    if constexpr (sizeof(T) >= sizeof(float)) return static_cast<T>(norm);
    else return detail::nearest<T>(static_cast<double>(norm));
  }

  // A lane, so that elements are added, not merged.
  using lane = power_sum;
  static constexpr std::int64_t lane_capacity = INT64_MAX;
  power_sum lane_identity() const { return {}; }
  power_sum absorb(power_sum sum, const Value& x, std::int64_t) const {
    sum.add(magnitude(x), order);
    return sum;
  }
  power_sum widen(const power_sum& sum) const { return sum; }

 private:
  static long double magnitude(T x) { return std::fabs(static_cast<long double>(to_double(x))); }
  static long double magnitude(const element_pair<T>& z) {
    return std::hypot(static_cast<long double>(to_double(z.x)), static_cast<long double>(to_double(z.y)));
  }
};

/// The norm of order `order` over all elements of what view.hpp takes, or over options.axes of a view.
/// Shapes, Memory, Throws: as fold. Cost: one read, and some hundred nanoseconds an element and core, less of order 0 and
/// +-Inf.
template <viewable Array>
requires floating_storage<element_type_of<Array>>
auto norm(const Array& array, double order) {
  return fold(norm_fold<element_type_of<Array>>{order}, as_view(array)).value();
}
template <floating_storage T>
folded<T> norm(const array_view& view, double order, const fold_options& options = {}) {
  return fold(norm_fold<T>{order}, view, options);
}

}  // namespace multifold::inline v0_1
