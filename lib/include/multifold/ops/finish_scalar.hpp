// From a merged scalar to the value of the operation. Included by ops.hpp.
#pragma once

#include "multifold/ops.hpp"
#include "multifold/ops/order_key.hpp"

namespace multifold {
namespace detail {

MULTIFOLD_HD inline scalar mean_of(const scalar& sum) {
  if (sum.what == scalar::kind::integer && sum.count > 0) return divide(sum.integer, sum.count);
  const double total = sum.what == scalar::kind::integer ? 0.0 : sum.real;
  return scalar::of_real(total / static_cast<double>(sum.count), sum.count);  // 0 / 0 is NaN, as in NumPy
}

MULTIFOLD_HD inline scalar add_initial(scalar value, const initial_value& initial) {
  if (value.what == scalar::kind::real) value.real += initial.real_value;
  else if (value.what == scalar::kind::integer) value.integer += initial.integer_value;
  return value;
}

// Both factors fit 64 bits and a sign, so the product fits 128 bits and one more test.
MULTIFOLD_HD inline scalar multiply_initial(scalar value, const initial_value& initial) {
  if (value.what == scalar::kind::overflow && initial.integer && initial.integer_value == 0) {
    return scalar::of_integer(0, value.count);
  }
  if (value.what == scalar::kind::real) value.real *= initial.real_value;
  if (value.what != scalar::kind::integer) return value;
  const uint128_t a = magnitude_of(value.integer);
  const uint128_t b = magnitude_of(initial.integer_value);
  const bool negative = (value.integer < 0) != (initial.integer_value < 0);
  if (bit_width(a) + bit_width(b) > 127) return scalar::failed(scalar::kind::overflow, value.count);
  const auto product = static_cast<int128_t>(a * b);
  value.integer = negative ? -product : product;
  return value;
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

}  // namespace multifold
