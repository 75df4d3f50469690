// Exact sums of segments as differences of prefix sums. Each warp has a contiguous range of the array, which comes
// through a ring of its own in shared memory, and the offsets of the segments that end in it, one a lane at a time.
// Lanes first have as many elements each, and then as many segments each: no lane waits for a longer segment of
// another. A segment that goes on behind what the warp has in a stage is gathered from stage to stage.
// Source: prefix sums, Blelloch, CMU-CS-90-190; shares of warps: bounds.cuh. See docs/exact-sums.md, 14.
#pragma once

#include "device/segments/any_stage.cuh"
#include "multifold/cuda/kernels/tiles/ring.cuh"

namespace multifold::inline v0_1::cuda::segments {

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
  segment_walk walk =
      segment_walk::along(args.bounds, number, range_of(args.bounds, number, shares, least_cut_of_warps), behind_line);
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
      __syncwarp();  // it may have been looked at, and not taken
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

}  // namespace multifold::inline v0_1::cuda::segments
