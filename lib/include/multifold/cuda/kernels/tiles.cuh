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
#include "multifold/cuda/kernels/group_slots.cuh"
#include "multifold/cuda/kernels/kept_sums.cuh"
#include "multifold/cuda/kernels/lone_runs.cuh"
#include "multifold/cuda/kernels/short_runs.cuh"
#include "multifold/cuda/kernels/tile_reader.cuh"
#include "multifold/cuda/kernels/tile_ring.cuh"
#include "multifold/cuda/kernels/whole_runs.cuh"

namespace multifold::cuda::kernels {

/// A tile as the threads see it that take its elements.
struct tile_view {
  std::int64_t first_batch;  // of run 0; the runs of outer o come `inner` batches later
  std::int64_t row;          // in the batches, of the tile's first element
  std::int64_t part;
  int runs, rows, columns;  // runs == -1: there are no more tiles
  int words;                // runs an outer, each of which stands for columns so far apart, or for neighbours
  unsigned share_of_word;   // 2^32 over that, rounded up: a quotient of a run's number is a product with it
  unsigned shift[2];        // of the first element of each array behind the beginning of a line
  bool first, last;         // of its part
};

/// Boxes that a block goes through: tile by tile along its part of the length, and then the next ones of the grid's.
struct tile_cursor {
  std::int64_t item, outer, column, part;
  std::int64_t row, end;       // the tile's first row, and the part's last one
  std::int64_t length, items;  // of a batch, and how many boxes there are
  bool first;                  // of its part

