// An integer whose leading 128 bits are kept, and how many follow them: products of integers on their way to a scalar.
#pragma once

#include <cstdint>

#include "multifold/types/scalar.hpp"

namespace multifold::inline v0_1 {

/// +-(high 2^64 + low) 2^exponent, and a little more if `inexact`: less than 2^-127 of it for every product since then.
/// With an exponent other than 0 the highest bit is set, or the number came with that exponent.
struct wide_integer {
  std::uint64_t low;
  std::uint64_t high;
  std::int32_t exponent;
  // Flags, in as many bits as leave no padding: passes copy their partial results as bytes.
  std::uint16_t negative;
  std::uint16_t inexact;

  MULTIFOLD_HD static constexpr wide_integer of(int128_t x, int exponent) {
    const uint128_t m = detail::magnitude_of(x);
    return {static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(m >> 64), exponent, x < 0, false};
  }
  MULTIFOLD_HD constexpr bool zero() const { return (low | high) == 0; }

  /// With 126 bits at most, of which the lowest is sticky if others had to go.
  MULTIFOLD_HD constexpr scalar value(std::int64_t count) const {
    uint128_t magnitude = static_cast<uint128_t>(high) << 64 | low;
    int power = exponent;
    bool rest = inexact != 0;
    const int excess = detail::bit_width(magnitude) - 126;
    if (excess > 0 && (power != 0 || rest || excess > 1)) {
      rest = rest || (magnitude & ((uint128_t{1} << excess) - 1)) != 0;
      magnitude >>= excess;
      power += excess;
    }
    if (rest) magnitude |= 1u;
    const auto integer = static_cast<int128_t>(magnitude);
    scalar s = scalar::of_integer(negative != 0 ? -integer : integer, count);
    s.exponent = power;
    return s;
  }
};

namespace detail {

// From here on a magnitude is beyond every format, even times the least initial value of double, 2^-1074, and
// whatever is multiplied to it only changes its sign.
inline constexpr std::int32_t beyond_formats = 2100;

// Both magnitudes together pass 64 bits. Out of line, because kernels multiply in dozens of places, and by value: a
// running product whose address is taken lies in memory.
[[gnu::noinline]] MULTIFOLD_HD constexpr wide_integer long_product(wide_integer a, wide_integer b) {
  const uint128_t low = static_cast<uint128_t>(a.low) * b.low;
  const uint128_t cross = static_cast<uint128_t>(a.low) * b.high, other = static_cast<uint128_t>(a.high) * b.low;
  const uint128_t middle = (low >> 64) + static_cast<std::uint64_t>(cross) + static_cast<std::uint64_t>(other);
  uint128_t upper = static_cast<uint128_t>(a.high) * b.high + (cross >> 64) + (other >> 64) + (middle >> 64);
  uint128_t lower = (middle << 64) | static_cast<std::uint64_t>(low);
  wide_integer product{0, 0, a.exponent + b.exponent, a.negative != b.negative, (a.inexact | b.inexact) != 0};
  const int down = bit_width(upper);
  if (down > 0) {
    const uint128_t cut = down == 128 ? lower : lower & ((uint128_t{1} << down) - 1);
    if (cut != 0) product.inexact = true;
    lower = down == 128 ? upper : (upper << (128 - down)) | (lower >> down);
    product.exponent += down;
  }
  product.low = static_cast<std::uint64_t>(lower);
  product.high = static_cast<std::uint64_t>(lower >> 64);
  return product;
}

}  // namespace detail

MULTIFOLD_HD constexpr wide_integer operator*(const wide_integer& a, const wide_integer& b) {
  if ((a.high | b.high) == 0 && (a.exponent | b.exponent) == 0) {
    const uint128_t product = static_cast<uint128_t>(a.low) * b.low;
    return {static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64), 0,
            a.negative != b.negative && product != 0, false};
  }
  if (a.zero() || b.zero()) return {0, 0, 0, false, false};
  wide_integer beyond = a.exponent > b.exponent ? a : b;
  if (beyond.exponent > detail::beyond_formats) {
    beyond.negative = a.negative != b.negative;
    return beyond;
  }
  return detail::long_product(a, b);
}

}  // namespace multifold::inline v0_1
