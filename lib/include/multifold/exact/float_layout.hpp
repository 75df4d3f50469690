// The four floating-point formats as bit fields: taking a number apart into integers. No arithmetic on floats.
// Integers can be taken apart in the same way, so that exact sums need not tell them apart.
#pragma once

#include <cstdint>
#include <type_traits>

#include "multifold/dtype.hpp"

namespace multifold::inline v0_1::detail {

/// A binary interchange format; `Bits` holds sign, exponent field and mantissa.
template <class Bits, int MantissaBits, int Bias>
struct ieee_layout {
  using bits_type = Bits;
  static constexpr int mantissa_bits = MantissaBits;
  static constexpr int bias = Bias;
  static constexpr int least_exponent = 1 - Bias - MantissaBits;  // of the smallest subnormal
  static constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  static constexpr Bits infinity = static_cast<Bits>((Bits{2} * Bias + 1) << MantissaBits);
  static constexpr Bits quiet_nan = static_cast<Bits>(infinity | (Bits{1} << (MantissaBits - 1)));
};

template <floating_storage T>
struct float_layout;
template <class T>
struct number_layout {
  static constexpr int mantissa_bits = static_cast<int>(8 * sizeof(T)) - 1;
  static constexpr int least_exponent = 0;
};
template <floating_storage T>
struct number_layout<T> : float_layout<T> {};
template <>
struct float_layout<f16> : ieee_layout<std::uint16_t, 10, 15> {};
template <>
struct float_layout<bf16> : ieee_layout<std::uint16_t, 7, 127> {};
template <>
struct float_layout<float> : ieee_layout<std::uint32_t, 23, 127> {};
template <>
struct float_layout<double> : ieee_layout<std::uint64_t, 52, 1023> {};

/// A finite number is +-significand * 2^(least_exponent + position).
struct unpacked {
  std::uint64_t significand;
  int position;
  bool negative;
  bool infinite;
  bool nan;

  MULTIFOLD_HD constexpr bool finite() const { return !infinite && !nan; }
  MULTIFOLD_HD constexpr bool zero() const { return significand == 0; }
};

/// Of what is not finite, significand and position mean nothing, but it is not zero().
template <floating_storage T>
MULTIFOLD_HD constexpr unpacked unpack(T x) {
  using layout = float_layout<T>;
  const std::uint64_t bits = bit_copy<typename layout::bits_type>(x);
  const std::uint64_t magnitude = bits & static_cast<std::uint64_t>(layout::sign - 1);
  const int field = static_cast<int>(magnitude >> layout::mantissa_bits);
  const std::uint64_t hidden = std::uint64_t{field != 0} << layout::mantissa_bits;
  unpacked parts{};
  parts.significand = (magnitude & ((std::uint64_t{1} << layout::mantissa_bits) - 1)) | hidden;
  parts.position = field - (field != 0 ? 1 : 0);
  parts.negative = magnitude != bits;
  parts.infinite = magnitude == layout::infinity;
  parts.nan = magnitude > layout::infinity;
  return parts;
}

template <storage_type T>
requires(!floating_storage<T>) MULTIFOLD_HD constexpr unpacked unpack(T x) {
  unpacked parts{};
  if constexpr (std::is_same_v<T, bool8>) {
    parts.significand = x.bits != 0 ? 1 : 0;
  } else {
    parts.negative = x < 0;
    parts.significand =
        parts.negative ? std::uint64_t{0} - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
  }
  return parts;
}

/// The greater one of each half of two words: exponent fields, or bits that ascend as magnitudes do.
MULTIFOLD_HD constexpr std::uint32_t greater_halves(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__)
  return __vmaxu2(a, b);
#else
  const std::uint32_t high = (a >> 16) > (b >> 16) ? a : b, low = (a & 0xffffu) > (b & 0xffffu) ? a : b;
  return (high & 0xffff0000u) | (low & 0xffffu);
#endif
}

}  // namespace multifold::inline v0_1::detail
