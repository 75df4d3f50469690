// Rounding of binary64 numbers that are within 2^-42 of a result, or within a bound that is at hand, to narrow formats:
// where all that the result may be rounds to the same. Coarser than rough.hpp, in half of its operations; 0 counts.
// Bounds: docs/exact-sums.md, 17.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "multifold/exact/rough.hpp"

namespace multifold::detail {

/// A binary32 as a format of 2 bytes, where it is not in the middle between two of those.
MULTIFOLD_HD inline void narrow(float v, bf16& out) {
  out.bits = static_cast<std::uint16_t>((bit_copy<std::uint32_t>(v) + 0x8000u) >> 16);
}
MULTIFOLD_HD inline void narrow(float v, f16& out) {
#if defined(__CUDA_ARCH__)
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(out.bits) : "f"(v));
#else
  out = to_f16(v);
#endif
}

/// Rounds a number that is within 3 units in the last place of v, if all of those round to the same.
template <floating_storage T>
requires(sizeof(T) == 2) MULTIFOLD_HD bool round_if_close(float v, T& out) {
  constexpr std::uint32_t half = 1u << (22 - float_layout<T>::mantissa_bits);
  const std::uint32_t rest = bit_copy<std::uint32_t>(v) & (2 * half - 1);
  narrow(v, out);
  bool sure = rest - (half - 3) > 6;
  if constexpr (!std::is_same_v<T, bf16>) sure = sure && (std::fabs(v) >= 0x1p-14f || v == 0);  // not subnormal
  return sure;
}

/// Rounds a number that is within 2^-42 of v, relative to it, if all of those round to the same: 0 is 0.
template <floating_storage T>
MULTIFOLD_HD bool round_if_close(double v, T& out) {
  static_assert(sizeof(T) < 8);
  if (!(std::fabs(v) < 0x1p126)) return false;
  if constexpr (sizeof(T) == 2) {
    return round_if_close(static_cast<float>(v), out);
  } else {
    out = static_cast<T>(v * (1 - 0x1p-42));
    return same_bits(out, static_cast<T>(v * (1 + 0x1p-42)));
  }
}
/// The same of the root of such a number.
template <floating_storage T>
MULTIFOLD_HD bool round_root_if_close(double v, T& out) {
  if constexpr (sizeof(T) == 2) {
    if (!(v < 0x1p120 && (v > 0x1p-120 || v == 0))) return false;
    const auto narrow_v = static_cast<float>(v);
#if defined(__CUDA_ARCH__)
    float root;  // within 2 units in the last place
    asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(narrow_v));
#else
    const float root = std::sqrt(narrow_v);
#endif
    return round_if_close(root, out);
  } else {
    return v >= 0 && round_if_close(rough_root(v), out);
  }
}
/// The same of a number that is within `error` of v.
template <floating_storage T>
MULTIFOLD_HD bool round_if_within(double v, double error, T& out) {
  static_assert(sizeof(T) < 8);
  if (!(std::fabs(v) < 0x1p126)) return false;
  if constexpr (sizeof(T) == 2) {
    return error <= 0x1p-24 * std::fabs(v) && round_if_close(static_cast<float>(v), out);
  } else {
    out = static_cast<T>(v - error);
    return same_bits(out, static_cast<T>(v + error));
  }
}

}  // namespace multifold::detail
