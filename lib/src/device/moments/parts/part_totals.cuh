// What the parts of a long row come to, as it is rounded. See docs/exact-sums.md, 14 and 17.
#pragma once

#include <cstdint>

#include "device/moments/near_totals.cuh"
#include "device/moments/parts/part_lane.cuh"
#include "multifold/exact/near/near_windows.hpp"

namespace multifold::inline v0_1::cuda::moments {

/// A row as it is rounded, of elements that are taken times a power of two if that is not near 1. False if it is not
/// finite.
template <floating_storage T, moment_set Set, bool Signed = false>
__device__ bool totals_of(moment_part<Set> of, std::int64_t n, const kernels::part_terms& terms, near_totals& totals) {
  using part_type = moment_part<Set>;
  using lane_type = kernels::part_lane<T, Set, Signed>;
  constexpr bool two = lane_type::two, wide = lane_type::wide;
  constexpr bool sums = lane_type::sums, joint = lane_type::joint, multiplies = lane_type::multiplies;
  constexpr int y_at = joint ? 1 : 0, products_at = part_type::sums - 1, last = part_type::arrays - 1;
  using pattern = typename lane_type::pattern;
  bool well = true;
  double error[part_type::sums];
  // What was scaled may have lost some.
  const auto unit_of = [&](int e) {
    return (!wide || of.down == 0) && e > -500 ? multifold::detail::power_of_two(min(e, 400)) : 0.0;
  };
  const double x_unit = unit_of(of.unit[0]), y_unit = unit_of(of.unit[last]);
  for (int k = 0; k < part_type::sums; ++k) {
    const double value = of.sum[k].high + of.sum[k].low;
    well = well && value - value == 0;
    error[k] = of.error[k] * (1 + 0x1p-40);
    const double unit = multiplies && k == products_at ? x_unit * y_unit : k == y_at ? y_unit : x_unit;
    const bool grouped = lane_type::halves && !(two && k == products_at);
    const multifold::detail::started_depth depth{grouped ? terms.grouped.depth : terms.started.depth};
    if ((of.rough >> k & 1u) == 0) error[k] = depth.error_of_units(error[k], unit);
    if (wide && multiplies && k == products_at && error[k] != 0) error[k] += static_cast<double>(n) * 0x1p-1070;
  }
  if constexpr (wide) {
    // Roundings multiply these: exponents suffice where none is far from 0.
    const auto up_of = [&](std::uint32_t greatest) {
      return greatest == 0 ? 0 : multifold::detail::near_exponent(pattern::top(greatest));
    };
    const int x_up = up_of(of.greatest[0]), y_up = up_of(of.greatest[last]);
    totals.up = multiplies ? x_up + y_up : x_up;
    if (Set == moment_set::products && totals.up != 0) totals.up = pattern::top(of.greatest[0], of.greatest[last]);
    for (int k = 0; k < part_type::sums; ++k) {
      const int to = multiplies && k == products_at ? 2 * of.down - totals.up : of.down - (k == y_at ? y_up : x_up);
      multifold::detail::compensated_sum off{error[k], 0.0};
      of.sum[k].scale(to);
      off.scale(to);
      if (error[k] != 0) error[k] = off.high + 0x1p-900;  // what underflows is an error, too
    }
  }
  const auto near = [&](int k, double off) { return near_of_parts(of.sum[k].high, of.sum[k].low, off); };
  if constexpr (lane_type::describes) {
    totals.x = near(0, error[0]);
    totals.products = near(1, error[1]);
    totals.marks = of.marks;
    totals.minus_x =
        of.marks.greatest == run_marks<T>::carrier_key_of(bit_copy<T>(multifold::detail::float_layout<T>::sign));
  } else if constexpr (sums && multiplies) {
    // What the numerator is off by, all of it as if products were.
    totals.x = near(0, 0.0);
    if constexpr (joint) totals.y = near(y_at, 0.0);
    const double count = static_cast<double>(n), x = totals.x.high, y = joint ? totals.y.high : x;
    const double off = fma(count, error[products_at], fabs(x) * error[y_at] + (fabs(y) + error[y_at]) * error[0]);
    totals.products = near(products_at, off == 0 ? 0.0 : off / count * (1 + 0x1p-40));
  } else if constexpr (sums) {
    totals.x = near(0, error[0]);
    if constexpr (Signed) totals.minus_x = of.negative_zeros != 0 && totals.x.high == 0;
  } else {
    totals.products = near(0, error[0]);
    totals.minus_products = two && of.negative_zeros != 0 && totals.products.high == 0;
  }
  return well;
}

}  // namespace multifold::inline v0_1::cuda::moments
