// The last step of every reduction: a scalar becomes the bytes of its result dtype. Included by scalar.hpp.
#pragma once

#include "multifold/exact/round.hpp"
#include "multifold/types/scalar.hpp"

namespace multifold::inline v0_1 {
namespace detail {

template <class T>
MULTIFOLD_HD void put(void* out, T value) {
  *static_cast<T*>(out) = value;
}

// The scalar, which is an integer times a power of two, as what rounds correctly to any format.
MULTIFOLD_HD constexpr exact_value value_of(const scalar& s) {
  exact_value v;
  v.negative = s.integer < 0;
  v.significand = magnitude_of(s.integer);
  if (v.significand == 0) return v;
  const int up = 128 - bit_width(v.significand);
  v.significand <<= up;
  v.exponent = s.exponent - up;
  return v;
}

MULTIFOLD_HD inline void put_real(const scalar& s, dtype type, void* out) {
  const bool integer = s.what == scalar::kind::integer;
  // Below, powers of two are those of means: double holds them, and what they scale is no subnormal.
  if (integer && (s.exponent < -128 || s.exponent > 0)) return round_to(value_of(s), type, out);
  if (type == dtype::f64) {
    const double x = integer ? integer_to_double(s.integer, s.exponent) : s.real;
    put(out, x != x ? bit_copy<double>(0x7ff8000000000000ull) : x);
  } else if (type == dtype::f32) {
    const float x = integer ? integer_to_float(s.integer, s.exponent) : static_cast<float>(s.real);
    put(out, x != x ? bit_copy<float>(0x7fc00000u) : x);
  } else {
    const double x = integer ? integer_to_odd(s.integer, s.exponent) : s.real;
    if (type == dtype::f16) put(out, to_f16(x));
    else put(out, to_bf16(x));
  }
}

// The least and the greatest value of an integer dtype.
MULTIFOLD_HD constexpr bool fits(int128_t x, dtype type) {
  if (type == dtype::boolean) return x == 0 || x == 1;
  const int bits = static_cast<int>(8 * item_bytes(type));
  const int128_t least = is_unsigned(type) ? int128_t{0} : -(int128_t{1} << (bits - 1));
  const int128_t greatest = (int128_t{1} << (is_unsigned(type) ? bits : bits - 1)) - 1;
  return x >= least && x <= greatest;
}

MULTIFOLD_HD inline void put_integer(int128_t x, std::int64_t bytes, void* out) {
  if (bytes == 1) put(out, static_cast<std::uint8_t>(x));
  else if (bytes == 2) put(out, static_cast<std::uint16_t>(x));
  else if (bytes == 4) put(out, static_cast<std::uint32_t>(x));
  else put(out, static_cast<std::uint64_t>(x));
}

}  // namespace detail

MULTIFOLD_HD inline status store(const scalar& value, dtype type, void* out) {
  if (value.what == scalar::kind::overflow) return status::overflow;
  if (value.what == scalar::kind::empty) return status::empty;
  if (is_floating(type)) {
    detail::put_real(value, type, out);
    return status::ok;
  }
  // Plans give an integer dtype to integer scalars only.
  if (value.what != scalar::kind::integer || value.exponent != 0 || !detail::fits(value.integer, type))
    return status::overflow;
  detail::put_integer(value.integer, item_bytes(type), out);
  return status::ok;
}

}  // namespace multifold::inline v0_1
