// One value on its way from an accumulator to a result: exact integers, double, or the reason why there is none.
#pragma once

#include <cstdint>

#include "multifold/dtype.hpp"
#include "multifold/types/wide_bits.hpp"

namespace multifold::inline v0_1 {

/// What became of a result.
enum class status : std::uint32_t {
  ok = 0,
  overflow = 1,   // exact, but outside the result's dtype
  empty = 2,      // no element takes part (argmin of nothing but NaN, with nan::omit)
  bad_count = 3,  // a count in device memory is negative, or more than the plan has room for
};

/// `integer * 2^exponent` or `real`, over `count` elements.
///
/// After an inexact division or product the lowest bit of `integer` is sticky: it stands for "and a little more", and
/// there are at least 61 bits above it, so that rounding to any format is still correct. Only an exponent of 0 makes it
/// an integer that an integer dtype can hold.
struct scalar {
  enum class kind : std::uint8_t { integer, real, overflow, empty };
  kind what = kind::empty;
  bool signed_zero = false;  // a real number: times zero, it is a zero of its own sign
  int exponent = 0;
  int128_t integer = 0;
  double real = 0;
  std::int64_t count = 0;

  MULTIFOLD_HD static constexpr scalar of_integer(int128_t value, std::int64_t count) {
    scalar s;
    s.what = kind::integer;
    s.integer = value;
    s.count = count;
    return s;
  }
  MULTIFOLD_HD static constexpr scalar of_real(double value, std::int64_t count) {
    scalar s;
    s.what = kind::real;
    s.real = value;
    s.count = count;
    return s;
  }
  MULTIFOLD_HD static constexpr scalar failed(kind what, std::int64_t count) {
    scalar s;
    s.what = what;
    s.count = count;
    return s;
  }
};

/// The integer, rounded once to double (nearest, ties to even).
MULTIFOLD_HD constexpr double integer_to_double(int128_t value, int exponent) {
  const std::uint64_t window = detail::cut_to(detail::magnitude_of(value), 64, exponent);
  const double rounded = static_cast<double>(window) * detail::power_of_two(exponent);
  return value < 0 ? -rounded : rounded;
}

/// The integer, rounded once to float.
MULTIFOLD_HD constexpr float integer_to_float(int128_t value, int exponent) {
  const std::uint64_t window = detail::cut_to(detail::magnitude_of(value), 64, exponent);
  // The scaling happens in double, where it is exact; every such value is a normal float.
  const double rounded = static_cast<double>(static_cast<float>(window)) * detail::power_of_two(exponent);
  return static_cast<float>(value < 0 ? -rounded : rounded);
}

/// The integer as a double rounded to odd: a second rounding to at most 51 bits is then the correct one.
MULTIFOLD_HD constexpr double integer_to_odd(int128_t value, int exponent) {
  const std::uint64_t window = detail::cut_to(detail::magnitude_of(value), 53, exponent);
  const double odd = static_cast<double>(window) * detail::power_of_two(exponent);
  return value < 0 ? -odd : odd;
}

/// `value / divisor` for divisor > 0, to at least 61 bits and a sticky bit.
MULTIFOLD_HD constexpr scalar divide(int128_t value, std::int64_t divisor) {
  const uint128_t n = static_cast<uint128_t>(divisor);
  const uint128_t magnitude = detail::magnitude_of(value);
  uint128_t quotient = magnitude / n;
  uint128_t rest = magnitude % n;
  scalar s = scalar::of_integer(0, divisor);
  while (rest != 0 && detail::bit_width(quotient) < 62 && s.exponent > -128) {
    s.exponent -= 64;  // at most twice: the quotient then has 62 to 126 bits
    quotient = (quotient << 64) | ((rest << 64) / n);
    rest = (rest << 64) % n;
  }
  if (rest != 0) quotient |= 1u;
  s.integer = static_cast<int128_t>(value < 0 ? ~quotient + 1 : quotient);
  return s;
}

/// Rounds `value` once to `type` and writes it at `out`, which holds item_bytes(type).
/// An integer result that does not fit is left unwritten; so is one that does not exist.
MULTIFOLD_HD status store(const scalar& value, dtype type, void* out);

}  // namespace multifold::inline v0_1

#include "multifold/types/scalar_store.hpp"
