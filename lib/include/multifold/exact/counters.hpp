// What an exact sum knows of its inputs beside their sum: how many, and whether there were specials.
// What they mean: docs/exact-sums.md, 1.
#pragma once

#include <cstdint>

#include "multifold/dtype.hpp"

namespace multifold::inline v0_1 {

/// The number of inputs, and marks: a mark above zero says that there was at least one such input, and no more than
/// that, so inputs need not be counted while they are gathered. NaN and infinities take no part in the limbs.
struct exact_counters {
  std::int64_t n = 0;
  std::int64_t nan = 0;
  std::int64_t positive_infinity = 0;
  std::int64_t negative_infinity = 0;
  std::int64_t not_negative_zero = 0;  // inputs other than -0: a sum of nothing but -0 is -0

  /// For counts whose sum of `n` fits: the marks are never more than n.
  MULTIFOLD_HD constexpr void merge(const exact_counters& other) {
    n += other.n;
    nan += other.nan;
    positive_infinity += other.positive_infinity;
    negative_infinity += other.negative_infinity;
    not_negative_zero += other.not_negative_zero;
  }

  /// Marks of 0 or 1: the only form of what they say.
  MULTIFOLD_HD constexpr exact_counters normalised() const {
    return {n, nan != 0, positive_infinity != 0, negative_infinity != 0, not_negative_zero != 0};
  }

  MULTIFOLD_HD constexpr bool all_finite() const { return (nan | positive_infinity | negative_infinity) == 0; }

  MULTIFOLD_HD friend constexpr bool operator==(const exact_counters& a, const exact_counters& b) {
    const exact_counters x = a.normalised(), y = b.normalised();
    return x.n == y.n && x.nan == y.nan && x.positive_infinity == y.positive_infinity &&
           x.negative_infinity == y.negative_infinity && x.not_negative_zero == y.not_negative_zero;
  }
};

}  // namespace multifold::inline v0_1
