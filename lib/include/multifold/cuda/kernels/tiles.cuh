// Batches of any form by one kernel: memory is read in tiles, whatever the batches are, and a map says whose an element
// of a tile is.
//
// The array is (outer, length, inner), its batches run along `length`. A tile is a box of it in shared memory: whole
// batches where they are short, else some rows of some columns, and then a block takes tile after tile of the same
// batches, its part of them. A group of threads shares a run, which is what a tile has of a batch.
#pragma once

#include <cstdint>

#include "multifold/cuda/kernels/dependent.cuh"
#include "multifold/cuda/kernels/finish.cuh"
#include "multifold/cuda/kernels/tile_ring.cuh"
#include "multifold/cuda/kernels/tile_walks.cuh"

namespace multifold::cuda::kernels {

/// The arrays that an operation reads: one, or two of one shape for an operation on pairs of elements.
template <class T>
struct tile_elements {
  using type = T;
  static constexpr int arrays = 1;
};
template <class T>
struct tile_elements<element_pair<T>> {
  using type = T;
  static constexpr int arrays = 2;
};
template <class Op>
using tile_element = typename tile_elements<typename Op::value_type>::type;

/// Blocks that a multiprocessor holds: threads that gather moments take more registers.
template <class Op>
inline constexpr int tile_blocks_of = most_tile_blocks;
template <class Op>
requires requires { Op::set; }
inline constexpr int tile_blocks_of<Op> = most_moment_tile_blocks;

/// The array and its tiles. Strides are in elements; neighbouring columns, or elements of a row (inner == 1), are
/// neighbours in memory. A second array has the same strides.
struct tile_map {
  array_range array, second;
  std::int64_t outer, inner;
  std::int64_t outer_stride, row_stride;
  std::int64_t blocks_of_outer, chunks;  // boxes along outer, and along inner
  int outers, rows, columns;             // of a box, at most
  int group;                             // threads a run: a power of two up to a block
  int pitch;                             // bytes from piece to piece in a stage; 0 where a box is one piece
  std::int64_t index_step;               // from row to row
  bool turned;                           // a run of outer o begins with its element o * group
};

/// A tile as the threads see it that take its elements.
struct tile_view {
  std::int64_t first_batch;  // of run 0; the runs of outer o come `inner` batches later
  std::int64_t row;          // in the batches, of the tile's first element
  std::int64_t part;
  int runs, rows, columns;  // runs == -1: there are no more tiles
  unsigned shift[2];        // of the first element of each array behind a multiple of 16 bytes
  bool first, last;         // of its part
};

/// Boxes that a block goes through: tile by tile along its part of the length, and then the next ones of the grid's.
struct tile_cursor {
  std::int64_t item, outer, column, part;
  std::int64_t row, end;  // the tile's first row, and the part's last one
  bool first;             // of its part

  template <class Arguments>
  __device__ void seek(const tile_map& map, const Arguments& args, std::int64_t length, std::int64_t number) {
    item = number;
    std::int64_t box = number;
    column = part = 0;
    if (map.chunks > 1) {
      column = box % map.chunks * map.columns;
      box /= map.chunks;
    }
    if (args.parts > 1) {
      part = box % args.parts;
      box /= args.parts;
    }
    outer = box * map.outers;
    row = min(part * args.part_length, length);
    end = length - row < args.part_length ? length : row + args.part_length;
    first = true;
  }
  __device__ bool last(const tile_map& map) const { return row + map.rows >= end; }
  template <class Arguments>
  __device__ void advance(const tile_map& map, const Arguments& args, std::int64_t length) {
    if (last(map)) return seek(map, args, length, item + gridDim.x);
    row += map.rows;
    first = false;
  }
};

/// Asks for a tile of array `which`. All lanes of a warp must call; then one of them arrives at the barrier.
template <class T>
__device__ void fetch_tile(std::byte* stage, tile_view& view, const T* data, const tile_map& map, const tile_cursor& at,
                           std::uint64_t* full, int which) {
  constexpr auto item = static_cast<std::int64_t>(sizeof(T));
  const array_range& array = which == 0 ? map.array : map.second;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const auto least = [](std::int64_t a, std::int64_t b) { return static_cast<int>(min(a, b)); };
  const int outers = least(map.outers, map.outer - at.outer), rows = least(map.rows, at.end - at.row);
  const int columns = least(map.columns, map.inner - at.column);
  const auto* const base =
      reinterpret_cast<const std::byte*>(data + at.outer * map.outer_stride + at.row * map.row_stride + at.column);
  if (lane == 0) {
    view.first_batch = at.outer * map.inner + at.column;
    view.row = at.row;
    view.part = at.part;
    view.runs = outers * columns;
    view.rows = rows;
    view.columns = columns;
    view.shift[which] = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(base) % 16);
    view.first = at.first;
    view.last = at.last(map);
  }
  if (map.pitch == 0) {
    const std::int64_t last = (outers - 1) * map.outer_stride + (rows - 1) * map.row_stride + columns;
    if (lane == 0 && rows > 0) copy_piece<T>(stage, {base, last * item}, array, full);
  } else {
    const bool by_rows = map.inner > 1;
    const int pieces = rows == 0 ? 0 : by_rows ? outers * map.rows : outers;
    for (int q = lane; q < pieces; q += 32) {
      const int o = by_rows ? q / map.rows : q, l = by_rows ? q % map.rows : 0;
      if (l >= rows) continue;
      const std::byte* const from = base + (o * map.outer_stride + l * map.row_stride) * item;
      copy_piece<T>(stage + q * map.pitch, {from, (by_rows ? columns : rows) * item}, array, full);
    }
  }
}

