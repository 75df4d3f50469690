// Segments of a stage whose elements are finite and take one window or two: each has a lane, which rounds a difference of
// prefix sums to the result.
#pragma once

#include "device/segments/segment_walk.cuh"
#include "device/segments/staged_segments.cuh"

namespace multifold::inline v0_1::cuda::segments {

template <class Op, class Output>
__device__ void note_bad(const segment_arguments<Op, Output>& args, std::int64_t segment) {
  atomicMax(args.bad, static_cast<unsigned long long>(args.bounds.count - segment));
}

/// What another share, or several, have of a segment, too.
template <class Op, class Output>
__device__ void leave_ended(const segment_arguments<Op, Output>& args, const segment_walk& walk) {
  args.ended[walk.number] = expansion_of_warp<Op>();
  args.cuts[walk.number].ended_marks = static_cast<std::uint16_t>(walk.marks);
}

/// An open segment ends behind `more`, the sum of its last elements, which all lanes have. False, if that is not
/// certain, and nothing has been taken.
template <class Op, class Output>
__device__ __forceinline__ bool end_open(const segment_arguments<Op, Output>& args, segment_walk& walk,
                                         const exact_pair& more) {
  const bool first = walk.lane == 0;
  if (walk.from_before) {
    add_to_open<Op>(walk, more);
    widen_open<Op>(walk);
    if (first) leave_ended(args, walk);
  } else {
    if (walk.wide || walk.marks != 0) return false;
    const exact_pair sum = sum_of_pairs(walk.sum, more);
    if (sum.lost()) return false;
    const std::int64_t segment = walk.segment();
    const std::int64_t length = args.output.to.op == op_kind::mean ? args.bounds.length(segment) : 1;
    if (first) {
      const bool stored = sum.low == 0 ? args.output.store_plainly(segment, sum.high, length)
                                       : args.output.store_plainly(segment, sum, length);
      if (!stored) args.output.note_lost(segment);
    }
  }
  walk.open = walk.from_before = false;
  return true;
}

/// Takes the next elements, whose prefix sums are there, of one window or two and finite, to results in order. False, if
/// that does not do, and nothing has been taken.
template <int Windows, class Op, class Output>
__device__ __forceinline__ bool take_plainly(const segment_arguments<Op, Output>& args,
                                             const summed_range<typename Op::value_type>& range,
                                             const window_split& split, segment_walk& walk) {
  const int lane = walk.lane, n = range.n, low = walk.low, high = low + n;
  const auto pair_of = [](const double(&sum)[Windows]) {
    return exact_pair{sum[0], Windows == 1 ? 0.0 : sum[Windows - 1]};
  };
  const auto parts_of = [&](double x, double(&part)[Windows]) {
    if constexpr (Windows == 1) {
      part[0] = x;
    } else {
      part[0] = window_split::part_of(x, split.start);
      part[1] = multifold::detail::plain_difference(x, part[0]);
    }
  };
  double carried[Windows] = {};  // the sums in front of the current segment
  if (walk.from > low) range.sum_before(min(walk.from - low, n), parts_of, carried);
  bool was_open = walk.open;
  int count;
#pragma unroll 1
  do {
    const int my_end = walk.end_of_lane();
    count = segment_walk::ended(my_end, high);
    if (count == 0) break;
    const int to = min(max(my_end - low, 0), n);
    int from = __shfl_up_sync(kernels::whole_warp, to, 1);
    if (lane == 0) from = min(max(walk.from - low, 0), n);
    double here[Windows], sum[Windows];
    range.sum_before(to, parts_of, here);
#pragma unroll
    for (int k = 0; k < Windows; ++k) {
      const double before = __shfl_up_sync(kernels::whole_warp, here[k], 1);
      sum[k] = here[k] - (lane == 0 ? carried[k] : before);
    }
    if (was_open) {
      exact_pair more = pair_of(sum);
      more.high = __shfl_sync(kernels::whole_warp, more.high, 0);
      if (Windows > 1) more.low = __shfl_sync(kernels::whole_warp, more.low, 0);
      if (more.high == 0 && more.low == 0) {
        const int end = __shfl_sync(kernels::whole_warp, to, 0);
        more.high = range.zero_of_warp(__shfl_sync(kernels::whole_warp, from, 0), end);
      }
      if (!end_open(args, walk, more)) return false;
    }
    const std::int64_t segment = walk.segment() + lane;
#pragma unroll
    for (int k = 0; k < Windows; ++k) carried[k] = __shfl_sync(kernels::whole_warp, here[k], count - 1);
    walk.from = __shfl_sync(kernels::whole_warp, my_end, count - 1);
    walk.current += count;
    walk.ask(args.bounds);
    if (lane < count && !(was_open && lane == 0)) {
      if (to < from) note_bad(args, segment);
      exact_pair all = pair_of(sum);
      if (all.high == 0 && all.low == 0) all.high = range.zero_of(from, to);
      bool stored;
      if constexpr (Windows == 1) stored = args.output.store_plainly(segment, all.high, to - from);
      else stored = args.output.store_plainly(segment, all, to - from);
      if (!stored) args.output.note_lost(segment);
    }
    was_open = false;
  } while (count == 32);
  if (walk.from < high && (walk.current < walk.segments || walk.ends_inside)) {
    exact_pair rest{range.sums()[range.stride - 1] - carried[0], 0.0};
    if constexpr (Windows > 1) rest.low = range.sums()[2 * range.stride - 1] - carried[1];
    if (rest.high == 0 && rest.low == 0) rest.high = range.zero_of_warp(max(walk.from - low, 0), n);
    if (walk.open) {
      add_to_open<Op>(walk, rest);
    } else {
      walk.open = true;
      walk.wide = false;
      walk.marks = 0;
      walk.sum = rest;
    }
  }
  walk.low = high;
  return true;
}

/// Ordinary data take so many windows.
template <floating_storage T>
inline constexpr int least_windows = sizeof(T) == 8 ? 2 : 1;

/// What became of a stage.
enum class stage_taken { no, yes, yes_and_next_is_other };

/// All of a stage, if it is finite and takes no more windows than that. The next one is likely to take as many.
template <int Windows, class Op, class Output>
__device__ __forceinline__ stage_taken take_stage(const segment_arguments<Op, Output>& args,
                                                  const summed_range<typename Op::value_type>& all,
                                                  segment_walk& walk) {
  using T = typename Op::value_type;
  using lane_type = typename prefix_memory<T>::all_lanes;
  const lane_type lanes = lane_type::of(all.x());
  if (!lanes.range.finite()) return stage_taken::no;
  const bool one = lanes.one_is_enough();
  window_split split;
  if constexpr (Windows == 1) {
    if (!one) return stage_taken::no;
  } else {
    split = lanes.split();
    if (split.count > Windows) return stage_taken::no;
  }
  if (walk.open && walk.from <= walk.low && walk.end_of_current() > walk.low + all.n) {
    exact_pair sum = lanes.template total<Windows>(split);
    if (sum.high == 0 && sum.low == 0) sum.high = all.zero_of_warp(0, all.n);
    add_to_open<Op>(walk, sum);
    walk.low += all.n;
  } else {
    lanes.template put_windows<Windows>(all.sums(), split);
    __syncwarp();
    if (!take_plainly<Windows>(args, all, split, walk)) return stage_taken::no;
  }
  return Windows > least_windows<T> && one ? stage_taken::yes_and_next_is_other : stage_taken::yes;
}

}  // namespace multifold::inline v0_1::cuda::segments
