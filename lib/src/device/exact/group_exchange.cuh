// What the lanes of a warp, or a group of them that share a run, tell each other.
#pragma once

#include "multifold/cuda/kernels/group_slots.cuh"
#include "multifold/cuda/kernels/tiles/reader.cuh"
#include "multifold/exact/windows.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// The greatest over the lanes of a warp, all of which must call.
__device__ inline int greatest_of_warp(int x) { return __reduce_max_sync(whole_warp, x); }

/// Merges the value of the lane whose number differs in the bits of `mask`. The whole warp must call. First exponents,
/// and then sums that are exact in any order, or of which only the sign of a zero counts.
template <floating_storage T>
__device__ void merge_with(exponent_range<T>& range, int mask) {
  exponent_range<T> other;
  other.fields = __shfl_xor_sync(whole_warp, range.fields, mask);
  range.merge(other);
}
__device__ inline void merge_with(double& sum, int mask) { sum += __shfl_xor_sync(whole_warp, sum, mask); }
__device__ inline void merge_with(float& sum, int mask) { sum += __shfl_xor_sync(whole_warp, sum, mask); }
__device__ inline void merge_with(std::uint32_t& least, int mask) {
  least = min(least, __shfl_xor_sync(whole_warp, least, mask));
}
template <int Count>
__device__ void merge_with(double (&sum)[Count], int mask) {
#pragma unroll
  for (double& each : sum) merge_with(each, mask);
}
__device__ inline void merge_with(no_value&, int) {}

/// The value itself, if there is anything to merge.
template <bool Merged, class Value>
__device__ __forceinline__ decltype(auto) merged_if(Value& value) {
  if constexpr (Merged) return (value);
  else return no_value{};
}

/// Merges values over the lanes of a group: a power of two of neighbours, all of which have the results. The whole warp
/// must call.
template <class... Values>
__device__ __forceinline__ void merge_in_warp(int group, Values&&... values) {
#pragma unroll 1
  for (int mask = group / 2; mask > 0; mask /= 2) (merge_with(values, mask), ...);
}
/// The same of a group of several warps, all of which must call, as often.
template <class... Values>
__device__ __forceinline__ void merge_group(group_slots& slots, int group, Values&&... values) {
  merge_in_warp(min(group, 32), values...);
  if (group <= 32) return;
  trade_between_warps(slots, group, values...);
#pragma unroll 1
  for (int mask = group / 64; mask > 0; mask /= 2) (merge_with(values, mask), ...);
}
template <class... Values>
__device__ __forceinline__ void merge_group(int group, Values&&... values) {
  merge_group(slots_of_groups(), group, values...);
}

}  // namespace multifold::inline v0_1::cuda::kernels