/// Threads of a run, and which run. Those of a row are neighbours, which meet by shuffles; of columns, neighbours have
/// neighbouring columns, and the threads of one meet in shared memory.
struct tile_lanes {
  int group, together;  // threads a run, and runs at once
  int lane, first;
  bool rows;

  __device__ tile_lanes(const tile_map& map)
      : group(map.group),
        together(tile_threads / map.group),
        lane(map.inner == 1 ? static_cast<int>(threadIdx.x) % map.group : static_cast<int>(threadIdx.x) / together),
        first(map.inner == 1 ? static_cast<int>(threadIdx.x) / map.group : static_cast<int>(threadIdx.x) % together),
        rows(map.inner == 1) {}
};

/// The value of a run, in its lane 0. All threads of the block must call.
template <class Op>
__device__ typename Op::accumulator merge_lanes(const Op& op, const tile_lanes& lanes, typename Op::accumulator value,
                                                block_storage<Op, tile_threads>& storage) {
  if (lanes.group == 1) return value;
  if (lanes.rows && lanes.group <= 32) {
    for (int mask = lanes.group / 2; mask > 0; mask /= 2) value = op.combine(value, shuffle_xor(value, mask));
    return value;
  }
  if (lanes.rows && lanes.together == 1) {
    __syncthreads();
    return shuffle_reduce(op, value, storage);
  }
  const int step = lanes.rows ? 1 : lanes.together, slot = static_cast<int>(threadIdx.x);
  __syncthreads();
  storage.slots[slot] = value;
  for (int half = lanes.group / 2; half > 0; half /= 2) {
    __syncthreads();
    if (lanes.lane < half) {
      value = op.combine(value, storage.slots[slot + half * step]);
      storage.slots[slot] = value;
    }
  }
  return value;
}

/// The elements of a run that are a lane's, on the walk that serves best; `first` is where the run begins in the tile,
/// behind the shift of its array.
template <class Op>
struct tile_reader {
  using T = tile_element<Op>;
  const tile_map& map;
  int stride, group, lane;
  unsigned bend;

  __device__ void absorb(const Op& op, thread_value<Op>& mine, const std::byte* const (&first)[2],
                         const unsigned (&shift)[2], int rows, int outer, const run_indices& index) const {
    const auto along = [&](const auto& walk_of) {
      if constexpr (tile_elements<typename Op::value_type>::arrays == 1) {
        absorb_run(op, mine, walk_of(0), rows, lane, group, index);
      } else {
        absorb_run(op, mine, pair_walk<typename Op::value_type, decltype(walk_of(0))>{walk_of(0), walk_of(1)}, rows,
                   lane, group, index);
      }
    };
    if (bend != 0) {
      along([&](int a) { return bent_walk<T>(first[a], stride, shift[a], bend, lane, group); });
    } else if (map.turned && rows >= group) {
      along([&](int a) { return turned_walk<T>(first[a] + shift[a], stride, rows, outer * group, lane, group); });
    } else {
      along([&](int a) { return straight_walk<T>(first[a] + shift[a], stride, lane, group); });
    }
  }
};

