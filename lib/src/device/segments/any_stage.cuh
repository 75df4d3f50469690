// Segments of a stage of any elements: prefix sums of two windows at a time, as many times as the exponents ask for, of
// which each lane keeps what its segment has.
#pragma once

#include "device/segments/plain_stage.cuh"

namespace multifold::inline v0_1::cuda::segments {

/// The sum of a whole segment. Out of line, as all that is not plain.
template <class Op, class Output, int Parts>
__device__ __noinline__ void deliver_segment(const segment_arguments<Op, Output>* args, const expansion<Parts>* sum,
                                             special_marks marks, int length, std::int64_t segment) {
  Output output = args->output;
  const whole_segment<Op, Output> deliver{&args->op, &output, segment, length, true};
  if (marks.bits != 0) deliver(marks);
  else deliver(*sum);
}

template <class Op, class Output>
__device__ __noinline__ void deliver_open(const segment_arguments<Op, Output>* args, std::int64_t segment,
                                          special_marks marks) {
  Output output = args->output;
  const std::int64_t length = args->bounds.length(segment);
  const whole_segment<Op, Output> deliver{&args->op, &output, segment, length, true};
  if (marks.bits != 0) deliver(marks);
  else deliver(expansion_of_warp<Op>());
}
/// A stage of any elements. Out of line, and with all it has to know in shared memory, so that what ordinary data do is
/// all in registers.
template <class Op, class Output>
__device__ __noinline__ void take_any_stage(const segment_arguments<Op, Output>* args,
                                            summed_range<typename Op::value_type> all) {
  using T = typename Op::value_type;
  using lane_type = typename prefix_memory<T>::all_lanes;
  constexpr int most_windows = prefix_memory<T>::most_windows;
  segment_walk walk = kept_walk(args->bounds);
  lane_type lanes = lane_type::of(all.x());
  const bool special = !lanes.range.finite();
  if (special) lanes.look_at_finite();
  const window_split split = lanes.split();
  const int lane = walk.lane, low = walk.low, high = low + all.n;
  const auto place_of = [&](int element) { return min(max(element - low, 0), all.n); };
  int count;
#pragma unroll 1
  do {
    const int my_end = walk.end_of_lane();
    count = segment_walk::ended(my_end, high);
    // Lanes have segments that end here, and the one behind them what there is of the next.
    int my_begin = __shfl_up_sync(kernels::whole_warp, my_end, 1);
    if (lane == 0) my_begin = walk.from;
    const int from = place_of(my_begin), to = max(place_of(my_end), from);
    const auto sum_by = [&](const auto& parts_of, double(&sum)[2]) {
      lanes.put_parts(all.sums(), parts_of);
      __syncwarp();
      double before[2];
      all.template sum_before<2>(from, parts_of, before);
      all.template sum_before<2>(to, parts_of, sum);
      __syncwarp();
      sum[0] -= before[0];
      sum[1] -= before[1];
    };
    special_marks marks;
    if (special) {
      double sum[2];
      sum_by([](double x, double(&part)[2]) { part[0] = lane_type::mark_of(x), part[1] = 0; }, sum);
      marks = lane_type::marks_of(sum[0]);
    }
    expansion<most_windows> sum;
    bool zero = split.count <= most_windows;
    if (!zero) sum.lose();
#pragma unroll
    for (int k = 0; k < most_windows; k += 2) {
      if (split.count > most_windows || k >= split.count) continue;
      double part[2];
      sum_by([&](double x, double(&of_x)[2]) { split.parts_of(special && x - x != 0 ? 0.0 : x, k, of_x); }, part);
      sum.part[k] = part[0];
      sum.part[k + 1] = part[1];
      zero = zero && part[0] == 0 && part[1] == 0;
    }
    if (zero && marks.bits == 0) sum.part[0] = all.zero_of(from, to);

    const bool was_open = walk.open;
    if (was_open) {
      add_to_open<Op>(walk, sum, marks, 0);
      if (count > 0) {
        widen_open<Op>(walk);
        if (lane == 0) {
          if (walk.from_before) leave_ended(*args, walk);
          else deliver_open(args, walk.segment(), {walk.marks});
        }
        walk.open = walk.from_before = false;
      }
    }
    const std::int64_t segment = walk.segment() + lane;
    if (lane < count && my_end < my_begin) note_bad(*args, segment);
    if (lane < count && !(was_open && lane == 0)) deliver_segment(args, &sum, marks, to - from, segment);
    __syncwarp();
    if (count > 0) {
      walk.from = __shfl_sync(kernels::whole_warp, my_end, count - 1);
      walk.current += count;
      walk.ask(args->bounds);
    }
    if (count < 32 && !walk.open && walk.from < high && (walk.current < walk.segments || walk.ends_inside)) {
      walk.open = true;
      walk.wide = false;
      walk.marks = 0;
      walk.sum = {};
      add_to_open<Op>(walk, sum, marks, count);
    }
  } while (count == 32);
  walk.low = high;
  keep(walk);
}

}  // namespace multifold::inline v0_1::cuda::segments
