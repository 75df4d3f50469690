// Natural numbers of fixed capacity for the last steps of exact reductions: signed sums of products, a quotient's
// leading bits. Not a general big-integer library. See docs/exact-sums.md, 4.
#pragma once

#include <cstdint>

#include "multifold/dtype.hpp"
#include "multifold/exact/limbs.hpp"
#include "multifold/exact/rolled.hpp"
#include "multifold/exact/value.hpp"
#include "multifold/types/wide_bits.hpp"

namespace multifold::inline v0_1::detail {

/// The sum of word[i] * 2^(32 i), with a sign.
template <int Words>
struct signed_natural {
  bool negative = false;
  std::uint32_t word[Words] = {};

  MULTIFOLD_HD constexpr int bits() const {
    int i = Words - 1;
    while (i >= 0 && word[i] == 0) --i;
    return i < 0 ? 0 : 32 * i + 64 - leading_zeros(word[i]);
  }

  /// Bits [position, position + 32); those below bit 0 are zeros.
  MULTIFOLD_HD constexpr std::uint32_t bits_from(int position) const {
    if (position <= -32) return 0;
    const int index = position >> 5;
    const std::uint64_t low = index >= 0 && index < Words ? word[index] : 0;
    const std::uint64_t high = index + 1 < Words ? word[index + 1] : 0;
    return static_cast<std::uint32_t>(((high << 32) | low) >> (position & 31));
  }

  MULTIFOLD_HD constexpr bool any_below(int position) const {
    MULTIFOLD_ROLLED
    for (int i = 0; i < Words && 32 * i < position; ++i) {
      const int wanted = position - 32 * i;
      const std::uint32_t cut = wanted >= 32 ? word[i] : word[i] << (32 - wanted);
      if (cut != 0) return true;
    }
    return false;
  }
};

template <int N>
MULTIFOLD_HD constexpr signed_natural<N> signed_of(const limbs<N>& normalised) {
  signed_natural<N> result;
  result.negative = normalised.limb[N - 1] < 0;
  const std::uint32_t flip = result.negative ? 0xffffffffu : 0u;
  std::uint64_t carry = result.negative ? 1 : 0;
  MULTIFOLD_ROLLED
  for (int i = 0; i < N; ++i) {
    carry += static_cast<std::uint32_t>(normalised.limb[i]) ^ flip;
    result.word[i] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  return result;
}

/// For products of at most 32 Words bits.
template <int Words, int A, int B>
MULTIFOLD_HD constexpr signed_natural<Words> product(const signed_natural<A>& a, const signed_natural<B>& b) {
  signed_natural<Words> result;
  result.negative = a.negative != b.negative;
  MULTIFOLD_ROLLED
  for (int i = 0; i < A; ++i) {
    std::uint64_t carry = 0;
    MULTIFOLD_ROLLED
    for (int j = 0; i + j < Words; ++j) {
      if (j >= B && carry == 0) break;
      const std::uint64_t factor = j < B ? b.word[j] : 0;
      carry += a.word[i] * factor + result.word[i + j];
      result.word[i + j] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  return result;
}

template <int Words>
MULTIFOLD_HD constexpr signed_natural<Words> shifted_up(const signed_natural<Words>& a, int bits) {
  signed_natural<Words> result;
  result.negative = a.negative;
  MULTIFOLD_ROLLED
  for (int i = 0; i < Words; ++i) result.word[i] = a.bits_from(32 * i - bits);
  return result;
}

// |a| + |b|, or |a| - |b| for |a| >= |b|.
template <int Words>
MULTIFOLD_HD constexpr signed_natural<Words> combined(const signed_natural<Words>& a, const signed_natural<Words>& b,
                                                      bool subtract) {
  signed_natural<Words> result;
  result.negative = a.negative;
  std::int64_t carry = 0;
  MULTIFOLD_ROLLED
  for (int i = 0; i < Words; ++i) {
    carry += static_cast<std::int64_t>(a.word[i]) + (subtract ? -std::int64_t{b.word[i]} : std::int64_t{b.word[i]});
    result.word[i] = static_cast<std::uint32_t>(carry & 0xffffffff);
    carry >>= 32;
  }
  return result;
}

template <int Words>
MULTIFOLD_HD constexpr signed_natural<Words> difference(const signed_natural<Words>& a, signed_natural<Words> b) {
  b.negative = !b.negative;
  if (a.negative == b.negative) return combined(a, b, false);
  int i = Words - 1;
  while (i > 0 && a.word[i] == b.word[i]) --i;
  return a.word[i] >= b.word[i] ? combined(a, b, true) : combined(b, a, true);
}

/// a * 2^unit as its leading bits. `a` is a signed_natural, or something like it.
template <class Natural>
MULTIFOLD_HD constexpr exact_value leading(const Natural& a, int unit) {
  exact_value v;
  const int width = a.bits();
  if (width == 0) return v;
  const int low = width - 128;
  MULTIFOLD_ROLLED
  for (int i = 3; i >= 0; --i) v.significand = (v.significand << 32) | a.bits_from(low + 32 * i);
  v.negative = a.negative;
  v.exponent = low + unit;
  v.sticky = a.any_below(low);
  return v;
}

/// a / divisor * 2^unit as its leading bits, for 0 < divisor < 2^127: long division, a bit at a time, that ends when
/// 128 bits of the quotient stand.
template <class Natural>
MULTIFOLD_HD constexpr exact_value leading_quotient(const Natural& a, uint128_t divisor, int unit) {
  exact_value v;
  int position = a.bits();
  if (position == 0) return v;
  uint128_t rest = 0;
  std::uint32_t next = 0;  // bits of `a`, the uppermost one first
  MULTIFOLD_ROLLED
  for (int taken = 0; (v.significand >> 127) == 0; ++taken) {
    if (taken % 32 == 0) next = a.bits_from(position - 32);
    --position;
    rest = (rest << 1) | (next >> 31);
    next <<= 1;
    v.significand <<= 1;
    if (rest >= divisor) {
      rest -= divisor;
      v.significand |= 1u;
    }
  }
  v.negative = a.negative;
  v.exponent = position + unit;
  v.sticky = rest != 0 || a.any_below(position);
  return v;
}

}  // namespace multifold::inline v0_1::detail
