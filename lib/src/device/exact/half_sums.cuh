// Exact sums of f16 of the runs of a tile: one double a lane, without a look at exponents.
#pragma once

#include <cstdint>

#include "device/exact/group_exchange.cuh"
#include "multifold/ops/half_sum.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// Sums of f16 that lanes of a group exchange, where one double does not hold that of all.
struct half_total {
  half_sum::accumulator sum;
};
__device__ inline void merge_with(half_total& all, int mask) {
  all.sum = half_sum{}.combine(all.sum, shuffle_xor(all.sum, mask));
}

/// Sums of f16, whose lanes hold a double: it is exact for all of a run of up to 2^12 elements.
template <>
struct run_sweeps<half_sum> {
  static constexpr bool any = true, hands_on = true;
  static constexpr int most_columns = most_tile_columns(sizeof(f16));
  using accumulator = half_sum::accumulator;

  template <class Run>
  __device__ static double sum_of(const Run& run) {
    double sum[2] = {-0.0, -0.0};
    run.each([&](const auto& x, const auto&, const auto& here, const auto&) {
#pragma unroll
      for (int k = 0; k < static_cast<int>(std::size(x)); ++k) sum[k % 2] += here[k] ? to_double(x[k]) : -0.0;
    });
    return sum[0] + sum[1];
  }

  template <class Run, class Deliver>
  __device__ static void whole(const half_sum& op, const Run& run, const Deliver& deliver) {
    double sum = sum_of(run);
    if (run.place.most_rows <= half_sum::lane_capacity) {
      merge_group(run.group, sum);
      return deliver(sum);
    }
    half_total all{op.widen(sum)};
    merge_group(run.group, all);
    deliver(all.sum);
  }
  /// Whole runs of a lane are short enough for its double.
  template <class Run, class Columns>
  __device__ static void whole_columns(const half_sum&, const Run& run, const Columns& columns) {
    static_assert(most_run_share <= half_sum::lane_capacity);
    whole_sums<most_columns, double> sum;
#pragma unroll
    for (double& each : sum.of) each = -0.0;
    run.each_of_columns(columns.offsets(run.place.span), [&](const auto& x, const auto&) {
#pragma unroll
      for (const auto& row : x) {
#pragma unroll
        for (int j = 0; j < most_columns; ++j) sum.of[j] += to_double(row[j]);
      }
    });
    columns(sum);
  }
  template <class Run>
  __device__ static void add_open(const half_sum& op, accumulator& into, const Run& run) {
    into = op.combine(into, op.widen(sum_of(run)));
  }
  __device__ static accumulator merge_row(group_slots& slots, int group, const accumulator& sum) {
    half_total all{sum};
    merge_group(slots, group, all);
    return all.sum;
  }
  __device__ static accumulator accumulator_of(double sum) { return half_sum{}.widen(sum); }
  __device__ static const accumulator& accumulator_of(const accumulator& sum) { return sum; }
};

}  // namespace multifold::inline v0_1::cuda::kernels
