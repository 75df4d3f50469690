// Bits and magnitudes of integers of 64 and 128 bits, in host and device code.
#pragma once

#include <bit>
#include <cstdint>

#include "multifold/dtype.hpp"
#include "multifold/types/float16.hpp"

namespace multifold::inline v0_1::detail {

MULTIFOLD_HD constexpr int leading_zeros(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
  return __clzll(static_cast<long long>(x));
#else
  return std::countl_zero(x);
#endif
}

MULTIFOLD_HD constexpr int bit_width(uint128_t x) {
  const auto high = static_cast<std::uint64_t>(x >> 64);
  return high != 0 ? 128 - leading_zeros(high) : 64 - leading_zeros(static_cast<std::uint64_t>(x));
}

// The magnitude cut to `bits` bits; what falls off is kept as a sticky lowest bit, and counted in `exponent`.
MULTIFOLD_HD constexpr std::uint64_t cut_to(uint128_t magnitude, int bits, int& exponent) {
  const int excess = bit_width(magnitude) - bits;
  if (excess <= 0) return static_cast<std::uint64_t>(magnitude);
  const bool sticky = (magnitude & ((uint128_t{1} << excess) - 1)) != 0;
  exponent += excess;
  return static_cast<std::uint64_t>(magnitude >> excess) | (sticky ? 1u : 0u);
}

// 2^e for e in double's normal range.
MULTIFOLD_HD constexpr double power_of_two(int e) {
  return bit_copy<double>(static_cast<std::uint64_t>(e + 1023) << 52);
}

MULTIFOLD_HD constexpr uint128_t magnitude_of(int128_t x) {
  return x < 0 ? ~static_cast<uint128_t>(x) + 1 : static_cast<uint128_t>(x);
}

}  // namespace multifold::inline v0_1::detail
