// Exact numbers and their only rounding, by definition and in GMP's integers. Shares nothing with the library but the
// names of the dtypes.
#pragma once

#include <gmpxx.h>

#include <cstddef>
#include <cstdint>

#include "multifold/dtype.hpp"

namespace multifold::agreement {

/// A binary format of IEEE 754's kind.
struct format {
  int precision;  // bits of a significand
  int bias;
  int least() const { return 2 - bias - precision; }  // exponent of the smallest subnormal
  std::uint64_t infinity() const { return (2 * static_cast<std::uint64_t>(bias) + 1) << (precision - 1); }
  std::uint64_t quiet_nan() const { return infinity() | std::uint64_t{1} << (precision - 2); }
  std::uint64_t sign() const { return std::uint64_t{1} << (precision == 53 ? 63 : precision == 24 ? 31 : 15); }
};
format format_of(dtype floating);

/// numerator / denominator * 2^exponent, or the square root of that; infinite; or not a number.
struct exact_number {
  enum class kind : std::uint8_t { finite, infinite, nan };
  kind what = kind::finite;
  bool negative = false;  // of an infinity, and of zero
  bool root = false;
  mpz_class numerator = 0;
  mpz_class denominator = 1;  // above zero
  long exponent = 0;

  static exact_number of_nan() { return {kind::nan}; }
  static exact_number of_infinity(bool negative) { return {kind::infinite, negative}; }
  static exact_number of_zero(bool negative) { return {kind::finite, negative}; }
  static exact_number of_integer(const mpz_class& value) { return {kind::finite, false, false, value}; }
};

/// The bits of the nearest number of the format, ties to even.
std::uint64_t nearest(const exact_number& value, format f);

/// Writes the value at `out` as `type`, rounded if that is floating; false if it is an integer that does not fit.
bool put(const exact_number& value, dtype type, std::byte* out);

mpz_class integer_of(int128_t x);
mpz_class natural_of(uint128_t x);

/// An element of floating point: +-significand * 2^exponent, or special.
struct real {
  bool nan = false, infinite = false, negative = false;
  std::int64_t significand = 0;  // with its sign
  int exponent = 0;
  bool finite() const { return !nan && !infinite; }
};
real real_of(std::uint64_t bits, format f);

/// The exact value of a double.
exact_number number_of(double x);

}  // namespace multifold::agreement
