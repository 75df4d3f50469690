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
#include "multifold/cuda/kernels/runs/lone_runs.cuh"
#include "multifold/cuda/kernels/runs/short_runs.cuh"
#include "multifold/cuda/kernels/runs/whole_runs.cuh"
#include "multifold/cuda/kernels/tiles/reader.cuh"
#include "multifold/cuda/kernels/tiles/stream.cuh"

namespace multifold::inline v0_1::cuda::kernels {

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
  using stream_type = tile_stream<Width, T, arrays>;
  extern __shared__ __align__(128) std::byte ring[];
  __shared__ stream_type stream;
  alignas(16) __shared__ block_storage<Op, Whole ? 1 : tile_threads> storage;
  let_next_start();
  const bool leads = threadIdx.x % 32 == 0, pieces = map.pitch != 0;
  const auto from = [&]() -> typename stream_type::template source<pass_arguments<Op, Output>> {
    if constexpr (arrays == 2) return {{data, more}, &map, &args};
    else return {{data}, &map, &args};
  }();
  if constexpr (Whole) {
    if (leads) start_group_slots();
  } else if constexpr (run_sweeps<Op>::any) {
    if (leads) start_group_slots(slots_in(storage));
  }
  stream.start(ring, from);
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
    const tile_view& view = stream.wait_for(number);
    if (view.runs < 0) break;
    const std::byte* const here = stream_type::place_of(ring, number, view);
    const int beyond = stream_type::beyond(view);
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
          if constexpr (sweeps::any) sweeps::add_open(args.op, mine[0].kept, reader.run_of(place, true));
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
          if (keeps || args.partials.data != nullptr) {
            args.partials.data[batch * args.parts + view.part] = value;
            continue;
          }
          if constexpr (stores_in_order<Output, Op>) {
            if (args.output.in_order && args.output.store_in_order(args.op, batch, value)) continue;
            deliver_alone(&args, batch, value);
          } else {
            args.output(args.op, batch, value);
          }
        }
      }
    }
    stream.release(number, ring, from);
  }
  if constexpr (keeps) {
    if (steps > 0) deliver_kept(&args, kept);
  }
}

}  // namespace multifold::inline v0_1::cuda::kernels
