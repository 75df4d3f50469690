// Sums as expansions: a few binary64 numbers whose sum is exact, or that say that it is not. A pair (exact/pair.hpp) is
// the shortest of them; products need longer ones, because each has 48 or 106 bits of its own.
// Source: Priest 1991; Shewchuk, Discrete & Computational Geometry 18 (1997), grow-expansion.
#pragma once

#include "multifold/exact/near.hpp"
#include "multifold/exact/pair.hpp"
#include "multifold/exact/rolled.hpp"

namespace multifold {

template <int Parts>
struct expansion {
  double part[Parts] = {-0.0};  // so that a sum of nothing but -0 is -0; the last one is NaN if the sum is lost

  MULTIFOLD_HD constexpr bool lost() const { return part[Parts - 1] != part[Parts - 1]; }
  MULTIFOLD_HD constexpr void lose() { part[Parts - 1] = bit_copy<double>(std::uint64_t{0x7ff8000000000000}); }

  /// Adds a finite number. What is already in it from part `First` on is of its size or smaller.
  template <int First = 0>
  MULTIFOLD_HD constexpr void add(double x) {
    MULTIFOLD_UNROLLED
    for (int i = First; i + 1 < Parts; ++i) {
      const detail::two_sum s = detail::add_exactly(part[i], x);
      part[i] = s.sum;
      x = s.error;
    }
    part[Parts - 1] = detail::add_or_lose(part[Parts - 1], x);
  }
  MULTIFOLD_HD constexpr void add(const expansion& other) {
    const bool either = lost() || other.lost();
    add_parts<0>(other);  // each to its like: a zero behind the first part has no sign
    if (either) lose();
  }
  MULTIFOLD_HD constexpr bool only_negative_zeros() const {
    bool all = bit_copy<std::uint64_t>(part[0]) == std::uint64_t{1} << 63;
    MULTIFOLD_UNROLLED
    for (int i = 1; i < Parts; ++i) all = all && part[i] == 0;
    return all;
  }

 private:
  template <int First>
  MULTIFOLD_HD constexpr void add_parts(const expansion& other) {
    add<First>(other.part[First]);
    if constexpr (First + 1 < Parts) add_parts<First + 1>(other);
  }
};

namespace detail {

/// An expansion that is not lost.
template <int Parts>
MULTIFOLD_HD near_value near_of(const expansion<Parts>& sum) {
  double part[Parts];
  MULTIFOLD_UNROLLED
  for (int i = 0; i < Parts; ++i) part[i] = sum.part[i];
  MULTIFOLD_UNROLLED
  for (int turn = 0; turn < 2; ++turn) {
    MULTIFOLD_UNROLLED
    for (int i = Parts - 2; i >= 0; --i) {
      const two_sum s = add_exactly(part[i], part[i + 1]);
      part[i] = s.sum;
      part[i + 1] = s.error;
    }
  }
  near_value v{part[0], part[1], 0};
  MULTIFOLD_UNROLLED
  for (int i = 2; i < Parts; ++i) v.error += std::fabs(part[i]);
  v.error *= 1.0 + 0x1p-50;
  return v;
}

}  // namespace detail
}  // namespace multifold
