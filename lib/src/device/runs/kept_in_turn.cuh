// Sums that the lanes of a warp keep in turn, in shared memory, so that those of many runs are rounded at once.
#pragma once

#include <cstdint>

#include "multifold/plan/policy.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// What the lanes of a block keep, in turn.
template <class Sum>
struct kept_sums_of_lanes {
  static constexpr std::int64_t none = -1;
  Sum sum[tile_threads];
  std::int64_t batch[tile_threads];

  __device__ void forget() { batch[threadIdx.x] = none; }
};

/// Keeps the sums of the runs of one step of a warp, which all lanes of a group have, in the group's next lane.
/// Returns whether all have kept one.
template <class Sum>
__device__ __forceinline__ bool keep_in_turn(kept_sums_of_lanes<Sum>& kept, int& steps, int lane, int group, bool there,
                                             const Sum& sum, std::int64_t batch) {
  if (lane == steps && there) {
    kept.sum[threadIdx.x] = sum;
    kept.batch[threadIdx.x] = batch;
  }
  if (++steps < min(group, 32)) return false;
  steps = 0;
  return true;
}

/// Delivers what the lanes of a warp keep, and keeps nothing.
template <class Sum, class Deliver>
__device__ __forceinline__ void deliver_turn(kept_sums_of_lanes<Sum>& kept, const Deliver& deliver) {
  const std::int64_t batch = kept.batch[threadIdx.x];
  if (batch != kept.none) deliver(batch, kept.sum[threadIdx.x]);
  kept.forget();
}

}  // namespace multifold::inline v0_1::cuda::kernels
