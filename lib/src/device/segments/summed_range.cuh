// What a warp has in shared memory of an array whose segments are added up: elements, and their prefix sums.
#pragma once

#include "device/segments/prefix_rows.cuh"
#include "multifold/policy.hpp"

namespace multifold::cuda::segments {

/// Memory of a warp: a ring of stages, and prefix sums. Rows of lanes are odd, so that neither the elements nor the
/// prefix sums of a warp's lanes lie in the same banks. Data that take more than two windows go by shorter rows, with
/// prefix sums of more windows in the same memory.
template <floating_storage T>
struct prefix_memory {
  static constexpr int warps = 4, threads = 32 * warps, stages = 2;
  static constexpr int row = 17, elements = 32 * row, most_windows = 2;
  static constexpr int short_row = 9, short_windows = 3;
  static constexpr int shortest_row = 3, shortest_windows = 8;  // and marks of what is not finite
  static constexpr int line = tile_line_bytes;
  static constexpr int stage_bytes = (elements * static_cast<int>(sizeof(T)) + 2 * line - 1) / line * line;
  static constexpr int sums_bytes = (most_windows * (elements + 1) * 8 + line - 1) / line * line;
  static constexpr int warp_bytes = stages * stage_bytes + sums_bytes, block_bytes = warps * warp_bytes;
  static constexpr int blocks = sizeof(T) == 8 ? 3 : 4;  // of an SM
  static_assert(short_windows * lane_row<short_row, T>::stride * 8 <= sums_bytes);
  static_assert((shortest_windows + 1) * lane_row<shortest_row, T>::stride * 8 <= sums_bytes);
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
  int at, n, sums_at;
  int windows = 0;         // none: what was there is lost
  int stride = 0;          // from the sums of a window to those of the next
  bool has_marks = false;  // of what is not finite, behind the windows there may be

  __device__ const T* x() const { return reinterpret_cast<const T*>(prefix_memory_of_block() + at); }
  __device__ double* sums() const { return reinterpret_cast<double*>(prefix_memory_of_block() + sums_at); }
  __device__ double sum_of(int window, int from, int to) const {
    const double* const all = sums() + window * stride;
    return all[to] - all[from];
  }
  __device__ special_marks marks_of(int from, int to) const {
    if (!has_marks) return {};
    return lane_row<1, T>::marks_of(sum_of(prefix_memory<T>::shortest_windows, from, to));
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

/// Prefix sums of the first of the elements, by shorter rows: of data whose exponents are far apart, or that are not
/// finite. Out of line: ordinary data want the registers.
template <floating_storage T>
__device__ __noinline__ summed_range<T> sum_by_short_rows(summed_range<T> range) {
  using memory = prefix_memory<T>;
  double* const sums = range.sums();
  const int n = range.n;
  const auto row = lane_row<memory::short_row, T>::template of<false>(range.x(), n);
  range.windows = row.windows();
  if (row.range.finite() && range.windows <= memory::short_windows) {
    range.n = min(n, row.elements);
    range.stride = row.stride;
    row.put_many_windows(sums, range.windows);
    return range;
  }
  auto shortest = lane_row<memory::shortest_row, T>::template of<false>(range.x(), n);
  range.n = min(n, shortest.elements);
  range.stride = shortest.stride;
  range.has_marks = !shortest.range.finite();
  if (range.has_marks) shortest.take_specials(sums + memory::shortest_windows * range.stride);
  range.windows = shortest.windows();
  if (range.windows > memory::shortest_windows) range.windows = 0;
  else shortest.put_many_windows(sums, range.windows);
  return range;
}

/// The sum of elements that take no more than two windows; of the whole warp, which calls, or of a lane.
template <bool OfWarp, floating_storage T>
__device__ exact_pair pair_of(const summed_range<T>& range, int from, int to) {
  exact_pair sum{range.sum_of(0, from, to), 0};
  if (range.windows > 1) sum.low = range.sum_of(1, from, to);
  if (sum.high == 0 && sum.low == 0) sum.high = OfWarp ? range.zero_of_warp(from, to) : range.zero_of(from, to);
  return sum;
}
__device__ inline exact_pair sum_of_pairs(const exact_pair& a, const exact_pair& b) {
  const exact_pair sum = a + b.high;
  return b.low == 0 ? sum : sum + b.low;  // which would not keep the sign of -0
}

}  // namespace multifold::cuda::segments
