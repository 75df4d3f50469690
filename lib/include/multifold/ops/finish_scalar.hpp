// From a merged scalar to the value of the operation. Included by ops.hpp.
#pragma once

#include "multifold/ops.hpp"
#include "multifold/ops/order_key.hpp"
#include "multifold/types/wide_integer.hpp"

namespace multifold::inline v0_1 {
namespace detail {

MULTIFOLD_HD inline scalar mean_of(const scalar& sum) {
  if (sum.what == scalar::kind::integer && sum.count > 0) return divide(sum.integer, sum.count);
  const double total = sum.what == scalar::kind::integer ? 0.0 : sum.real;
  return scalar::of_real(total / static_cast<double>(sum.count), sum.count);  // 0 / 0 is NaN, as in NumPy
}

MULTIFOLD_HD inline scalar add_initial(scalar value, const initial_value& initial) {
  // Nothing and an initial value is that value: +0, the sum of nothing, would take the sign off a -0.
  if (value.what == scalar::kind::real) value.real = (value.count == 0 ? -0.0 : value.real) + initial.real_value;
  else if (value.what == scalar::kind::integer) value.integer += initial.integer_value;
  return value;
}

// A real factor, which is not zero, and finite.
MULTIFOLD_HD constexpr wide_integer factor_of_real(double x) {
  const unpacked parts = unpack(x);
  const auto magnitude = static_cast<int128_t>(parts.significand);
  return wide_integer::of(parts.negative ? -magnitude : magnitude,
                          float_layout<double>::least_exponent + parts.position);
}

MULTIFOLD_HD inline scalar multiply_initial(scalar value, const initial_value& initial) {
  if (value.what == scalar::kind::real) value.real *= initial.real_value;
  if (value.what != scalar::kind::integer) return value;
  const wide_integer product = wide_integer::of(value.integer, value.exponent);
  if (!value.signed_zero) return (product * wide_integer::of(initial.integer_value, 0)).value(value.count);
  const double x = initial.real_value;
  if (x == 0 || x - x != 0) return scalar::of_real(value.integer < 0 ? -x : x, value.count);
  scalar s = (product * factor_of_real(x)).value(value.count);
  s.signed_zero = true;
  return s;
}

MULTIFOLD_HD inline scalar extreme_initial(scalar value, const initial_value& initial, bool least) {
  if (value.what == scalar::kind::integer) {
    const bool better = least ? initial.integer_value < value.integer : initial.integer_value > value.integer;
    if (better) value.integer = initial.integer_value;
  } else if (value.what == scalar::kind::real && value.real == value.real) {
    // As keys, so that -0 is less than +0; a NaN wins.
    const std::int64_t nan_key = least ? least_key<std::int64_t> : greatest_key<std::int64_t>;
    const std::int64_t key = order_key(value.real, nan_key), other = order_key(initial.real_value, nan_key);
    if (least ? other < key : other > key) value.real = initial.real_value;
  }
  return value;
}

}  // namespace detail

MULTIFOLD_HD inline scalar finish_scalar(op_kind op, scalar value, const initial_value& initial) {
  if (op == op_kind::mean) return detail::mean_of(value);
  if (!initial.given) return value;
  const bool extreme = op == op_kind::min || op == op_kind::max;
  if (extreme && value.count == 0) {
    return initial.integer ? scalar::of_integer(initial.integer_value, 0) : scalar::of_real(initial.real_value, 0);
  }
  if (op == op_kind::sum) return detail::add_initial(value, initial);
  if (op == op_kind::prod) return detail::multiply_initial(value, initial);
  if (extreme) return detail::extreme_initial(value, initial, op == op_kind::min);
  return value;
}

}  // namespace multifold::inline v0_1
