// Segments, or what of them lies in a stage of shared memory, and how threads take them: alone, in groups of a warp, or
// as a block.
#pragma once

#include <cstdint>

#include "device/segments/bounds.cuh"
#include "multifold/cuda/kernels/tiles/reader.cuh"
#include "multifold/cuda/kernels/tiles/ring.cuh"

namespace multifold::inline v0_1::cuda::segments {

using kernels::run_place;
using kernels::run_sweeps;
using kernels::run_value;
using kernels::tile_element;
using kernels::tile_elements;
using kernels::tile_reader;

/// Lanes of a warp arrive at a barrier as one, behind all that each of them has done: it takes arrivals one after the
/// other. All lanes call.
__device__ inline void arrive_of_warp(std::uint64_t* barrier) {
  __syncwarp();
  if (threadIdx.x % 32 == 0) kernels::detail::arrive(barrier);
}

/// What the kernels of segments are told.
template <class Op, class Output>
struct segment_arguments {
  segment_bounds bounds;
  kernels::array_range array, second;
  typename Op::accumulator* begun;  // of every block, of the segments of cut_segment
  typename Op::accumulator* ended;
  cut_segment* cuts;
  unsigned long long* bad;  // count - i of the first offset i + 1 that is not right, 0 if all are
  Op op;
  Output output;
};

/// What a stage has of a segment, by the number of its first element in the stage, which may be negative: those were
/// carried over.
struct staged_segment {
  int first, rows;
  int segment;  // behind the first one of the step
};

/// Threads that share one, by its length: what a lane has is then worth the exchange. On an H200, exact sums of 4
/// GiB of f32 in 10^8 segments of 0 to 20 elements went at 395 GB/s with threads alone up to 16 elements, and at 570 up
/// to 32; of 64 in the mean at 590 with groups of eight, and at 700 of four.
inline constexpr int group_classes = 3;
__device__ constexpr int log_group_of_class(int c) { return c == 0 ? 0 : c == 1 ? 2 : 5; }
inline constexpr int most_alone = 32, most_of_few = 256, most_of_warp = 1536;

/// Those of one step, up to one a thread: those of groups of a few from the front, of warps from the back.
struct staged_list {
  static constexpr int most_long = 64;
  staged_segment grouped[tile_threads], of_block[most_long];
  int few, warps, longs;
};

/// Where the value of a whole segment goes.
template <class Op, class Output>
struct whole_segment {
  const Op* op;
  Output* output;  // the thread's own
  std::int64_t segment, length;
  bool leaves;

  template <class Value>
  __device__ void operator()(const Value& value) const {
    if (!leaves) return;
    if constexpr (requires { output->store_nothing(segment); }) {
      if (length == 0 && output->store_nothing(segment)) return;
    }
    set_length(*output, length);
    (*output)(*op, segment, value);
  }
};

/// Elements of a stage.
template <class Op>
struct stage_view {
  const std::byte* elements;  // element 0
  int beyond;                 // bytes from there to the second array's
  const kernels::tile_map* map;

  __device__ run_place place_of(const staged_segment& p, std::int64_t first_index, int most_rows) const {
    constexpr int item = sizeof(tile_element<Op>);
    const std::byte* const at = elements + p.first * item;
    return {{at, at + beyond}, p.rows, 0, item, {first_index, 1}, most_rows};
  }
  __device__ tile_reader<1, Op> reader(int group, int lane) const {
    return {*map, static_cast<int>(sizeof(tile_element<Op>)), group, lane};
  }
};

/// A whole segment by the lanes of a group of up to a warp. All lanes of a warp must call.
template <class Op, class Output>
__device__ __forceinline__ void take_segment(const stage_view<Op>& stage, const staged_segment& p, bool active,
                                             int group, int lane, const whole_segment<Op, Output>& to, int most_rows) {
  const Op& op = *to.op;
  const auto reader = stage.reader(group, lane);
  const run_place place = stage.place_of(p, 0, most_rows);
  if constexpr (run_sweeps<Op>::any) {
    run_sweeps<Op>::whole(op, reader.run_of(place, active), to);
  } else {
    run_value<Op> mine[1] = {run_value<Op>(op)};
    if (active) reader.absorb(op, mine, place);
    auto value = mine[0].kept;
#pragma unroll 1
    for (int mask = group / 2; mask > 0; mask /= 2) value = kernels::meet(op, value, mask);
    to(value);
  }
}

/// All whole segments of a step: each thread's own, if it is taken `alone`, and those in the list. Segments are
/// numbered from `base` on. All threads of the block must call.
template <class Op, class Output>
__device__ __forceinline__ void take_segments(const segment_arguments<Op, Output>* args, Output* output,
                                              const staged_list* list, stage_view<Op> stage, staged_segment own,
                                              bool alone, std::int64_t base) {
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll 1
  for (int c = 0; c < group_classes; ++c) {
    const int log = log_group_of_class(c), group = 1 << log, together = tile_threads >> log;
    const int count = c == 0 ? tile_threads : c == 1 ? list->few : list->warps;
    const int most = c == 0 ? most_alone : c == 1 ? most_of_few : most_of_warp;
    int r = thread >> log;
#pragma unroll 1
    for (int left = count - ((thread & -32) >> log); left > 0; left -= together, r += together) {
      staged_segment p = own;
      bool active = alone;
      if (c > 0) {
        active = r < count;
        if (active) p = list->grouped[c == 1 ? r : tile_threads - 1 - r];
      }
      if (!__any_sync(kernels::whole_warp, active)) continue;
      const int lane = thread & (group - 1);
      const whole_segment<Op, Output> to{&args->op, output, base + p.segment, p.rows, active && lane == 0};
      take_segment(stage, p, active, group, lane, to, most);
    }
  }
}

/// The threads of a block add their elements of an open segment to what they have of a segment; `index` is that of its
/// first element. Out of line, since neither this nor what is done with short segments leaves registers for the other.
template <class Op>
__device__ __noinline__ void add_open(const Op* op, typename Op::accumulator* mine, stage_view<Op> stage,
                                      staged_segment p, std::int64_t index) {
  const auto reader = stage.reader(tile_threads, static_cast<int>(threadIdx.x));
  const run_place place = stage.place_of(p, index, p.rows);
  if constexpr (run_sweeps<Op>::any) {
    run_sweeps<Op>::add_open(*op, *mine, reader.run_of(place, true));
  } else {
    run_value<Op> value[1];
    value[0].kept = *mine;
    reader.absorb(*op, value, place);
    *mine = value[0].kept;
  }
}

/// Shared memory in which the threads of a block merge their values; sweeps have slots of their own.
template <class Op>
using merge_storage = kernels::block_storage<Op, run_sweeps<Op>::any ? 1 : tile_threads>;

/// The value of all threads of a block. All must call.
template <class Op>
__device__ __noinline__ typename Op::accumulator merge_block(const Op& op, typename Op::accumulator mine,
                                                             merge_storage<Op>& storage) {
  if constexpr (run_sweeps<Op>::any) return run_sweeps<Op>::merge_row(kernels::slots_of_groups(), tile_threads, mine);
  else return kernels::merge_lanes(op, kernels::tile_lanes(tile_threads, true), mine, storage);
}

}  // namespace multifold::inline v0_1::cuda::segments
