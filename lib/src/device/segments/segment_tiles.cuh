// Segments of any lengths by one kernel. Each block has a contiguous range of the array, which comes through a ring of
// stages in shared memory, and the offsets of the segments that end in it, one a thread at a time. A segment that lies
// in a stage is taken by a thread, by some lanes of a warp or by a warp, as its length asks for; a longer one by the
// block, from stage to stage. What a stage has of a short segment that goes on is carried over in front of the next.
#pragma once

#include "device/segments/staged_segments.cuh"
#include "multifold/cuda/kernels/tiles/ring.cuh"
#include "multifold/cuda/kernels/tiles/walks.cuh"

namespace multifold::inline v0_1::cuda::segments {

/// A stage, for all arrays together: room for what is carried over, then a copy of a range of the array, which begins
/// as far behind a line as it does in memory.
inline constexpr int segment_stages = 2, segment_stage_bytes = 29 << 10, carried_bytes = 4 << 10;
inline constexpr int segment_ring_bytes = segment_stages * segment_stage_bytes;

template <class Op>
struct stage_layout {
  static constexpr int item = sizeof(tile_element<Op>), arrays = tile_elements<typename Op::value_type>::arrays;
  static constexpr int array_bytes = segment_stage_bytes / arrays / tile_line_bytes * tile_line_bytes;
  static constexpr int room_bytes = carried_bytes / arrays / tile_line_bytes * tile_line_bytes;
  static constexpr int most_carried = room_bytes / item;
  static constexpr int elements =
      (array_bytes - room_bytes - tile_line_bytes) / tile_line_bytes * tile_line_bytes / item;
};

/// The occupancy, in blocks an SM.
template <class Op>
inline constexpr int segment_blocks_of = kernels::tile_blocks_of<Op, 1, false>;

template <class Op, class Output>
__global__ void __launch_bounds__(tile_threads, segment_blocks_of<Op>)
    segment_tiles(const tile_element<Op>* data, const tile_element<Op>* more,
                  const __grid_constant__ kernels::tile_map map,
                  const __grid_constant__ segment_arguments<Op, Output> args) {
  using T = tile_element<Op>;
  using layout = stage_layout<Op>;
  using accumulator = typename Op::accumulator;
  constexpr int item = layout::item;
  extern __shared__ __align__(128) std::byte ring[];
  __shared__ std::uint64_t full[segment_stages];
  __shared__ segment_position edge[2];
  __shared__ staged_list list;
  __shared__ std::int64_t first_end, crossing;
  alignas(16) __shared__ merge_storage<Op> storage;
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const segment_bounds& bounds = args.bounds;
  if (warp < 2) {
    const segment_position at = position_of(bounds, blockIdx.x + warp, gridDim.x, least_cut_of_blocks);
    if (lane == 0) edge[warp] = at;
  }
  if constexpr (run_sweeps<Op>::any) {
    if (lane == 0) kernels::start_group_slots();
  }
  if (thread == 0) {
    for (std::uint64_t& barrier : full) kernels::detail::start_barrier(&barrier, 1);
    kernels::detail::show_barriers();
  }
  __syncthreads();
  const segment_position begin = edge[0], end = edge[1];
  // Whether the block begins, and ends, inside of a segment.
  const bool begins_inside = begin.segment < bounds.count && begin.element > bounds[begin.segment];
  const bool ends_inside = end.segment < bounds.count && end.element > bounds[end.segment];
  const auto address = [&](int a, std::int64_t element) {
    return reinterpret_cast<const std::byte*>((a == 0 ? data : more) + element);
  };
  // Of every stage: they are whole lines apart.
  const auto shift_of = [&](int a) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(address(a, begin.element)) % tile_line_bytes);
  };
  const auto stage_of = [&](int a, int s) {
    return ring + s * segment_stage_bytes + a * layout::array_bytes + layout::room_bytes + shift_of(a);
  };
  const auto fetch = [&](int s, std::int64_t from) {
    if (warp != 0) return;
    const std::int64_t elements = min(end.element - from, std::int64_t{layout::elements});
    if (elements > 0 && kernels::asks_for_piece(lane)) {
      for (int a = 0; a < layout::arrays; ++a)
        kernels::copy_piece_of_warp<T>(stage_of(a, s), {address(a, from), elements * item},
                                       a == 0 ? args.array : args.second, &full[s], lane);
    }
    arrive_of_warp(&full[s]);
  };
  for (int s = 0; s < segment_stages; ++s) fetch(s, begin.element + s * layout::elements);

  std::int64_t current = begin.segment;  // the first one that has not ended
  bool open = begins_inside;             // the block gathers it from stage to stage
  bool from_before = begins_inside;      // and it began in an earlier block
  accumulator mine = args.op.identity();
  Output output = args.output;
  int carried = 0;
  std::int64_t open_begin = begins_inside ? bounds[begin.segment] : 0;
  // The segment of a thread in the next step: beyond the last one, an empty one that has no end.
  std::int64_t next_begin, next_end;
  const auto ask = [&] {
    const std::int64_t i = current + thread;
    next_begin = next_end = INT64_MAX;
    if (i >= end.segment) return;
    next_begin = bounds.raw(i);
    next_end = bounds.raw(i + 1);
  };
  ask();
  for (unsigned number = 0;; ++number) {
    const int s = static_cast<int>(number % segment_stages);
    const std::int64_t low = begin.element + number * std::int64_t{layout::elements};
    const std::int64_t high = min(low + layout::elements, end.element);
    if (number > 0 && low >= end.element) break;
    kernels::detail::wait_for(&full[s], number / segment_stages % 2);
    const std::byte* const here = stage_of(0, s);
    const int beyond = layout::arrays == 1 ? 0 : static_cast<int>(stage_of(layout::arrays - 1, s) - here);
    const stage_view<Op> stage{here, beyond, &map};
    const auto in_stage = [&](std::int64_t element) {
      return static_cast<int>(min(max(element, low - carried), high) - low);
    };
    const auto begin_of_crossing = [&] {
      return current < end.segment ? crossing : ends_inside ? bounds[end.segment] : high;
    };
    for (bool whole_step = true; whole_step;) {
      const std::int64_t my_begin = next_begin, my_end = next_end;
      const bool is_there = current + thread < end.segment;
      if (thread == 0) list.few = list.warps = list.longs = 0;
      const int count = __syncthreads_count(is_there && my_end <= high);
      if (open && count == 0) {  // all of the stage
        if (high > low) add_open(&args.op, &mine, stage, {0, in_stage(high), 0}, low - open_begin);
        break;
      }
      whole_step = count == tile_threads;
      if (is_there && (my_begin < 0 || my_end < my_begin || my_end > bounds.elements))
        atomicMax(args.bad, static_cast<unsigned long long>(bounds.count - (current + thread)));
      if (thread == 0) first_end = my_end;
      if (thread == count) crossing = my_begin;
      const bool was_open = open;
      staged_segment own{in_stage(my_begin), 0, thread};
      own.rows = max(in_stage(my_end) - own.first, 0);
      if (own.rows == 0) own.first = 0;
      const bool taken = thread < count && !(was_open && thread == 0), alone = taken && own.rows <= most_alone;
      if (taken && !alone) {
        if (own.rows <= most_of_few) list.grouped[atomicAdd(&list.few, 1)] = own;
        else if (own.rows <= most_of_warp) list.grouped[tile_threads - 1 - atomicAdd(&list.warps, 1)] = own;
        else list.of_block[min(atomicAdd(&list.longs, 1), staged_list::most_long - 1)] = own;
      }
      const std::int64_t base = current;
      current += count;
      ask();
      __syncthreads();
      if (count > 0) take_segments(&args, &output, &list, stage, own, alone, base);
      // By the block: the segment that was open, those that are long, and the one that goes on, if it is not short.
      const int longs = min(list.longs, staged_list::most_long);
#pragma unroll 1
      for (int i = was_open ? -1 : 0; i <= longs; ++i) {
        staged_segment p{};
        if (i < 0) {
          p.rows = in_stage(first_end);
        } else if (i < longs) {
          p = list.of_block[i];
        } else {
          if (whole_step) break;
          p.segment = count;
          p.first = in_stage(begin_of_crossing());
          p.rows = in_stage(high) - p.first;
          if (p.rows <= 0 || (high < end.element && p.rows <= layout::most_carried)) break;
        }
        const std::int64_t segment = base + p.segment;
        if (i >= 0) {
          mine = args.op.identity();
          open_begin = low + p.first;
        }
        if (p.rows > 0) add_open(&args.op, &mine, stage, p, low + p.first - open_begin);
        open = i == longs;
        if (open) break;
        const accumulator value = merge_block(args.op, mine, storage);
        if (thread == 0) {
          if (i < 0 && from_before) args.ended[blockIdx.x] = value;
          else whole_segment<Op, Output>{&args.op, &output, segment, bounds.length(segment), true}(value);
        }
        __syncthreads();
      }
      from_before = false;
      __syncthreads();
    }
    // What is left of a segment that is not open is carried over.
    int left = 0;
    if (!open && high < end.element) {
      left = in_stage(high) - in_stage(begin_of_crossing());
      for (int a = 0; a < layout::arrays; ++a) {
        const T* const from_here = reinterpret_cast<const T*>(stage_of(a, s)) + (in_stage(high) - left);
        T* const to = reinterpret_cast<T*>(stage_of(a, (s + 1) % segment_stages)) - left;
        for (int i = thread; i < left; i += tile_threads) to[i] = from_here[i];
      }
    }
    __syncthreads();
    carried = left;
    fetch(s, low + segment_stages * std::int64_t{layout::elements});
  }
  if (current < end.segment && thread == 0)  // offsets do not ascend
    atomicMax(args.bad, static_cast<unsigned long long>(bounds.count - current));
  if (begins_inside && from_before && thread == 0) args.cuts[blockIdx.x].goes_on = 1;
  if (!open || (!from_before && !ends_inside)) return;
  const accumulator value = merge_block(args.op, mine, storage);
  if (thread != 0) return;
  if (from_before) {
    args.ended[blockIdx.x] = value;
  } else {
    args.begun[blockIdx.x] = value;
    args.cuts[blockIdx.x].begun = end.segment + 1;
  }
}

}  // namespace multifold::inline v0_1::cuda::segments
