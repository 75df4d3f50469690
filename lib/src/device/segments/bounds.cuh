// Where segments begin and end, as kernels read it, and how their work is shared among blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/segments/call.hpp"
#include "multifold/cuda/kernels/exchange.cuh"

namespace multifold::cuda::segments {

/// Offsets of `count` segments of an array of `elements`: segment i is [offset i, offset i + 1). Whatever they are,
/// nothing outside of the array is named: a segment that falls, or leaves the array, is cut to what is there of it.
struct segment_bounds {
  const void* offsets = nullptr;  // count + 1 of them
  bool wide = false;              // 64 bits each, in place of 32
  std::int64_t count = 0, elements = 0;

  __device__ int item() const { return wide ? 8 : 4; }
  __device__ const std::byte* address(std::int64_t i) const {
    return static_cast<const std::byte*>(offsets) + i * item();
  }
  __device__ std::int64_t at(const std::byte* address) const {
    if (wide) return *reinterpret_cast<const std::int64_t*>(address);
    return *reinterpret_cast<const std::int32_t*>(address);
  }
  __device__ std::int64_t raw(std::int64_t i) const { return at(address(i)); }
  /// What is there will be asked for.
  __device__ static void prefetch(const std::byte* address) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(address)));
  }
  __device__ std::int64_t operator[](std::int64_t i) const { return min(max(raw(i), std::int64_t{0}), elements); }
  __device__ std::int64_t length(std::int64_t i) const { return max((*this)[i + 1] - (*this)[i], std::int64_t{0}); }
};

inline segment_bounds bounds_of(const segment_call& c) { return {c.offsets, c.wide, c.count, c.elements}; }

/// What comes first of the work that is left: element `element`, of segment `segment` or of none before it.
struct segment_position {
  std::int64_t segment, element;
};

/// Segments are no shorter than this if a share, of a block or of a warp, ends inside of one.
inline constexpr std::int64_t least_cut_of_blocks = 1 << 15, least_cut_of_warps = 1 << 11;

/// Where share `share` of `shares` begins. Shares are equal in elements and segments together, so that neither a few
/// long segments nor many empty ones are one block's; but segments that are not long are not cut. The whole warp calls.
/// Source: merge-based partitioning, Merrill and Garland, SC 2016.
__device__ inline segment_position position_of(const segment_bounds& bounds, std::int64_t share, std::int64_t shares,
                                               std::int64_t least_cut) {
  const std::int64_t first = bounds[0], last = max(bounds[bounds.count], first);
  const std::int64_t all = last - first + bounds.count;
  if (share >= shares) return {bounds.count, last};
  const std::int64_t wanted = all / shares * share + min(share, all % shares);
  // The last segment behind whose beginning there is less than that: by 32 probes at a time.
  const int lane = static_cast<int>(threadIdx.x) % 32;
  std::int64_t low = 0, high = bounds.count;  // it is one of [low, high]
  while (high > low) {
    const std::int64_t step = (high - low + 32) / 33, probe = min(low + (lane + 1) * step, high);
    const bool reached = bounds[probe] - first + probe <= wanted;
    const int reaching = __popc(__ballot_sync(kernels::whole_warp, reached));
    const std::int64_t from = low;
    if (reaching > 0) low = min(from + reaching * step, high);
    if (reaching < 32) high = max(min(from + (reaching + 1) * step, high) - 1, low);
  }
  const std::int64_t begin = bounds[low];
  if (low == bounds.count) return {low, last};
  const std::int64_t length = bounds.length(low),
                     inside = min(max(wanted - low - (begin - first), std::int64_t{0}), length);
  if (inside == 0) return {low, begin};
  if (length < least_cut) return {low + 1, bounds[low + 1]};
  constexpr std::int64_t line = 128;
  return {low, max((begin + inside) / line * line, begin)};
}

/// What shares leave of segments that they have in common with others; zeros where they have none.
struct cut_segment {
  std::int64_t begun;                      // the segment that begins in it and goes on behind it, plus 1
  std::int32_t goes_on;                    // whether the segment that it begins in has not ended there
  std::uint16_t begun_marks, ended_marks;  // special_marks of exact sums
};

}  // namespace multifold::cuda::segments
