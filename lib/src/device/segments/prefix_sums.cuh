// Exact sums of segments as differences of prefix sums. Each warp has a contiguous range of the array, which comes
// through a ring of its own in shared memory, and the offsets of the segments that end in it, one a lane at a time.
// Lanes first have as many elements each, and then as many segments each: no lane waits for a longer segment of
// another. A segment that goes on behind what the warp has in a stage is gathered from stage to stage.
// Source: prefix sums, Blelloch, CMU-CS-90-190; shares of warps: bounds.cuh. See docs/exact-sums.md, 14.
#pragma once

#include "device/segments/pieces.cuh"
#include "device/segments/segment_walk.cuh"
#include "multifold/cuda/kernels/tile_ring.cuh"

namespace multifold::cuda::segments {

template <class Op, class Output>
__device__ void note_bad(const segment_arguments<Op, Output>& args, std::int64_t segment) {
  atomicMax(args.bad, static_cast<unsigned long long>(args.bounds.count - segment));
}

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
/// What another share, or several, have of it, too.
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
    const unsigned missing = __ballot_sync(kernels::whole_warp, my_end > high);
    count = missing == 0 ? 32 : __ffs(static_cast<int>(missing)) - 1;
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
    const unsigned missing = __ballot_sync(kernels::whole_warp, my_end > high);
    count = missing == 0 ? 32 : __ffs(static_cast<int>(missing)) - 1;
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

template <class Op, class Output>
__global__ void __launch_bounds__(prefix_memory<typename Op::value_type>::threads,
                                  prefix_memory<typename Op::value_type>::blocks)
    segment_sums(const typename Op::value_type* data, const __grid_constant__ segment_arguments<Op, Output> args) {
  using T = typename Op::value_type;
  using memory = prefix_memory<T>;
  constexpr int item = sizeof(T);
  __shared__ std::uint64_t barriers[memory::warps][memory::stages];
  const int number = static_cast<int>(blockIdx.x) * memory::warps + warp_of_thread();
  const int shares = static_cast<int>(gridDim.x) * memory::warps;
  const auto behind_line = [&](std::int64_t element) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(data + element) % memory::line) / item;
  };
  segment_walk walk = segment_walk::along(args.bounds, number,
                                          stretch_of(args.bounds, number, shares, least_cut_of_warps), behind_line);
  // All that follows is found from the walk, again where it is asked for.
  const auto place = [&] { return walk.number % memory::warps * memory::warp_bytes; };
  const auto full = [&] { return &barriers[walk.number % memory::warps][walk.stage]; };
  const auto line = [&] { return reinterpret_cast<const std::byte*>(data) + walk.first_element * item; };
  const auto missing = [&] {  // bytes in front of the array
    return static_cast<int>(max(args.array.first - line(), std::int64_t{0}));
  };
  if (walk.lane == 0) {
    for (std::uint64_t& barrier : barriers[number % memory::warps]) kernels::detail::start_barrier(&barrier, 1);
    kernels::detail::show_barriers();
    if (walk.first_segment == 0 && args.bounds.raw(0) < 0) note_bad(args, 0);
  }
  __syncwarp();
  const auto fetch = [&](int from, bool first) {
    const int left = walk.elements - from;
    if (left > 0 && kernels::asks_for_piece(walk.lane)) {
      const std::byte* const source = line() + std::int64_t{from} * item;
      std::byte* const to = prefix_memory_of_block() + place() + walk.stage * memory::stage_bytes;
      // Most are neither the first nor the last ones: in a few steps.
      if (!first && left >= memory::elements) {
        kernels::detail::copy_vectors(to, source, memory::stage_bytes, full(), walk.lane,
                                      kernels::detail::has_copy_engine ? 1 : 32);
      } else {
        const int skipped = from == 0 ? missing() : 0;
        kernels::copy_piece_of_warp<T>(to + skipped, {source + skipped, min(left, memory::elements) * item - skipped},
                                       args.array, full(), walk.lane);
      }
    }
    arrive_of_warp(full());
  };
  for (; walk.stage < memory::stages; ++walk.stage) fetch(walk.stage * memory::elements, true);

  const auto wait_for_stage = [&] {
    const int n = min(walk.elements - walk.low, memory::elements);
    kernels::detail::wait_for(full(), walk.phase);
    const summed_range<T> all{place() + walk.stage * memory::stage_bytes, n,
                              place() + memory::stages * memory::stage_bytes};
    const int empty = walk.low == 0 ? missing() / item : 0;
    if (n < memory::elements || empty > 0) {
      auto* const x = reinterpret_cast<T*>(prefix_memory_of_block() + all.at);
      for (int i = walk.lane; i < empty; i += 32) x[i] = T{};
      for (int i = n + walk.lane; i < memory::elements; i += 32) x[i] = T{};
      kernels::detail::show_barriers();
      __syncwarp();
    }
    return all;
  };
  const auto next_stage = [&] {
    __syncwarp();
    fetch(walk.low + (memory::stages - 1) * memory::elements, false);
    walk.stage = walk.stage + 1 == memory::stages ? 0 : walk.stage + 1;
    walk.phase ^= walk.stage == 0 ? 1u : 0u;
  };
  // As many as take so many windows. False, if there is one that does not.
  const auto take_stages = [&]<int Windows>() {
    stage_taken taken;
#pragma unroll 1
    do {
      taken = take_stage<Windows>(args, wait_for_stage(), walk);
      if (taken == stage_taken::no) return false;
      next_stage();
    } while (taken == stage_taken::yes && walk.low < walk.elements);
    return true;
  };

  walk.stage = 0;
#pragma unroll 1
  do {
    bool taken = args.output.in_order && take_stages.template operator()<least_windows<T>>();
    if constexpr (least_windows<T> == 1)
      taken = taken || (args.output.in_order && take_stages.template operator()<2>());
    if (!taken) {
      keep(walk);
      take_any_stage(&args, wait_for_stage());
      walk = kept_walk(args.bounds);
      next_stage();
    }
  } while (walk.low < walk.elements);
  const bool goes_on = walk.open && (walk.from_before || walk.ends_inside);
  if (goes_on) widen_open<Op>(walk);
  if (walk.lane != 0) return;
  if (walk.current < walk.segments) note_bad(args, walk.segment());  // offsets do not ascend
  if (walk.from_before) args.cuts[walk.number].goes_on = 1;
  if (!goes_on) return;
  if (walk.from_before) {
    leave_ended(args, walk);
  } else {
    args.begun[walk.number] = expansion_of_warp<Op>();
    args.cuts[walk.number].begun_marks = static_cast<std::uint16_t>(walk.marks);
    args.cuts[walk.number].begun = walk.first_segment + walk.segments + 1;
  }
}

}  // namespace multifold::cuda::segments