/// Dynamic shared memory: tile_stages * tile_stage_bytes. `more` is the second array, if there is one.
template <class Op, class Output>
__global__ void __launch_bounds__(tile_threads, tile_blocks_of<Op>)
    tiles(const tile_element<Op>* data, const tile_element<Op>* more, const __grid_constant__ tile_map map,
          const __grid_constant__ pass_arguments<Op, Output> args) {
  using T = tile_element<Op>;
  constexpr int item = sizeof(T), arrays = tile_elements<typename Op::value_type>::arrays;
  constexpr std::int64_t array_bytes = tile_stage_bytes / arrays;
  extern __shared__ __align__(128) std::byte ring[];
  __shared__ std::uint64_t full[tile_stages];
  __shared__ tile_view views[tile_stages];
  __shared__ block_storage<Op, tile_threads> storage;
  let_next_start();
  const bool fetches = threadIdx.x < 32;
  const std::int64_t length = args.length, items = map.blocks_of_outer * map.chunks * args.parts;
  tile_cursor ahead{};
  const auto fetch = [&](int s) {
    if (ahead.item < items) {
      std::byte* const stage = ring + s * tile_stage_bytes;
      fetch_tile(stage, views[s], data, map, ahead, &full[s], 0);
      if constexpr (arrays == 2) fetch_tile(stage + array_bytes, views[s], more, map, ahead, &full[s], 1);
      ahead.advance(map, args, length);
    } else if (threadIdx.x == 0) {
      views[s].runs = -1;
    }
    __syncwarp();
    if (threadIdx.x == 0) detail::arrive(&full[s]);
  };
  if (fetches) {
    ahead.seek(map, args, length, blockIdx.x);
    if (threadIdx.x == 0) {
      for (std::uint64_t& barrier : full) detail::start_barrier(&barrier);
      detail::show_barriers();
    }
    __syncwarp();
    for (int s = 0; s < tile_stages; ++s) fetch(s);
  }
  __syncthreads();
  const tile_lanes lanes(map);
  const auto row_bytes = static_cast<unsigned>(map.row_stride) * item;
  const auto outer_bytes = static_cast<unsigned>(map.outer_stride) * item;
  const bool joined = map.pitch == 0, by_rows = !joined && map.inner > 1;
  const unsigned bend = by_rows ? row_bytes % 16 : 0;
  const int stride = map.inner == 1 ? item : joined ? static_cast<int>(row_bytes) : map.pitch;
  const int outer_step = joined ? static_cast<int>(outer_bytes) : by_rows ? map.rows * map.pitch : map.pitch;
  const tile_reader<Op> reader{map, stride, lanes.group, lanes.lane, bend};
  thread_value<Op> mine(args.op);
  int stage = 0;
  for (unsigned parity = 0;;) {
    detail::wait_for(&full[stage], parity);
    const tile_view view = views[stage];
    if (view.runs < 0) break;
    const std::byte* const here = ring + stage * tile_stage_bytes;
    for (int r = lanes.first; r - lanes.first < view.runs; r += lanes.together) {
      if (view.first) mine = thread_value<Op>(args.op);
      int o = r, c = 0;
      if (view.columns > 1) {
        o = static_cast<int>(static_cast<unsigned>(r) / static_cast<unsigned>(view.columns));
        c = r - o * view.columns;
      }
      if (r < view.runs) {
        const std::byte* const run = here + o * outer_step + c * item;
        const std::byte* const first[2] = {run, run + array_bytes};
        unsigned shift[2] = {view.shift[0], view.shift[arrays - 1]};
        if (!joined) {
          for (unsigned& each : shift) each = (each + static_cast<unsigned>(o) * outer_bytes) % 16;
        }
        const run_indices index{args.first_index + view.row * map.index_step, map.index_step};
        reader.absorb(args.op, mine, first, shift, view.rows, o, index);
      }
      if (!view.last) continue;
      const auto value = merge_lanes(args.op, lanes, mine.value(args.op), storage);
      if (lanes.lane != 0 || r >= view.runs) continue;
      const std::int64_t batch = view.first_batch + o * map.inner + c;
      if (args.partials.data == nullptr) args.output(args.op, batch, value);
      else args.partials.data[batch * args.parts + view.part] = value;
    }
    __syncthreads();
    if (fetches) fetch(stage);
    if (++stage == tile_stages) {
      stage = 0;
      parity ^= 1;
    }
  }
}

}  // namespace multifold::cuda::kernels
