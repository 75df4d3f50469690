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
template <class Op, class Output>
__device__ __noinline__ void deliver_segment(const segment_arguments<Op, Output>* args,
                                             summed_range<typename Op::value_type> range, int from, int to,
                                             std::int64_t segment) {
  using T = typename Op::value_type;
  Output output = args->output;
  const whole_segment<Op, Output> deliver{&args->op, &output, segment, to - from, true};
  expansion<prefix_memory<T>::shortest_windows> sum;
  if (range.windows == 0) {
    sum.lose();
    return deliver(sum);
  }
  const special_marks marks = range.marks_of(from, to);
  if (marks.bits != 0) return deliver(marks);
  bool zero = true;
#pragma unroll
  for (int k = 0; k < prefix_memory<T>::shortest_windows; ++k) {
    sum.part[k] = k < range.windows ? range.sum_of(k, from, to) : 0.0;
    zero = zero && sum.part[k] == 0;
  }
  if (zero) sum.part[0] = range.zero_of(from, to);
  deliver(sum);
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
__device__ void leave_ended(const segment_arguments<Op, Output>& args, const segment_walk& walk, int number) {
  args.ended[number] = expansion_of_warp<Op>();
  args.cuts[number].ended_marks = static_cast<std::uint16_t>(walk.marks);
}

/// The sum of a whole segment in one or two windows, to results in order. False: it is not certain.
template <class Op, class Output>
__device__ __forceinline__ bool store_plainly(const segment_arguments<Op, Output>& args,
                                              const summed_range<typename Op::value_type>& range, int from, int to,
                                              std::int64_t segment) {
  if (range.windows == 1) {
    double sum = range.sum_of(0, from, to);
    if (sum == 0) sum = range.zero_of(from, to);
    return args.output.store_plainly(segment, sum, to - from);
  }
  return args.output.store_plainly(segment, pair_of<false>(range, from, to), to - from);
}

/// Takes the next elements, whose prefix sums are there. `Plainly`: of no more than two windows and finite, to results
/// in order. False, if that does not do, and nothing has been taken.
template <bool Plainly, class Op, class Output>
__device__ __forceinline__ bool take_range(const segment_arguments<Op, Output>& args,
                                           const summed_range<typename Op::value_type>& range, segment_walk& walk,
                                           int number) {
  const int lane = lane_of_thread(), n = range.n, low = walk.low, high = low + n;
  const auto place_of = [&](int element) { return min(max(element - low, 0), n); };
  int taken = 0;
  if (walk.open) {
    const int end = walk.end_of_current(), to = place_of(end);
    if constexpr (Plainly) {
      if (end <= high && !walk.from_before && (walk.wide || walk.marks != 0)) return false;
      if (to > 0) {
        const exact_pair more = pair_of<true>(range, 0, to);
        if (end > high || walk.from_before) {
          add_to_open<Op>(walk, more);
        } else {
          const exact_pair sum = sum_of_pairs(walk.sum, more);
          if (sum.lost()) return false;
          walk.sum = sum;
        }
      }
    } else {
      add_any_to_open<Op>(walk, range, 0, to);
    }
    if (end > high) {
      walk.low = high;
      return true;
    }
    const std::int64_t segment = walk.segment();
    if (Plainly && !walk.from_before) {
      const std::int64_t length = args.output.to.op == op_kind::mean ? args.bounds.length(segment) : 1;
      if (lane == 0 && !args.output.store_plainly(segment, walk.sum, length)) args.output.note_lost(segment);
    } else {
      widen_open<Op>(walk);
      if (lane == 0) {
        if (walk.from_before) leave_ended(args, walk, number);
        else if constexpr (!Plainly) deliver_open(&args, segment, {walk.marks});
      }
    }
    walk.open = walk.from_before = false;
    taken = 1;
  }
  walk.low = high;
#pragma unroll 1
  for (int count = 32; count == 32; taken = 0) {
    const int my_end = walk.end_of_lane();
    int my_begin = __shfl_up_sync(kernels::whole_warp, my_end, 1);
    if (lane == 0) my_begin = walk.from;
    const unsigned missing = __ballot_sync(kernels::whole_warp, my_end > high);
    count = missing == 0 ? 32 : __ffs(static_cast<int>(missing)) - 1;
    if (count == 0) break;
    const std::int64_t segment = walk.segment() + lane;
    walk.from = __shfl_sync(kernels::whole_warp, my_end, count - 1);
    walk.current += count;
    walk.ask(args.bounds);
    if (lane < count && my_end < my_begin) note_bad(args, segment);
    if (lane < count && lane >= taken) {
      const int from = place_of(my_begin), to = max(place_of(my_end), from);
      if constexpr (!Plainly) deliver_segment(&args, range, from, to, segment);
      else if (!store_plainly(args, range, from, to, segment)) args.output.note_lost(segment);
    }
  }
  if (walk.from < high && (walk.current < walk.segments || walk.ends_inside)) {
    walk.open = true;
    walk.wide = false;
    walk.marks = 0;
    if constexpr (Plainly) {
      walk.sum = pair_of<true>(range, place_of(walk.from), n);
    } else {
      walk.sum = {};
      add_any_to_open<Op>(walk, range, place_of(walk.from), n);
    }
  }
  return true;
}

/// All of a stage in one row a lane, behind which zeros are. False, if it takes more windows, or is not finite.
template <class Op, class Output>
__device__ __forceinline__ bool take_stage(const segment_arguments<Op, Output>& args,
                                           const summed_range<typename Op::value_type>& all, segment_walk& walk,
                                           int number) {
  using T = typename Op::value_type;
  using memory = prefix_memory<T>;
  const auto row = lane_row<memory::row, T>::template of<true>(all.x(), all.n);
  const int windows = row.windows();
  if (!row.range.finite() || windows > memory::most_windows) return false;
  if (walk.open && walk.end_of_current() > walk.low + all.n) {
    exact_pair sum = row.total(windows);
    if (sum.high == 0 && sum.low == 0) sum.high = all.zero_of_warp(0, all.n);
    add_to_open<Op>(walk, sum);
    walk.low += all.n;
    return true;
  }
  row.put_windows(all.sums(), windows);
  __syncwarp();
  return take_range<true>(args, summed_range<T>{all.at, all.n, all.sums_at, windows, row.stride}, walk, number);
}

/// Elements that are not to be taken plainly: any. Out of line, and with all it has to know in shared memory, so that
/// what ordinary data do is all in registers.
template <class Op, class Output>
__device__ __noinline__ void take_slowly(const segment_arguments<Op, Output>* args,
                                         summed_range<typename Op::value_type> all, int number) {
  segment_walk walk = walk_of_warp();
  walk.ask(args->bounds);
#pragma unroll 1
  do {
    const auto range = sum_by_short_rows(all);
    __syncwarp();
    take_range<false>(*args, range, walk, number);
    __syncwarp();
    all.n -= range.n;
    all.at += range.n * static_cast<int>(sizeof(typename Op::value_type));
  } while (all.n > 0);
  if (lane_of_thread() == 0) walk_of_warp() = walk;
  __syncwarp();
}

template <class Op, class Output>
__global__ void __launch_bounds__(prefix_memory<typename Op::value_type>::threads,
                                  prefix_memory<typename Op::value_type>::blocks)
    segment_sums(const typename Op::value_type* data, const __grid_constant__ segment_arguments<Op, Output> args) {
  using T = typename Op::value_type;
  using memory = prefix_memory<T>;
  constexpr int item = sizeof(T);
  __shared__ std::uint64_t full[memory::warps][memory::stages];
  const int warp = warp_of_thread(), lane = lane_of_thread();
  const int number = static_cast<int>(blockIdx.x) * memory::warps + warp;
  const int shares = static_cast<int>(gridDim.x) * memory::warps;
  segment_walk walk = segment_walk::along(args.bounds, position_of(args.bounds, number, shares, least_cut_of_warps),
                                          position_of(args.bounds, number + 1, shares, least_cut_of_warps));
  if (lane == 0) {
    for (std::uint64_t& barrier : full[warp]) kernels::detail::start_barrier(&barrier, 1);
    kernels::detail::show_barriers();
    if (walk.first_segment == 0 && args.bounds.raw(0) < 0) note_bad(args, 0);
  }
  __syncwarp();
  const T* const elements = data + walk.first_element;
  constexpr int stage_elements_bytes = memory::elements * item;
  static_assert(memory::stages * stage_elements_bytes % memory::line == 0);  // each begins at one place of its line
  const auto fetch = [&](int s, int at, int from, bool first) {
    const int left = walk.elements - from;
    if (left > 0 && kernels::asks_for_piece(lane)) {
      const auto* const source = reinterpret_cast<const std::byte*>(elements + from);
      std::byte* const to = prefix_memory_of_block() + at;
      const int behind = at % 16;
      // Most are neither the first nor the last ones: in a few steps.
      if (kernels::detail::has_copy_engine && !first && left > memory::elements + 16)
        kernels::detail::copy_vectors(to - behind, source - behind, stage_elements_bytes + (behind > 0 ? 16 : 0),
                                      &full[warp][s], 0, 1);
      else
        kernels::copy_piece_of_warp<T>(to, {source, min(left, memory::elements) * item}, args.array, &full[warp][s],
                                       lane);
    }
    arrive_of_warp(&full[warp][s]);
  };
  const int sums_at = warp * memory::warp_bytes + memory::stages * memory::stage_bytes;
  int at = 0, next_at = 0;  // of this stage, and of the other
#pragma unroll
  for (int s = memory::stages - 1; s >= 0; --s) {
    next_at = at;
    at = warp * memory::warp_bytes + s * memory::stage_bytes +
         static_cast<int>(reinterpret_cast<std::uintptr_t>(elements + s * memory::elements) % memory::line);
    fetch(s, at, s * memory::elements, true);
  }

  int s = 0;
  unsigned phase = 0;
  const auto next_stage = [&] {
    __syncwarp();
    fetch(s, at, walk.low + (memory::stages - 1) * memory::elements, false);
    const int other = at;
    at = next_at;
    next_at = other;
    s ^= 1;
    phase ^= s == 0 ? 1u : 0u;
  };
  // Elements that are not taken plainly leave the loop: a call in it would have what it needs in memory.
#pragma unroll 1
  for (bool more = true; more;) {
    summed_range<T> all{0, 0, sums_at};
    bool taken;
#pragma unroll 1
    do {
      const int n = min(walk.elements - walk.low, memory::elements);
      kernels::detail::wait_for(&full[warp][s], phase);
      all.at = at;
      all.n = n;
      if (n < memory::elements) {
        auto* const x = reinterpret_cast<T*>(prefix_memory_of_block() + at);
        for (int i = n + lane; i < memory::elements; i += 32) x[i] = T{};
        __syncwarp();
      }
      taken = args.output.in_order && take_stage(args, all, walk, number);
      if (!taken) break;
      next_stage();
    } while (walk.low < walk.elements);
    if (!taken) {
      if (lane == 0) walk_of_warp() = walk;
      __syncwarp();
      take_slowly(&args, all, number);
      walk = walk_of_warp();
      walk.ask(args.bounds);
      next_stage();
    }
    more = walk.low < walk.elements;
  }
  const bool goes_on = walk.open && (walk.from_before || walk.ends_inside);
  if (goes_on) widen_open<Op>(walk);
  if (lane != 0) return;
  if (walk.current < walk.segments) note_bad(args, walk.segment());  // offsets do not ascend
  if (walk.from_before) args.cuts[number].goes_on = 1;
  if (!goes_on) return;
  if (walk.from_before) {
    leave_ended(args, walk, number);
  } else {
    args.begun[number] = expansion_of_warp<Op>();
    args.cuts[number].begun_marks = static_cast<std::uint16_t>(walk.marks);
    args.cuts[number].begun = walk.first_segment + walk.segments + 1;
  }
}

}  // namespace multifold::cuda::segments
