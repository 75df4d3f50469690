// Sums in windows as pairs that round like them. Proof: docs/exact-sums.md, 14.
#pragma once

#include "multifold/exact/expansions/pair.hpp"
#include "multifold/exact/rolled.hpp"

namespace multifold::inline v0_1::detail {

/// The sum of `Count` numbers, each of which is not much greater than the one before it, as the pair of what `high` holds
/// of it and of the rest, rounded to odd: a number whose leading part is `high` is rounded as the sum would be. False
/// where they cancel so far that this is not certain. The numbers are used up.
template <int Count>
MULTIFOLD_HD constexpr bool odd_pair(double (&part)[Count], exact_pair& pair) {
  constexpr int sweeps = Count - 1 < 3 ? Count - 1 : 3;
  MULTIFOLD_UNROLLED
  for (int first = 0; first < sweeps; ++first) {
    MULTIFOLD_UNROLLED
    for (int i = Count - 2; i >= first; --i) {
      const two_sum s = add_exactly(part[i], part[i + 1]);
      part[i] = s.sum;
      part[i + 1] = s.error;
    }
  }
  // What stands behind the third one must not change its sign.
  double rest = 0, beyond = 0;
  if constexpr (Count > 2) rest = part[2];
  MULTIFOLD_UNROLLED
  for (int i = 3; i < Count; ++i) beyond = plain_sum(beyond, part[i] < 0 ? -part[i] : part[i]);
  const double magnitude = rest < 0 ? -rest : rest;
  pair = {part[0], Count > 2 ? odd_of(part[1], rest) : part[1]};
  return plain_sum(part[0], part[1]) == part[0] && plain_sum(part[1], rest) == part[1] && 2 * beyond <= magnitude &&
         (rest == 0 || part[1] != 0);
}

}  // namespace multifold::inline v0_1::detail
