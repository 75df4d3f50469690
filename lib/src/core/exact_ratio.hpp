// The quotient of two exact sums as its leading bits. See docs/exact-sums.md, 4.
#pragma once

#include <cstdint>

#include "multifold/exact/accumulator.hpp"
#include "multifold/exact/natural.hpp"
#include "multifold/exact/value.hpp"

namespace multifold::inline v0_1::detail {

/// a * 2^a_unit / (b * 2^b_unit) for b other than 0: long division, a bit at a time, that ends when 128 bits of the
/// quotient stand. Nothing is +0. Zero words below the divisor take no part: ordinary numbers divide by few words.
template <int A, int B>
exact_value exact_ratio(const signed_natural<A>& a, int a_unit, const signed_natural<B>& b, int b_unit) {
  exact_value v;
  int position = a.bits();
  if (position == 0) return v;
  v.negative = a.negative != b.negative;
  int first = 0;
  while (b.word[first] == 0) ++first;
  const int words = (b.bits() + 31) / 32 - first;
  const std::uint32_t* const divisor = b.word + first;
  std::uint32_t rest[B + 1] = {};  // less than the divisor, and twice that while a bit comes in
  const auto reaches_divisor = [&] {
    if (rest[words] != 0) return true;
    for (int i = words; i-- > 0;) {
      if (rest[i] != divisor[i]) return rest[i] > divisor[i];
    }
    return true;
  };
  while ((v.significand >> 127) == 0) {
    --position;
    std::uint32_t carry = a.bits_from(position) & 1u;
    for (int i = 0; i <= words; ++i) {
      const std::uint32_t up = rest[i] >> 31;
      rest[i] = rest[i] << 1 | carry;
      carry = up;
    }
    v.significand <<= 1;
    if (!reaches_divisor()) continue;
    v.significand |= 1u;
    std::int64_t borrow = 0;
    for (int i = 0; i <= words; ++i) {
      borrow += std::int64_t{rest[i]} - (i < words ? std::int64_t{divisor[i]} : 0);
      rest[i] = static_cast<std::uint32_t>(borrow & 0xffffffff);
      borrow >>= 32;
    }
  }
  bool more = a.any_below(position);
  for (int i = 0; i <= words; ++i) more = more || rest[i] != 0;
  v.sticky = more;
  v.exponent = position + a_unit - b_unit - 32 * first;
  return v;
}

}  // namespace multifold::inline v0_1::detail
