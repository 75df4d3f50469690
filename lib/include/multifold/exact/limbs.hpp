// A wide integer in int64 limbs of base 2^32 with lazy carries: everything merges by adding limbs. Plain memory, so
// that kernels may keep it in shared or global memory; the caller keeps account of the headroom.
// Bounds: docs/exact-sums.md, 2.
#pragma once

#include <cstdint>

#include "multifold/dtype.hpp"
#include "multifold/exact/rolled.hpp"

namespace multifold::inline v0_1 {

/// The sum of limb[i] * 2^(32 i). `limbs<N>{}` is zero.
///
/// Its *weight* bounds the limbs: |limb[i]| <= weight * 2^32. A normalised number has weight 1, adding a number adds
/// 1, merging adds the weights, and the limbs cannot overflow while the weight is at most `weight_limit`.
template <int N>
struct limbs {
  static constexpr int count = N;
  static constexpr std::int64_t weight_limit = (std::int64_t{1} << 31) - 1;

  std::int64_t limb[N];

  /// Adds +-value * 2^(32 index), for value < 2^96 and index <= N - 3.
  MULTIFOLD_HD constexpr void add(uint128_t value, int index, bool negative) {
    const std::int64_t sign = -static_cast<std::int64_t>(negative);
    const auto low = static_cast<std::uint64_t>(value);
    const auto top = static_cast<std::int64_t>(value >> 64);
    limb[index] += (static_cast<std::int64_t>(low & 0xffffffffu) ^ sign) - sign;
    limb[index + 1] += (static_cast<std::int64_t>(low >> 32) ^ sign) - sign;
    limb[index + 2] += (top ^ sign) - sign;
  }

  /// Adds +-significand * 2^position, for position < 32 (N - 2).
  MULTIFOLD_HD constexpr void add_shifted(std::uint64_t significand, int position, bool negative) {
    add(static_cast<uint128_t>(significand) << (position & 31), position >> 5, negative);
  }

  /// Adds the weights, too.
  MULTIFOLD_HD constexpr void merge(const limbs& other) {
    MULTIFOLD_ROLLED
    for (int i = 0; i < N; ++i) limb[i] += other.limb[i];
  }

  /// Carries: limbs in [0, 2^32) below a signed top limb. The only form of this value.
  MULTIFOLD_HD constexpr void normalise() {
    std::int64_t carry = 0;
    MULTIFOLD_ROLLED
    for (int i = 0; i + 1 < N; ++i) {
      const std::int64_t sum = limb[i] + carry;
      limb[i] = sum & 0xffffffff;
      carry = sum >> 32;
    }
    limb[N - 1] += carry;
  }

  /// Whether a normalised number is one of 32 N bits in two's complement: weight 1, top limb included.
  MULTIFOLD_HD constexpr bool in_range() const {
    return limb[N - 1] == static_cast<std::int64_t>(static_cast<std::int32_t>(limb[N - 1]));
  }

  MULTIFOLD_HD friend constexpr bool operator==(const limbs& a, const limbs& b) {
    MULTIFOLD_ROLLED
    for (int i = 0; i < N; ++i) {
      if (a.limb[i] != b.limb[i]) return false;
    }
    return true;
  }
};

}  // namespace multifold::inline v0_1
