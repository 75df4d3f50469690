// Where segments begin and end, as kernels read it, and how their work is shared among blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/segments/call.hpp"
#include "multifold/cuda/kernels/exchange.cuh"

namespace multifold::inline v0_1::cuda::segments {

__device__ inline int lane_of_thread() { return static_cast<int>(threadIdx.x % 32); }

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

/// Segments that are longer than `longest`, as a kernel has found them: their number, and then theirs. There is room for
/// all of an array that offsets which ascend can have.
struct long_segments {
  std::int64_t* list = nullptr;  // cleared before
  std::int64_t longest = 0, room = 0;

  __device__ std::int64_t count() const { return min(list[0], room); }
  __device__ std::int64_t segment(std::int64_t i) const { return list[1 + i]; }
  __device__ void add(std::int64_t segment) const {
    const unsigned long long at = atomicAdd(reinterpret_cast<unsigned long long*>(list), 1ull);
    if (at < static_cast<unsigned long long>(room)) list[1 + at] = segment;
  }
};

inline segment_bounds bounds_of(const segment_call& c) { return {c.offsets, c.wide, c.count, c.elements}; }

/// What comes first of the work that is left: element `element`, of segment `segment` or of none before it.
struct segment_position {
  std::int64_t segment, element;
};

/// Segments are no shorter than this if a share, of a block or of a warp, ends inside of one.
inline constexpr std::int64_t least_cut_of_blocks = 1 << 15, least_cut_of_warps = 1 << 11;

/// A segment takes about as long as so many elements. On an H200, exact sums of a power law of segments went at 3572 GB/s,
/// at 3488 with half of this weight, and at 3383 with the weight of an element.
inline constexpr std::int64_t segment_weight = 16;

/// The search for where share `share` of `shares` begins. Shares are equal in what elements and segments take together,
/// so that neither a few long segments nor many empty ones are one share's; but segments that are not long are not cut.
/// All lanes of a warp have it: 32 offsets are looked at in each step.
/// Source: merge-based partitioning, Merrill and Garland, SC 2016.
struct position_search {
  std::int64_t first, last, wanted;
  std::int64_t low, high;  // it begins in one of segments [low, high], or behind

  __device__ position_search(const segment_bounds& bounds, std::int64_t share, std::int64_t shares)
      : first(bounds[0]), last(max(bounds[bounds.count], first)), low(0), high(bounds.count) {
    const std::int64_t all = last - first + segment_weight * bounds.count;
    wanted = all / shares * share + min(share, all % shares);
    if (share >= shares) low = high;
  }
  __device__ bool found() const { return low == high; }
  /// The lane's.
  __device__ std::int64_t probe() const { return min(low + (lane_of_thread() + 1) * step(), high); }
  __device__ void narrow(std::int64_t probe, std::int64_t begin) {
    const int reaching = __popc(__ballot_sync(kernels::whole_warp, begin - first + segment_weight * probe <= wanted));
    const std::int64_t from = low, by = step();
    if (reaching > 0) low = min(from + reaching * by, high);
    if (reaching < 32) high = max(min(from + (reaching + 1) * by, high) - 1, low);
  }
  __device__ segment_position position(const segment_bounds& bounds, std::int64_t least_cut) const {
    if (low == bounds.count) return {low, last};
    const std::int64_t begin = bounds[low], length = bounds.length(low),
                       inside = min(max(wanted - segment_weight * low - (begin - first), std::int64_t{0}), length);
    if (inside == 0) return {low, begin};
    if (length < least_cut) return {low + 1, bounds[low + 1]};
    constexpr std::int64_t line = 128;
    return {low, max((begin + inside) / line * line, begin)};
  }

 private:
  __device__ std::int64_t step() const { return (high - low + 32) / 33; }
};

/// Where a share begins. The whole warp calls.
__device__ inline segment_position position_of(const segment_bounds& bounds, std::int64_t share, std::int64_t shares,
                                               std::int64_t least_cut) {
  position_search search(bounds, share, shares);
  while (!search.found()) {
    const std::int64_t probe = search.probe();
    search.narrow(probe, bounds[probe]);
  }
  return search.position(bounds, least_cut);
}
/// And where it ends: one step of both at a time.
struct segment_range {
  segment_position begin, end;
};
__device__ inline segment_range range_of(const segment_bounds& bounds, std::int64_t share, std::int64_t shares,
                                         std::int64_t least_cut) {
  position_search begin(bounds, share, shares), end(bounds, share + 1, shares);
  while (!begin.found() || !end.found()) {
    const std::int64_t of_begin = begin.probe(), of_end = end.probe();
    const std::int64_t begins = bounds[of_begin], ends = bounds[of_end];
    begin.narrow(of_begin, begins);
    end.narrow(of_end, ends);
  }
  return {begin.position(bounds, least_cut), end.position(bounds, least_cut)};
}

/// What shares leave of segments that they have in common with others; zeros where they have none.
struct cut_segment {
  std::int64_t begun;                      // the segment that begins in it and goes on behind it, plus 1
  std::int32_t goes_on;                    // whether the segment that it begins in has not ended there
  std::uint16_t begun_marks, ended_marks;  // special_marks of exact sums
};

}  // namespace multifold::inline v0_1::cuda::segments
