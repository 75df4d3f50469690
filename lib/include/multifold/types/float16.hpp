// The two 16-bit float formats to and from the wide ones: exact upwards, one rounding (nearest, ties to even)
// downwards.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "multifold/dtype.hpp"

namespace multifold::inline v0_1 {

/// Exact. Subnormals, infinities and NaN are kept.
MULTIFOLD_HD inline float to_float(f16 x) {
#if defined(__CUDA_ARCH__)
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
  return wide;
#else
  // Branch-free, so that loops over it vectorise: scaling by 2^112 moves the exponent and normalises subnormals at
  // once.
  const std::uint32_t magnitude = static_cast<std::uint32_t>(x.bits & 0x7fffu) << 13;
  const float scaled = bit_copy<float>(magnitude) * 0x1p112f;
  const std::uint32_t special = magnitude >= (0x7c00u << 13) ? 0x7f800000u : 0u;
  const std::uint32_t sign = static_cast<std::uint32_t>(x.bits & 0x8000u) << 16;
  return bit_copy<float>(bit_copy<std::uint32_t>(scaled) | special | sign);
#endif
}

/// Exact.
MULTIFOLD_HD inline float to_float(bf16 x) { return bit_copy<float>(static_cast<std::uint32_t>(x.bits) << 16); }

namespace detail {

// Rounds a double to a format of `Mantissa` stored bits and exponent bias `Bias`, with integers only.
template <int Mantissa, int Bias>
MULTIFOLD_HD constexpr std::uint16_t narrow_bits(double x) {
  constexpr int dropped = 52 - Mantissa;
  constexpr std::uint16_t infinity = static_cast<std::uint16_t>(((1u << (15 - Mantissa)) - 1u) << Mantissa);
  const std::uint64_t bits = bit_copy<std::uint64_t>(x);
  const std::uint16_t sign = static_cast<std::uint16_t>(bits >> 63 << 15);
  const std::uint64_t magnitude = bits & ~(1ull << 63);
  if (magnitude > 0x7ff0000000000000ull) return static_cast<std::uint16_t>(infinity | (1u << (Mantissa - 1)));
  const int exponent = static_cast<int>(magnitude >> 52) - 1023 + Bias;  // in the narrow format
  if (exponent >= 2 * Bias + 1) return static_cast<std::uint16_t>(sign | infinity);
  std::uint64_t significand = magnitude;
  int shift = dropped;
  if (exponent <= 0) {  // subnormal: the hidden bit becomes visible
    significand = (magnitude & ((1ull << 52) - 1)) | (1ull << 52);
    shift += 1 - exponent;
    if (shift > 54) return sign;
  } else {
    significand = (static_cast<std::uint64_t>(exponent) << 52) | (magnitude & ((1ull << 52) - 1));
  }
  const std::uint64_t odd = (significand >> shift) & 1u;
  const std::uint64_t rounded = (significand + (1ull << (shift - 1)) - 1 + odd) >> shift;
  return static_cast<std::uint16_t>(sign |
                                    rounded);  // a carry out of the mantissa lands in the exponent, up to infinity
}

}  // namespace detail

/// One rounding from double; NaN becomes the canonical quiet NaN 0x7e00.
MULTIFOLD_HD constexpr f16 to_f16(double x) {
#if defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated()) {
    std::uint16_t bits = 0;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(x));
    return {x != x ? std::uint16_t{0x7e00} : bits};
  }
#endif
  return {detail::narrow_bits<10, 15>(x)};
}

/// One rounding from double; NaN becomes the canonical quiet NaN 0x7fc0.
MULTIFOLD_HD constexpr bf16 to_bf16(double x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if (!__builtin_is_constant_evaluated()) {
    std::uint16_t bits = 0;
    asm("cvt.rn.bf16.f64 %0, %1;" : "=h"(bits) : "d"(x));
    return {x != x ? std::uint16_t{0x7fc0} : bits};
  }
#endif
  return {detail::narrow_bits<7, 127>(x)};
}

/// Any floating storage type to double, exactly.
MULTIFOLD_HD inline double to_double(f16 x) { return static_cast<double>(to_float(x)); }
MULTIFOLD_HD inline double to_double(bf16 x) { return static_cast<double>(to_float(x)); }
MULTIFOLD_HD inline double to_double(float x) { return static_cast<double>(x); }
MULTIFOLD_HD inline double to_double(double x) { return x; }

}  // namespace multifold::inline v0_1
