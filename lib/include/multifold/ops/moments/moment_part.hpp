// What is known of a part of a long row of floating-point numbers: its sums, rounded, and what these are off by.
#pragma once

#include <cstdint>

#include "multifold/exact/started_sum.hpp"
#include "multifold/ops/moments/moment_partial.hpp"
#include "multifold/ops/moments/moments.hpp"

namespace multifold::inline v0_1 {

/// Of a set of moments: x, y and products, those of them that it has, one behind the other.
template <moment_set Set>
struct moment_part : std::conditional_t<Set == moment_set::description, detail::described_marks, detail::nothing<0>> {
  static constexpr int sums =
      (sums_elements(Set) ? 1 : 0) + (Set == moment_set::joint ? 1 : 0) + (sums_products(Set) ? 1 : 0);
  static constexpr int arrays = reads_two_arrays(Set) ? 2 : 1;
  static constexpr std::int32_t least_down = -600;
  detail::compensated_sum sum[sums];
  double error[sums] = {};              // as of started_depth::error
  std::int32_t unit[arrays];            // exponents: all elements are multiples of that power of two
  std::uint32_t greatest[arrays] = {};  // as of magnitude_pattern
  std::uint32_t rough = 0;              // a bit for each sum of which not all plain sums are exact
  std::uint32_t negative_zeros = 1;     // 0 if a product, or an element of a sum, is not negative
  std::int32_t down = least_down;       // elements were taken times 2^-down: of doubles, -600, 0 or 600
  std::int32_t unused = 0;              // no padding behind it

  MULTIFOLD_HD constexpr moment_part() {
    for (std::int32_t& each : unit) each = detail::no_element_unit;
  }
  /// As of elements times a lesser power of two.
  MULTIFOLD_HD constexpr void lower(std::int32_t to) {
    if (to == down) return;
    for (int k = 0; k < sums; ++k) {
      const int by = (sums_products(Set) && k == sums - 1 ? 2 : 1) * (down - to);
      detail::compensated_sum off{error[k], 0.0};
      const bool any = error[k] != 0 || sum[k].high != 0 || sum[k].low != 0;
      sum[k].scale(by);
      off.scale(by);
      error[k] = off.high + (any ? 0x1p-1060 : 0.0);  // what underflows
    }
    down = to;
  }
  MULTIFOLD_HD constexpr void merge(moment_part other) {
    const std::int32_t common = other.down > down ? other.down : down;
    lower(common);
    other.lower(common);
    for (int k = 0; k < sums; ++k) {
      sum[k].merge(other.sum[k]);
      error[k] += other.error[k];
    }
    for (int k = 0; k < arrays; ++k) {
      if (other.unit[k] < unit[k]) unit[k] = other.unit[k];
      if (other.greatest[k] > greatest[k]) greatest[k] = other.greatest[k];
    }
    rough |= other.rough;
    if constexpr (Set == moment_set::description) this->marks.merge(other.marks);
    negative_zeros &= other.negative_zeros;
  }
};

}  // namespace multifold::inline v0_1
