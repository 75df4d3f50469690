// A set of moments as 64-bit words that merge by adding them, in any order: how partial results meet in memory.
#pragma once

#include "multifold/exact/lane_limbs.hpp"
#include "multifold/ops/moments/moments.hpp"

namespace multifold::inline v0_1 {

/// For a carrier T: the limbs of every sum, each with the counts of its specials, and what a description counts. The
/// extremes of a description are no sums, and lie elsewhere.
template <storage_type T, moment_set Set>
struct moment_words {
  // Behind the limbs of a sum.
  enum mark { nan, positive_infinity, negative_infinity, not_negative_zero, marks };

  static constexpr int sum_limbs = exact_traits<T>::limb_count;
  static constexpr int product_limbs = exact_product_traits<T>::limb_count;

  static constexpr int x = 0;
  static constexpr int y = x + (sums_elements(Set) ? sum_limbs + marks : 0);
  static constexpr int products = y + (Set == moment_set::joint ? sum_limbs + marks : 0);
  static constexpr int omitted = products + (sums_products(Set) ? product_limbs + marks : 0);
  static constexpr int nans = omitted + 1, positive_infinities = nans + 1, negative_infinities = nans + 2,
                       zeros = nans + 3;
  static constexpr int count = Set == moment_set::description ? zeros + 1 : omitted + 1;

  /// Limbs of all sums, without marks, and the spare ones.
  static constexpr int lane_limbs = detail::spare_lane_limbs + (sums_elements(Set) ? sum_limbs : 0) +
                                    (Set == moment_set::joint ? sum_limbs : 0) +
                                    (sums_products(Set) ? product_limbs : 0);
  /// Limbs of n products - x y, where that is wanted.
  static constexpr bool deviates =
      Set == moment_set::spread || Set == moment_set::joint || Set == moment_set::description;
  static constexpr int numerator_limbs =
      deviates ? (2 * sum_limbs > product_limbs + 2 ? 2 * sum_limbs : product_limbs + 2) + 1 : 1;
  /// Shared memory that holds limbs for every lane of a warp, the words of a batch, its numerator and the extremes.
  static constexpr int warp_bytes = 32 * 8 * lane_limbs + 8 * (count + numerator_limbs) +
                                    (Set == moment_set::description ? 34 : 2) * int{sizeof(description_marks<T>)};
};

}  // namespace multifold::inline v0_1