  __device__ bool done() const { return item >= items; }
  template <class Arguments>
  __device__ void seek(const tile_map& map, const Arguments& args, std::int64_t number) {
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
  __device__ void advance(const tile_map& map, const Arguments& args) {
    if (last(map)) return seek(map, args, item + gridDim.x);
    row += map.rows;
    first = false;
  }
};

/// Asks for a tile of array `which`: a warp for the one piece that it is, or the whole block for its pieces, each warp
/// for its share. All threads of these must call, and then arrive at the barrier; one `notes` what the tile is.
template <class T>
__device__ void fetch_tile(std::byte* stage, tile_view& view, const T* data, const tile_map& map, const tile_cursor& at,
                           std::uint64_t* full, int which, int width, bool notes) {
  constexpr auto item = static_cast<std::int64_t>(sizeof(T));
  const array_range& array = which == 0 ? map.array : map.second;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const auto least = [](std::int64_t a, std::int64_t b) { return static_cast<int>(min(a, b)); };
  const int outers = least(map.outers, map.outer - at.outer), rows = least(map.rows, at.end - at.row);
  const int columns = least(map.columns, map.inner - at.column);
  const auto* const base =
      reinterpret_cast<const std::byte*>(data + at.outer * map.outer_stride + at.row * map.row_stride + at.column);
  const auto shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(base) % tile_line_bytes);
  if (notes) {
    view.first_batch = at.outer * map.inner + at.column;
    view.row = at.row;
    view.part = at.part;
    const int words = (columns + width - 1) / width;
    view.words = words;
    view.share_of_word = 0xffffffffu / static_cast<unsigned>(words) + 1;
    view.runs = outers * words;
    view.rows = rows;
    view.columns = columns;
    view.shift[which] = shift;
    view.first = at.first;
    view.last = at.last(map);
  }
  std::byte* const to = stage + shift;
  if (map.pitch == 0) {
    const std::int64_t last = (outers - 1) * map.outer_stride + (rows - 1) * map.row_stride + columns;
    if (asks_for_piece(lane) && rows > 0) copy_piece_of_warp<T>(to, {base, last * item}, array, full, lane);
  } else if (rows > 0) {
    // Rows of columns, of one outer, or rows of neighbours, one an outer.
    const bool of_columns = map.inner > 1;
    const std::int64_t step = (of_columns ? map.row_stride : map.outer_stride) * item;
    const int pieces = of_columns ? rows : outers, bytes = (of_columns ? columns : rows) * item;
    constexpr int warps = tile_threads / 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;  // the lanes of a warp ask one after the other
    for (int q = lane * warps + warp; q < pieces; q += tile_threads)
      copy_piece<T>(to + q * map.pitch, {base + q * step, bytes}, array, full);
  }
}

/// Columns that a thread takes together, where there are columns: more of narrow elements, as far as their values leave
/// registers for it.
template <class Op>
inline constexpr int tile_columns_of = [] {
  constexpr int most = most_tile_columns(sizeof(tile_element<Op>));
  if constexpr (requires { Op::most_columns; }) return most < Op::most_columns ? most : Op::most_columns;
  else return most;
}();

/// Slots for groups in what no lane puts its value in where runs are rows of such groups.
template <class Op, int Threads>
__device__ group_slots& slots_in(block_storage<Op, Threads>& storage) {
  static_assert(sizeof(storage) >= sizeof(group_slots));
  return reinterpret_cast<group_slots&>(storage);
}

/// Dynamic shared memory: tile_ring_bytes. `more` is the second array, if there is one. `Whole`: an operation that
/// looks at runs more than once has all of a batch in a tile, whose lanes are neighbours. Then nothing but those holds
/// warps together: each goes on without runs that it has no lane of, and begins with other ones in every tile, so that
/// two tiles of few runs are taken at once.
template <int Width, bool Whole, class Op, class Output>
__global__ void __launch_bounds__(tile_threads, (tile_blocks_of<Op, Width, Whole>))
    tiles(const tile_element<Op>* data, const tile_element<Op>* more, const __grid_constant__ tile_map map,
          const __grid_constant__ pass_arguments<Op, Output> args) {
  using T = tile_element<Op>;
  static_assert(Width == 1 || !run_sweeps<Op>::any || (Whole && Width == whole_columns_of<Op>));
  constexpr int item = sizeof(T), arrays = tile_elements<typename Op::value_type>::arrays;
  constexpr std::int64_t array_bytes = tile_stage_bytes / arrays / tile_line_bytes * tile_line_bytes;
  extern __shared__ __align__(128) std::byte ring[];
  __shared__ std::uint64_t full[tile_stages],
      empty[tile_stages];  // whether a stage has come, and everybody has read it
  __shared__ tile_view views[tile_stages];
  alignas(16) __shared__ block_storage<Op, Whole ? 1 : tile_threads> storage;
  let_next_start();
  constexpr int warps = tile_threads / 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const bool leads = threadIdx.x % 32 == 0;
  // What a stage brings next, for whoever fetches: registers are for what is gathered. One thread moves on while others
  // still ask.
  __shared__ tile_cursor ahead[tile_stages];
  const bool pieces = map.pitch != 0;  // a tile is many, for which all warps ask
  const auto fetch = [&](int s) {
    const tile_cursor& at = ahead[s];
    const bool notes = pieces ? threadIdx.x == 0 : leads;
    if (at.done()) {
      if (notes) views[s].runs = -1;
    } else {
      std::byte* const stage = ring + s * tile_stage_bytes;
      fetch_tile(stage, views[s], data, map, at, &full[s], 0, Width, notes);
      if constexpr (arrays == 2) fetch_tile(stage + array_bytes, views[s], more, map, at, &full[s], 1, Width, notes);
    }
    if (notes) {
      tile_cursor& next = ahead[(s + 1) % tile_stages];
      next = at;
      if (!at.done()) next.advance(map, args);
    }
    detail::arrive(&full[s]);
    __syncwarp();
  };
  if constexpr (Whole) {
    if (leads) start_group_slots();
  } else if constexpr (run_sweeps<Op>::any) {
    if (leads) start_group_slots(slots_in(storage));
  }
  if (threadIdx.x == 0) {
    ahead[0].length = args.length;
    ahead[0].items = map.blocks_of_outer * map.chunks * args.parts;
    ahead[0].seek(map, args, blockIdx.x);
    for (std::uint64_t& barrier : full) detail::start_barrier(&barrier, pieces ? tile_threads : 32);
    for (std::uint64_t& barrier : empty) detail::start_barrier(&barrier, tile_threads);
    detail::show_barriers();
  }
#pragma unroll 1
  for (int s = 0; s < tile_stages; ++s) {
    __syncthreads();
    if (pieces || warp == 0) fetch(s);
  }
  __syncthreads();
  const tile_lanes lanes(Whole && Width > 1 ? 1 : map.group, map.inner == 1);
  const int stride = map.inner == 1 ? item : pieces ? map.pitch : static_cast<int>(map.row_stride) * item;
  const int outer_step =
      pieces ? map.pitch : static_cast<int>(map.outer_stride) * item;  // of columns in pieces is none
  const tile_reader<Width, Op> reader{map, stride, lanes.group, lanes.lane};
  run_value<Op> mine[Width];
  constexpr bool keeps = keeps_sums<Op, Whole>;
  [[maybe_unused]] typename kept_sums<Op, Whole>::type kept;
  [[maybe_unused]] int steps = 0;  // whose sums are kept
  constexpr bool beside = takes_words<Op, Width>;
  constexpr bool lone = !Whole && !keeps && has_lone_runs<Width, Op, Output>;
  constexpr bool brief = (Whole || !run_sweeps<Op>::any) && has_short_runs<Op, Output>;
  [[maybe_unused]] bool alone = false;
  [[maybe_unused]] int rest = 0;  // tiles that are not taken as short runs
  if constexpr (lone || brief) {
    alone = lanes.group == 1 && args.parts == 1 && args.partials.data == nullptr && args.output.in_order &&
            map.rows < reader.vector_rows;
  }
  for (unsigned number = 0;; ++number) {
    const unsigned stage = number % tile_stages;
    detail::wait_for(&full[stage], number / tile_stages % 2);
    const tile_view& view = views[stage];
    if (view.runs < 0) break;
    const std::byte* const here = ring + stage * tile_stage_bytes + view.shift[0];
    const int beyond =
        arrays == 1 ? 0 : static_cast<int>(array_bytes + view.shift[1]) - static_cast<int>(view.shift[0]);
    bool taken = false;
    if constexpr (brief) {
      if (rest > 0) {
        --rest;
      } else if (alone && map.rows <= short_runs<Op>::most_rows && view.first && view.last) {
        taken = take_short_runs(view, here, outer_step, beyond, reader, args);
        if (!taken) rest = short_run_rest;
      }
    }
    if constexpr (lone) {
      if (alone && !taken && view.first && view.last) {
        take_lone_runs(view, here, outer_step, reader, args);
        taken = true;
      }
    }
    // Warps that have runs as a whole change places from tile to tile, and do without the step where there is no run.
    const bool turns = Whole && Width == 1 && lanes.rows && lanes.group >= 32;
    const auto goes_on = [&](int r) { return turns ? r < view.runs : r - lanes.first < view.runs; };
    for (int r = turns ? lanes.first_of(number) : lanes.first; !taken && goes_on(r); r += lanes.together) {
      const int words = view.words, apart = beside ? 1 : words;
      const int o = words > 1 ? static_cast<int>(__umulhi(static_cast<unsigned>(r), view.share_of_word)) : r;
      const int c = (r - o * words) * (beside ? Width : 1);
      const bool active = r < view.runs;
      const std::byte* const run = active ? here + o * outer_step + c * item : here;
      run_place place{{run, run + beyond},
                      view.rows,
                      o,
                      apart * item,
                      {args.first_index + view.row * map.index_step, map.index_step},
                      view.rows};
      const std::int64_t first_batch = view.first_batch + o * map.inner + c;
      const auto has = [&](int j) { return active && (Width == 1 || c + j * apart < view.columns); };
      const auto leaves = [&](int j) { return lanes.lane == 0 && has(j); };
      using sweeps = run_sweeps<Op>;
      if constexpr (Whole && Width > 1) {
        const whole_columns<Width, Op, Output> columns{&args, first_batch, words, active ? view.columns - c : 0};
        sweeps::whole_columns(args.op, reader.run_of(place, active), columns);
      } else if constexpr (Whole && keeps) {
        const sum_keeper keep{&args, kept, steps, first_batch, lanes.lane, lanes.group, active};
        sweeps::whole(args.op, reader.run_of(place, active), keep);
      } else if constexpr (Whole) {
        sweeps::whole(args.op, reader.run_of(place, active), whole_batch<Op, Output>{&args, first_batch, leaves(0)});
      } else {
        if (view.first) {
#pragma unroll
          for (auto& each : mine) each = run_value<Op>(args.op);
        }
        if (active) {
          if constexpr (sweeps::any) sweeps::add_piece(args.op, mine[0].kept, reader.run_of(place, true));
          else reader.absorb(args.op, mine, place);
        }
        if (!view.last) continue;
          // A loop, since what becomes of a value is a lot of code; values stay in registers.
#pragma unroll 1
        for (int j = 0; j < Width; ++j) {
          auto value = mine[0].kept;
#pragma unroll
          for (int k = 1; k < Width; ++k) {
            if (k == j) value = mine[k].kept;
          }
          if constexpr (sweeps::any) {
            if (lanes.rows && lanes.group > 32) value = sweeps::merge_row(slots_in(storage), lanes.group, value);
            else value = merge_lanes(args.op, lanes, value, storage);
          } else {
            value = merge_lanes(args.op, lanes, value, storage);
          }
          const std::int64_t batch = first_batch + j * apart;
          if constexpr (keeps) {
            if (args.partials.data == nullptr) {
              const bool shared = lanes.rows && lanes.group <= 32;  // by lanes of a warp, which all have the value
              const sum_keeper keep{&args,
                                    kept,
                                    steps,
                                    batch,
                                    shared ? lanes.lane : 0,
                                    shared ? lanes.group : 1,
                                    shared ? has(j) : leaves(j)};
              keep(value);
              continue;
            }
          }
          if (!leaves(j)) continue;
          if (!keeps && args.partials.data == nullptr) args.output(args.op, batch, value);
          else args.partials.data[batch * args.parts + view.part] = value;
        }
      }
    }
    // All ask for the pieces that come here next: one warp takes longer for them than all do for a tile. Else warps go
    // on as they are done, and take turns in waiting for the others and asking.
    if (pieces) {
      __syncthreads();
      fetch(static_cast<int>(stage));
      continue;
    }
    detail::arrive(&empty[stage]);
    if (warp == static_cast<int>(number % warps)) {
      detail::wait_for(&empty[stage], number / tile_stages % 2);
      fetch(static_cast<int>(stage));
    }
  }
  if constexpr (keeps) {
    if (steps > 0) deliver_kept(&args, kept);
  }
}

}  // namespace multifold::cuda::kernels
