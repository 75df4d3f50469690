// Rounding of near values to narrow formats in a few operations, as far as a double says what they are.
#pragma once

#include <cmath>

#include "multifold/exact/near/near.hpp"

namespace multifold::inline v0_1::detail {

/// Rounds if everything within the error, which may be up to 2^-12 of the value, rounds to the same: `out` is then written.
/// Never certain of a zero, nor of a tie.
///
/// The sum of high and low, and those of it and of what it may be off by, are off by less than 2^-52 of it each, which is
/// less than what the error is widened by.
template <floating_storage T>
MULTIFOLD_HD bool round_if_near(const near_value& v, T& out) {
  static_assert(sizeof(T) < 8);
  const double sum = plain_sum(v.high, v.low), size = std::fabs(sum), off = v.error * (1 + 0x1p-40) + size * 0x1p-50;
  if (!(off < 0x1p-12 * size && size > 0x1p-900 && size < 0x1p1000)) return false;
  const T least = nearest<T>(sum - off), greatest = nearest<T>(sum + off);
  if (!same_bits(least, greatest)) return false;
  out = least;
  return true;
}
/// To a floating `type`, at `out`, which is aligned for it; never to double.
MULTIFOLD_HD inline bool round_if_near(const near_value& v, dtype type, void* out) {
  if (type == dtype::f32) return round_if_near(v, *static_cast<float*>(out));
  if (type == dtype::bf16) return round_if_near(v, *static_cast<bf16*>(out));
  return type == dtype::f16 && round_if_near(v, *static_cast<f16*>(out));
}

}  // namespace multifold::inline v0_1::detail
