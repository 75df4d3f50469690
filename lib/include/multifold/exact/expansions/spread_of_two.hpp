// Variances and deviations of two numbers, from their difference: the middle between two results, in which one of four
// deviations of doubles lies, is nothing to look out for there. Proofs: docs/exact-sums.md, 17.
#pragma once

#include <cmath>
#include <cstdint>

#include "multifold/exact/near/near.hpp"
#include "multifold/exact/near/rough.hpp"

namespace multifold::inline v0_1::detail {

/// d^2 / (2 (2 - correction)), or its root, of the difference d of two numbers, rounded once, where that is certain: of
/// finite numbers and a correction of 0 or 1 it nearly always is. Returns whether `out` is written.
template <floating_storage T>
MULTIFOLD_HD bool round_spread_of_two(const two_sum& difference, std::int64_t correction, bool has_root, T& out) {
  if (correction != 0 && correction != 1) return false;
  const bool negative = difference.sum < 0;
  const double size = negative ? -difference.sum : difference.sum;  // and `rest` are its magnitude
  const double rest = negative ? -difference.error : difference.error;
  if (size - size != 0 || rest != rest) return false;  // not finite, or overflowed
  if (size == 0) {
    out = nearest<T>(0.0);
    return true;
  }
  if (has_root && correction == 0) {
    if constexpr (sizeof(T) == 8) out = 0.5 * size;
    else out = nearest<T>(0.5 * odd_of(size, rest));
    return true;
  }
  if (has_root) {
    constexpr double root = 0x1.6a09e667f3bcdp-1, root_low = -0x1.bdd3413b26456p-55;  // of 1/2
    const double p = plain_product(size, root);
    if constexpr (sizeof(T) < 8) return round_if_sure(p, out);
    const double low = plain_sum(fused(size, root, -p), fused(size, root_low, plain_product(rest, root)));
    const two_sum tight = add_exactly(p, low);
    return round_if_certain(near_value{tight.sum, tight.error, 0x1p-98 * p}, out);
  }
  const double p = plain_product(size, size), share = correction == 0 ? 0.25 : 0.5;
  if (!(p > 0x1p-900 && p < 0x1p1000)) return false;
  const double error = fused(size, size, -p);
  if (rest == 0) {
    if constexpr (sizeof(T) == 8) out = p * share;  // as p is the rounded square
    else out = nearest<T>(odd_of(p * share, error * share));
    return true;
  }
  const two_sum tight = add_exactly(p, fused(2 * size, rest, error));
  return round_if_certain(near_value{tight.sum * share, tight.error * share, 0x1p-98 * p}, out);
}

template <floating_storage T>
MULTIFOLD_HD bool round_spread_of_two(double x, double y, std::int64_t correction, bool has_root, T& out) {
  return round_spread_of_two(add_exactly(x, -y), correction, has_root, out);
}

}  // namespace multifold::inline v0_1::detail
