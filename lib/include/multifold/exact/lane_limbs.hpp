// Exact sums of the lanes of a warp, side by side: limbs of base 2^32 with lazy carries, as limbs.hpp has them, that
// stand some words apart, so that lanes which touch different limbs still use different banks of shared memory. What
// is not touched costs nothing. See docs/exact-sums.md, 13.
#pragma once

#include <algorithm>
#include <cstdint>

#include "multifold/dtype.hpp"
#include "multifold/exact/rolled.hpp"

namespace multifold::inline v0_1::detail {

/// Limbs behind those of all sums of a lane, which stay zeros: no word of a number reaches beyond the limbs of its
/// own sum (format.hpp leaves 63 bits above the greatest number).
inline constexpr int spare_lane_limbs = 3;

/// Limbs first[0], first[Stride], ... of a sum, all of which are zero at first.
template <int Count, int Stride>
struct lane_limbs {
  std::int64_t* first;
  int low = Count, high = -1;  // the limbs that may be anything else

  /// Adds +-significand * 2^position. 2^31 of them fit. A number is shifted with its sign, in two's complement, so that
  /// only the uppermost of its words is less than zero; Count has room for all of them.
  MULTIFOLD_HD void add(std::uint32_t significand, int position, bool negative) {
    const std::int64_t number = negative ? -std::int64_t{significand} : std::int64_t{significand};
    const std::uint64_t shifted = static_cast<std::uint64_t>(number) << (position & 31);
    const std::uint32_t words[] = {word(shifted)};
    add_words(words, static_cast<std::int64_t>(shifted) >> 32, position >> 5, significand != 0);
  }
  /// The same for what may have more bits: up to 63 of them.
  MULTIFOLD_HD void add(std::uint64_t significand, int position, bool negative) {
    const std::uint64_t number = negative ? 0 - significand : significand;
    const std::int64_t high_word = static_cast<std::int64_t>(number) >> 32;
    const int shift = position & 31;
    const std::uint64_t below = number << shift;
    const std::uint32_t words[] = {word(below), word(below >> 32)};
    add_words(words, shifted_word(high_word, shift), position >> 5, significand != 0);
  }
  /// Up to 127 bits.
  MULTIFOLD_HD void add(uint128_t significand, int position, bool negative) {
    const uint128_t number = negative ? 0 - significand : significand;
    const auto low_bits = static_cast<std::uint64_t>(number), high_bits = static_cast<std::uint64_t>(number >> 64);
    const std::int64_t high_word = static_cast<std::int64_t>(high_bits) >> 32;
    const int shift = position & 31;
    const std::uint64_t below = low_bits << shift;
    const std::uint64_t middle = high_bits << shift | (low_bits >> 1) >> (63 - shift);
    const std::uint32_t words[] = {word(below), word(below >> 32), word(middle), word(middle >> 32)};
    add_words(words, shifted_word(high_word, shift), position >> 5, significand != 0);
  }
  /// Limbs from..to may be anything from now on.
  MULTIFOLD_HD void touch(int from, int to) {
    low = std::min(low, from);
    high = std::max(high, to);
  }

 private:
  MULTIFOLD_HD static std::uint32_t word(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
  // What a shift by up to 31 bits takes out of a signed 32-bit word.
  MULTIFOLD_HD static std::int64_t shifted_word(std::int64_t signed_word, int shift) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(signed_word) << shift) >> 32;
  }
  // Zeros are added, too, which takes less than to leave them out; but they touch nothing.
  template <int Words>
  MULTIFOLD_HD void add_words(const std::uint32_t (&words)[Words], std::int64_t top, int index, bool any) {
    if (any) touch(index, index + Words);
    std::int64_t* const at = first + index * Stride;
    // All loads come before the stores, so that they wait for the memory together.
    std::int64_t sum[Words + 1];
    MULTIFOLD_UNROLLED
    for (int k = 0; k <= Words; ++k) sum[k] = at[k * Stride];
    MULTIFOLD_UNROLLED
    for (int k = 0; k < Words; ++k) at[k * Stride] = sum[k] + static_cast<std::int64_t>(words[k]);
    at[Words * Stride] = sum[Words] + top;
  }
};

/// Limbs of any size as leading() and leading_quotient() take them: carried, and without their sign, in place. Those
/// below `low` are zeros.
template <int Stride>
struct natural_of_limbs {
  std::int64_t* limb;
  int low, count;
  bool negative;

  MULTIFOLD_HD natural_of_limbs(std::int64_t* first, int in_use, int lowest = 0)
      : limb(first), low(lowest), count(in_use) {
    carry(1);
    negative = count > low && at(count - 1) < 0;
    if (negative) carry(-1);
  }
  MULTIFOLD_HD int bits() const {
    int i = count - 1;
    while (i >= low && at(i) == 0) --i;
    return i < low ? 0 : 32 * i + 64 - leading_zeros(static_cast<std::uint64_t>(at(i)));
  }
  MULTIFOLD_HD std::uint32_t bits_from(int position) const {
    if (position <= -32) return 0;
    const int index = position >> 5;
    const std::uint64_t high = word(index + 1), low_bits = word(index);
    return static_cast<std::uint32_t>((high << 32 | low_bits) >> (position & 31));
  }
  MULTIFOLD_HD bool any_below(int position) const {
    for (int i = low; i < count && 32 * i < position; ++i) {
      const int wanted = position - 32 * i;
      const std::uint32_t bits = word(i);
      if ((wanted >= 32 ? bits : bits << (32 - wanted)) != 0) return true;
    }
    return false;
  }

 private:
  MULTIFOLD_HD std::int64_t& at(int i) const { return limb[i * Stride]; }
  MULTIFOLD_HD std::uint32_t word(int i) const { return i < low || i >= count ? 0 : static_cast<std::uint32_t>(at(i)); }
  MULTIFOLD_HD static int leading_zeros(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
    return __clzll(static_cast<long long>(x));
#else
    return x == 0 ? 64 : __builtin_clzll(x);
#endif
  }
  // Some limbs at a time are in registers: a load that follows a store waits for it, and for the shared memory.
  MULTIFOLD_HD void carry(std::int64_t sign) const {
    constexpr int together = 4;
    std::int64_t carried = 0;
    MULTIFOLD_ROLLED
    for (int first = low; first < count; first += together) {
      std::int64_t some[together];
      MULTIFOLD_UNROLLED
      for (int k = 0; k < together; ++k) some[k] = first + k < count ? sign * at(first + k) : 0;
      MULTIFOLD_UNROLLED
      for (int k = 0; k < together; ++k) {
        const std::int64_t sum = some[k] + carried;
        if (first + k < count) at(first + k) = first + k + 1 < count ? sum & 0xffffffff : sum;
        carried = sum >> 32;
      }
    }
  }
};

}  // namespace multifold::inline v0_1::detail
