// Rounding of doubles that are within 2^-42 of a result, or within a bound that is at hand, to narrow formats:
// where all that the result may be rounds to the same. Coarser than rough.hpp, in half of its operations; 0 counts. Formats
// of 2 bytes by integers: conversions are slow.
// Bounds: docs/exact-sums.md, 17.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "multifold/exact/near/rough.hpp"

namespace multifold::inline v0_1::detail {

/// Rounds a number that is within `margin` 2^-32 units in the last place of v, which are of places that T has or would have,
/// if all of those round to the same: 0 is 0. By the words of v, its exponent moved, and the 32 bits behind the last place
/// beside the middle; but for what becomes subnormal or infinite.
template <floating_storage T>
requires(sizeof(T) == 2) MULTIFOLD_HD bool round_words(double v, std::uint32_t margin, T& out) {
  using layout = float_layout<T>;
  constexpr int down = 20 - layout::mantissa_bits;
  constexpr std::uint32_t one = 1u << 20, greatest = 2u * layout::bias;  // exponents of normal numbers are 1 to 2 bias
  const auto bits = bit_copy<std::uint64_t>(v);
  const auto upper = static_cast<std::uint32_t>(bits >> 32);
  const std::uint32_t magnitude = (upper & 0x7fffffffu) - (1023u - layout::bias) * one;
  const std::uint32_t rest = upper << (32 - down) | static_cast<std::uint32_t>(bits) >> down;
  if (magnitude - one >= greatest * one) {
    if (!(plain_difference(v, v) == 0)) return false;
    const double off = std::fabs(v) * (margin * power_of_two(-32 - layout::mantissa_bits));
    out = nearest<T>(v - off);
    return same_bits(out, nearest<T>(v + off));
  }
  out = bit_copy<T>(static_cast<std::uint16_t>((upper >> 16 & 0x8000u) | (magnitude + (1u << (down - 1))) >> down));
  return rest - (0x80000000u - margin) > 2 * margin;
}

/// The root of a number from 2^-120 to 2^120, within 2^-42.
MULTIFOLD_HD inline double close_root(double v) {
#if defined(__CUDA_ARCH__)
  float near;  // of 1 / root, within 2 units in the last place
  asm("rsqrt.approx.f32 %0, %1;" : "=f"(near) : "f"(static_cast<float>(v)));
  const double reciprocal = near, root = plain_product(v, reciprocal);
  return fused(0.5 * reciprocal, fused(-root, root, v), root);
#else
  return std::sqrt(v);
#endif
}

/// Rounds a number that is within 2^-42 of v, relative to it, if all of those round to the same: 0 is 0.
template <floating_storage T>
MULTIFOLD_HD bool round_if_close(double v, T& out) {
  static_assert(sizeof(T) < 8);
  if constexpr (sizeof(T) == 2) {
    return round_words(v, 64, out);
  } else {
    if (!(std::fabs(v) < 0x1p126)) return false;
    out = static_cast<T>(v * (1 - 0x1p-42));
    return same_bits(out, static_cast<T>(v * (1 + 0x1p-42)));
  }
}
/// The same of the root of such a number.
template <floating_storage T>
MULTIFOLD_HD bool round_root_if_close(double v, T& out) {
  if constexpr (sizeof(T) == 2) {
    if (v == 0) return round_words(0.0, 64, out);
    return v > 0x1p-120 && v < 0x1p120 && round_words(close_root(v), 64, out);
  } else {
    return v >= 0 && round_if_close(rough_root(v), out);
  }
}
/// The same of a number that is within `error` of v.
template <floating_storage T>
MULTIFOLD_HD bool round_if_within(double v, double error, T& out) {
  static_assert(sizeof(T) < 8);
  if constexpr (sizeof(T) == 2) {
    // By exponents: below 2^(1 - apart) of v. A margin of 2^31 would be all there is.
    const auto exponent_of = [](double x) { return static_cast<int>(bit_copy<std::uint64_t>(x) >> 52 & 0x7ffu); };
    const int units = 33 + float_layout<T>::mantissa_bits - (exponent_of(v) - exponent_of(error));
    return units < 30 && round_words(v, 2u << (units > 0 ? units : 0), out);
  } else {
    if (!(std::fabs(v) < 0x1p126)) return false;
    out = static_cast<T>(v - error);
    return same_bits(out, static_cast<T>(v + error));
  }
}

}  // namespace multifold::inline v0_1::detail
