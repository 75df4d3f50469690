// What a warp has in shared memory of an array whose segments are added up: elements, and their prefix sums.
#pragma once

#include "device/segments/prefix_groups.cuh"
#include "multifold/plan/policy.hpp"

namespace multifold::inline v0_1::cuda::segments {

/// Memory of a warp: a ring of pipeline stages, and prefix sums of two windows. Data that take more have them one pair
/// after the other.
template <floating_storage T>
struct prefix_memory {
  static constexpr int warps = 4, threads = 32 * warps, stages = 2;
  static constexpr int groups = sizeof(T) == 2 ? 13 : 9, most_windows = 8;
  using all_lanes = lane_groups<groups, T>;
  static constexpr int elements = all_lanes::elements;
  static constexpr int line = tile_line_bytes;
  static constexpr int stage_bytes = elements * static_cast<int>(sizeof(T));
  static constexpr int sums_bytes = (2 * all_lanes::stride * 8 + line - 1) / line * line;
  static constexpr int warp_bytes = stages * stage_bytes + sums_bytes, block_bytes = warps * warp_bytes;
  static constexpr int blocks = 4;  // of an SM
  static_assert(stage_bytes % line == 0);
};

/// What a block has of it.
__device__ inline std::byte* prefix_memory_of_block() {
  extern __shared__ __align__(128) std::byte prefix_bytes[];
  return prefix_bytes;
}
__device__ inline int warp_of_thread() { return static_cast<int>(threadIdx.x / 32); }

/// Elements in the block's memory, and their prefix sums; both as far behind its beginning as this. Small, since it is
/// handed to what is out of line.
template <floating_storage T>
struct summed_range {
  using lane_type = typename prefix_memory<T>::all_lanes;
  static constexpr int group = group_elements<T>, stride = lane_type::stride;
  int at, n, sums_at;

  __device__ const T* x() const { return reinterpret_cast<const T*>(prefix_memory_of_block() + at); }
  __device__ double* sums() const { return reinterpret_cast<double*>(prefix_memory_of_block() + sums_at); }

  /// The sums of what is in front of element i, in one window or two; `parts_of(x, part)` splits an element.
  template <int Windows, class Split>
  __device__ __forceinline__ void sum_before(int i, const Split& parts_of, double (&sum)[Windows]) const {
    const int behind = i % group;
    const auto x_of = reinterpret_cast<const element_group<T>*>(x())[min(i / group, stride - 2)];
#pragma unroll
    for (int k = 0; k < Windows; ++k) sum[k] = sums()[k * stride + i / group];
#pragma unroll
    for (int j = 0; j + 1 < group; ++j) {
      double part[Windows];
      parts_of(to_double(behind > j ? x_of.of[j] : T{}), part);
#pragma unroll
      for (int k = 0; k < Windows; ++k) sum[k] += part[k];
    }
  }

  __device__ bool is_negative_zero(int i) const {
    using bits = typename multifold::detail::float_layout<T>::bits_type;
    return bit_copy<bits>(x()[i]) == static_cast<bits>(bits{1} << (8 * sizeof(T) - 1));
  }
  /// The sum of [from, to), which is zero: -0 of nothing but -0.
  __device__ double zero_of(int from, int to) const {
#pragma unroll 1
    for (int i = from; i < to; ++i) {
      if (!is_negative_zero(i)) return 0.0;
    }
    return -0.0;
  }
  __device__ double zero_of_warp(int from, int to) const {
    bool all = true;
#pragma unroll 1
    for (int i = from + lane_of_thread(); i < to && all; i += 32) all = is_negative_zero(i);
    return __all_sync(kernels::whole_warp, all) ? -0.0 : 0.0;
  }
};

__device__ inline exact_pair sum_of_pairs(const exact_pair& a, const exact_pair& b) {
  const exact_pair sum = a + b.high;
  return b.low == 0 ? sum : sum + b.low;  // which would not keep the sign of -0
}

}  // namespace multifold::inline v0_1::cuda::segments
