// The definition of correct rounding, checked with 128-bit integers: a pattern is right if the exact quotient lies
// between the midpoints to its neighbours, and on a midpoint only if the pattern is even. An oracle for tests.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>

#include "multifold/dtype.hpp"

namespace multifold::testing_oracle {

/// A binary format of IEEE 754's kind, without its sign.
struct binary_format {
  int mantissa;
  int bias;
  std::uint64_t infinity() const { return ((std::uint64_t{2} * static_cast<unsigned>(bias)) + 1) << mantissa; }
};

inline constexpr binary_format binary16{10, 15}, bfloat16{7, 127}, binary32{23, 127}, binary64{52, 1023};

inline int width_of(uint128_t x) {
  int width = 0;
  for (; x != 0; x >>= 1) ++width;
  return width;
}

/// numerator / denominator against factor * 2^exponent, exactly, for numerators below 2^127.
inline std::strong_ordering compare(uint128_t numerator, std::uint64_t denominator, std::uint64_t factor,
                                    int exponent) {
  const uint128_t right = static_cast<uint128_t>(factor) * denominator;
  if (numerator == 0 || right == 0) return numerator <=> right;
  if (exponent < 0) {
    if (width_of(numerator) - exponent > 128) return std::strong_ordering::greater;
    return (numerator << -exponent) <=> right;
  }
  if (width_of(right) + exponent > 128) return std::strong_ordering::less;
  return numerator <=> (right << exponent);
}

/// The quotient against the midpoint between the positive patterns `pattern` and `pattern + 1`.
inline std::strong_ordering against_midpoint(uint128_t numerator, std::uint64_t denominator, std::uint64_t pattern,
                                             binary_format format) {
  const std::uint64_t fraction = pattern & ((std::uint64_t{1} << format.mantissa) - 1);
  const int field = static_cast<int>(pattern >> format.mantissa);
  const std::uint64_t significand = fraction | (field == 0 ? 0 : std::uint64_t{1} << format.mantissa);
  const int exponent = (field == 0 ? 1 : field) - format.bias - format.mantissa;
  return compare(numerator, denominator, 2 * significand + 1, exponent - 1);
}

/// Whether `pattern` (without sign) is numerator / denominator, rounded to nearest, ties to even.
inline bool is_nearest(uint128_t numerator, std::uint64_t denominator, std::uint64_t pattern, binary_format format) {
  if (pattern > format.infinity()) return false;
  const bool even = pattern % 2 == 0;
  if (pattern != format.infinity()) {
    const auto above = against_midpoint(numerator, denominator, pattern, format);
    if (above > 0 || (above == 0 && !even)) return false;
  }
  if (pattern == 0) return true;
  const auto below = against_midpoint(numerator, denominator, pattern - 1, format);
  return below > 0 || (below == 0 && even);
}

}  // namespace multifold::testing_oracle
