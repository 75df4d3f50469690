// What the lanes of a warp, or a group of them that share a run, tell each other.
#pragma once

#include "multifold/cuda/kernels/tile_reader.cuh"
#include "multifold/exact/windows.hpp"

namespace multifold::cuda::kernels {

/// The greatest over the lanes of a warp, all of which must call.
__device__ inline int greatest_of_warp(int x) { return __reduce_max_sync(whole_warp, x); }

/// Calls f(mask) with the masks of exchanges between `group` neighbouring lanes.
template <class F>
__device__ void for_each_mask(int group, const F& f) {
#pragma unroll 1
  for (int mask = group / 2; mask > 0; mask /= 2) f(mask);
}

/// Exponents over the lanes of a group. The whole warp must call.
template <floating_storage T>
__device__ void merge_group(exponent_range<T>& range, int group) {
  for_each_mask(group, [&](int mask) {
    exponent_range<T> other;
    other.fields = __shfl_xor_sync(whole_warp, range.fields, mask);
    range.merge(other);
  });
}
/// Sums that are exact in any order, likewise.
template <int Count>
__device__ void merge_group(double (&sum)[Count], int group) {
  for_each_mask(group, [&](int mask) {
#pragma unroll
    for (double& each : sum) each += __shfl_xor_sync(whole_warp, each, mask);
  });
}

}  // namespace multifold::cuda::kernels
