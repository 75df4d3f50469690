// What an exact sum knows of its inputs beside their sum: how many, and which were special.
#pragma once

#include <cstdint>

#include "multifold/dtype.hpp"

namespace multifold {

/// Counts of inputs. NaN and infinities take no part in the digits; they are counted in `n` and `not_negative_zero`.
struct exact_counters {
  std::int64_t n = 0;
  std::int64_t nan = 0;
  std::int64_t positive_infinity = 0;
  std::int64_t negative_infinity = 0;
  std::int64_t not_negative_zero = 0;  // inputs other than -0: a sum of nothing but -0 is -0

  /// For counts whose sum of `n` fits: the others are never more than n.
  MULTIFOLD_HD constexpr void merge(const exact_counters& other) {
    n += other.n;
    nan += other.nan;
    positive_infinity += other.positive_infinity;
    negative_infinity += other.negative_infinity;
    not_negative_zero += other.not_negative_zero;
  }

  MULTIFOLD_HD constexpr std::int64_t finite() const { return n - nan - positive_infinity - negative_infinity; }

  MULTIFOLD_HD friend constexpr bool operator==(const exact_counters& a, const exact_counters& b) {
    return a.n == b.n && a.nan == b.nan && a.positive_infinity == b.positive_infinity &&
           a.negative_infinity == b.negative_infinity && a.not_negative_zero == b.not_negative_zero;
  }
};

}  // namespace multifold
