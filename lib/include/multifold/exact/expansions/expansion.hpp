// Sums as expansions: a few doubles whose sum is exact, or that say that it is not. A pair (exact/expansions/pair.hpp) is
// the shortest of them; products need longer ones, because each has 48 or 106 bits of its own.
// Source: Priest 1991; Shewchuk, Discrete & Computational Geometry 18 (1997), grow-expansion.
// Proofs: docs/exact-sums.md, 6.
#pragma once

#include <cmath>

#include "multifold/exact/expansions/pair.hpp"
#include "multifold/exact/near/near.hpp"
#include "multifold/exact/rolled.hpp"

namespace multifold::inline v0_1 {

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
  /// The same, and done as soon as nothing is left to add: what sums of ordinary data take two parts for may have many.
  MULTIFOLD_HD constexpr void grow(double x) {
    MULTIFOLD_UNROLLED
    for (int i = 0; i + 1 < Parts; ++i) {
      const detail::two_sum s = detail::add_exactly(part[i], x);
      part[i] = s.sum;
      x = s.error;
      if (x == 0) return;
    }
    part[Parts - 1] = detail::add_or_lose(part[Parts - 1], x);
  }
  MULTIFOLD_HD constexpr void grow(const expansion& other) {
    const bool either = lost() || other.lost();
    grow(other.part[0]);
    MULTIFOLD_UNROLLED
    for (int i = 1; i < Parts; ++i) {
      if (other.part[i] != 0) grow(other.part[i]);
    }
    if (either) lose();
  }
  /// Whether more than two parts are in use, or it is lost.
  MULTIFOLD_HD constexpr bool wide() const {
    bool any = false;
    MULTIFOLD_UNROLLED
    for (int i = 2; i < Parts; ++i) any = any || part[i] != 0;
    return any;
  }

  /// Makes every part the rounded sum of itself and those behind it, but for what more sweeps would change.
  MULTIFOLD_HD constexpr bool settle() {
    bool changed = true;
    MULTIFOLD_ROLLED
    for (int turn = 0; changed && turn < 2 * Parts; ++turn) {
      changed = false;
      double sum = part[Parts - 1];
      MULTIFOLD_UNROLLED
      for (int i = Parts - 2; i >= 0; --i) {
        const detail::two_sum s = detail::add_exactly(part[i], sum);
        changed = changed || s.error != part[i + 1];
        part[i + 1] = s.error;
        sum = s.sum;
      }
      changed = changed || sum != part[0];
      part[0] = sum;
    }
    return !changed;
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

/// The rounded sum of a settled expansion, which is neither lost nor zero.
template <floating_storage T, int Parts>
MULTIFOLD_HD constexpr T nearest_of_settled(const expansion<Parts>& sum) {
  static_assert(Parts > 2);
  const double high = sum.part[0], low = sum.part[1], rest = sum.part[2];
  if constexpr (std::is_same_v<T, double>) {
    // `high` is the sum of both, rounded. In the middle between two numbers what follows decides.
    const double other = plain_sum(high, 2 * low);
    const bool middle = low != 0 && plain_difference(other, high) == 2 * low && (rest > 0) == (low > 0) && rest != 0;
    return middle ? other : high;
  } else {
    return nearest<T>(exact_pair{high, low});  // to odd: that there is a rest tells no more than that there is `low`
  }
}

}  // namespace detail

/// Adds the sum of `count` inputs that an expansion holds, which is not lost. Throws: as add_quanta.
template <exact_format Format, int Parts>
MULTIFOLD_HD void add_expansion(exact_accumulator<Format>& sum, const expansion<Parts>& from, std::int64_t count) {
  sum.add_counts({count, 0, 0, 0, count > 0 && !from.only_negative_zeros()});
  MULTIFOLD_ROLLED
  for (int i = 0; i < Parts; ++i) {
    const detail::whole_quanta q = detail::quanta_of(from.part[i]);
    sum.add_quanta(q.value, q.exponent);
  }
}

}  // namespace multifold::inline v0_1
