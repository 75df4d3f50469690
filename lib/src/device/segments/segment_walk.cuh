// A warp's way along the segments of its share of an array, and the sum of the one that is open: that goes on behind
// the elements which the warp has in shared memory.
#pragma once

#include "device/segments/bounds.cuh"
#include "device/segments/summed_range.cuh"

namespace multifold::inline v0_1::cuda::segments {

/// A warp's share of the work, and where the warp is in it. Elements are numbered from a line of memory on that is not
/// behind the first one of the share, segments from where it begins. No share has more of them than an int counts.
struct segment_walk {
  int number;      // of the share
  int stage;       // where the next elements are
  unsigned phase;  // of its barrier
  int lane;        // of the thread, alone
  std::int64_t first_element, first_segment;
  int elements, segments;  // that end in it
  int low;                 // elements in front of this one have been taken
  int current;             // the first segment that has not ended
  int from;                // where it, or what the share has of it, begins
  std::int64_t next_end;   // of the thread, too, in the array: where segment current + lane ends
  bool open;               // elements of the current one have been gathered
  bool from_before;        // and it began in an earlier share
  bool ends_inside;        // of the segment behind the last one
  bool wide;               // what has been gathered takes more than `sum`: the warp's expansion is part of it
  unsigned marks;          // special_marks of what has been gathered
  exact_pair sum;          // and its sum, in all lanes

  /// The thread's lane, asked for whenever the walk is resumed: what lives from before that is in memory.
  __device__ void find_lane() { asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane)); }

  /// `behind` elements are between the line and the first one of the share.
  template <class Behind>
  __device__ static segment_walk along(const segment_bounds& bounds, int number, const segment_range& range,
                                       const Behind& behind) {
    const auto& [begin, end] = range;
    const auto inside = [&](const segment_position& at) {
      return at.segment < bounds.count && at.element > bounds[at.segment];
    };
    // Offsets that do not ascend may say anything.
    constexpr std::int64_t most = INT_MAX - 8192;
    const auto count = [](std::int64_t from, std::int64_t to) {
      return static_cast<int>(min(max(to - from, std::int64_t{0}), most));
    };
    const int skipped = behind(begin.element);
    segment_walk walk{};
    walk.number = number;
    walk.first_element = begin.element - skipped;
    walk.first_segment = begin.segment;
    walk.elements = skipped + count(begin.element, end.element);
    walk.segments = count(begin.segment, end.segment);
    walk.from = skipped;
    walk.open = walk.from_before = inside(begin);
    walk.ends_inside = inside(end);
    walk.find_lane();
    walk.ask(bounds);
    return walk;
  }
  __device__ std::int64_t segment() const { return first_segment + current; }
  __device__ void ask(const segment_bounds& bounds) {
    constexpr int ahead = 256;
    const int i = current + lane;
    const std::byte* const at = bounds.address(first_segment + 1) + std::int64_t{i} * bounds.item();
    next_end = i < segments ? bounds.at(at) : INT64_MAX;
    if (i + ahead < segments) segment_bounds::prefetch(at + ahead * bounds.item());
  }
  /// Where it ends in the share, or INT_MAX for elsewhere; not before it is needed, since it comes from memory.
  __device__ int end_of_lane() const {
    const auto end = static_cast<std::uint64_t>(next_end - first_element);
    return end >> 31 == 0 ? static_cast<int>(end) : INT_MAX;
  }
  /// The same of the current segment: behind all elements, if it ends in another share. The whole warp calls.
  __device__ int end_of_current() const { return __shfl_sync(kernels::whole_warp, end_of_lane(), 0); }
  /// How many segments, a lane each from the current one on, end no further than at `high`. The whole warp calls.
  __device__ static int ended(int end_of_lane, int high) {
    const unsigned missing = __ballot_sync(kernels::whole_warp, end_of_lane > high);
    return missing == 0 ? 32 : __ffs(static_cast<int>(missing)) - 1;
  }
};

/// What a warp knows of its share is kept in shared memory where something is called that is out of line. No more than
/// that lives across the call, so that all of it is in registers elsewhere.
__device__ inline segment_walk* kept_walks() {
  __shared__ segment_walk walks[prefix_memory<float>::warps];
  return walks;
}
__device__ inline void keep(const segment_walk& walk) {
  if (walk.lane == 0) kept_walks()[warp_of_thread()] = walk;
  __syncwarp();
}
__device__ inline segment_walk kept_walk(const segment_bounds& bounds) {
  segment_walk walk = kept_walks()[warp_of_thread()];
  walk.find_lane();
  walk.ask(bounds);
  return walk;
}

/// What the sums of open segments are where a pair is not enough. Lane 0 writes it.
template <class Op>
__device__ typename Op::accumulator& expansion_of_warp() {
  __shared__ typename Op::accumulator all[prefix_memory<typename Op::value_type>::warps];
  return all[warp_of_thread()];
}
/// Where it is: an expansion in registers is a lot of them.
template <int Parts>
__device__ void grow_in_place(expansion<Parts>& sum, double x) {
  int i = 0;
#pragma unroll 1
  do {
    const multifold::detail::two_sum s = multifold::detail::add_exactly(sum.part[i], x);
    sum.part[i] = s.sum;
    x = s.error;
  } while (x != 0 && ++i + 1 < Parts);
  if (x != 0) sum.part[Parts - 1] = multifold::detail::add_or_lose(sum.part[Parts - 1], x);
}
/// Puts all of the open sum into the expansion.
template <class Op>
__device__ void widen_open(segment_walk& walk) {
  if (lane_of_thread() == 0) {
    auto& open = expansion_of_warp<Op>();
    if (!walk.wide) open = typename Op::accumulator{};
    grow_in_place(open, walk.sum.high);
    if (walk.sum.low != 0) grow_in_place(open, walk.sum.low);
  }
  __syncwarp();
  walk.wide = true;
  walk.sum = {};
}
template <class Op>
__device__ void add_to_open(segment_walk& walk, const exact_pair& x) {
  const exact_pair sum = sum_of_pairs(walk.sum, x);
  if (sum.lost()) widen_open<Op>(walk);
  walk.sum = sum.lost() ? x : sum;
}
/// The same of a sum that a lane has. The whole warp calls.
template <class Op, int Parts>
__device__ void add_to_open(segment_walk& walk, const expansion<Parts>& of_lanes, special_marks marks, int lane) {
  walk.marks |= __shfl_sync(kernels::whole_warp, marks.bits, lane);
  if (__shfl_sync(kernels::whole_warp, static_cast<int>(of_lanes.lost()), lane)) {
    widen_open<Op>(walk);
    if (walk.lane == 0) expansion_of_warp<Op>().lose();
    __syncwarp();
    return;
  }
#pragma unroll
  for (int k = 0; k < Parts; ++k) {
    const double part = __shfl_sync(kernels::whole_warp, of_lanes.part[k], lane);
    if (k == 0 || part != 0) add_to_open<Op>(walk, {part, 0.0});
  }
}

}  // namespace multifold::inline v0_1::cuda::segments
