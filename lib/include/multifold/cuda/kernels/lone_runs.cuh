// Whole batches in a tile that a thread has each alone: their results go where they stand in the order of batches, and
// little is worked out for a run, since short ones cost no more than that.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "multifold/cuda/kernels/arguments.cuh"
#include "multifold/cuda/kernels/tile_reader.cuh"

namespace multifold::cuda::kernels {

/// Outputs that know a quick way for results in the order of their batches: store_in_order(op, batch, value) returns
/// whether it served.
template <class Output, class Op>
concept stores_in_order = requires(const Output& to, const Op& op, const typename Op::accumulator& value) {
  { to.in_order } -> std::convertible_to<bool>;
  { to.store_in_order(op, std::int64_t{}, value) } -> std::same_as<bool>;
};

/// What a thread gathers of a column: less than its accumulator, but where columns are neighbours.
template <int Width, class Op>
using lone_column = std::conditional_t<takes_words<Op, Width>, run_value<Op>, lone_value<Op>>;

/// Operations whose runs are taken so: several columns of wide values would leave registers for nothing else.
template <int Width, class Op, class Output>
inline constexpr bool has_lone_runs =
    !run_sweeps<Op>::any && tile_elements<typename Op::value_type>::arrays == 1 &&
    (Width == 1 || Width * sizeof(lone_column<Width, Op>) <= 32) && stores_in_order<Output, Op>;

/// Rows that a thread takes together, as columns: so many, if they are short.
template <class Op>
inline constexpr int lone_rows = sizeof(lone_value<Op>) <= 8    ? 4
                                 : sizeof(lone_value<Op>) <= 16 ? 2
                                                                : 1;
inline constexpr int most_lone_elements = 64;  // of a thread then: more leave too few rows for all threads

// Out of line: what the quick way does not serve is a lot of code, and rare.
template <class Op, class Output>
__device__ __noinline__ void deliver_alone(const pass_arguments<Op, Output>* args, std::int64_t batch,
                                           typename Op::accumulator value) {
  args->output(args->op, batch, value);
}

/// Whether results of a thread's columns are neighbours, and Output takes them together.
template <int Width, class Op, class Output>
inline constexpr bool stores_neighbours = takes_words<Op, Width>&& requires(const Output& to, const Op& op,
                                                                            typename Op::accumulator (*value_of)(int)) {
  to.template store_neighbours<Width>(op, std::int64_t{}, value_of);
};

/// Stores what a thread has gathered of its columns, `apart` batches from each other, of which the first `there`
/// batches are.
template <int Width, class Column, class Op, class Output>
__device__ __forceinline__ void store_alone(const Column (&mine)[Width], const run_indices& index, std::int64_t batch,
                                            int apart, int there, const pass_arguments<Op, Output>& args) {
  if constexpr (stores_neighbours<Width, Op, Output>) {
    const auto value_of = [&](int j) { return mine[j].value(args.op, index); };
    if (apart == 1 && there >= Width && args.output.template store_neighbours<Width>(args.op, batch, value_of)) return;
  }
  unsigned left = 0;  // columns, a bit each
#pragma unroll
  for (int j = 0; j < Width; ++j) {
    const bool is_there = j == 0 || j * apart < there;
    if (is_there && !args.output.store_in_order(args.op, batch + j * apart, mine[j].value(args.op, index)))
      left |= 1u << j;
  }
  if (left == 0) return;
#pragma unroll
  for (int j = 0; j < Width; ++j) {
    if ((left >> j & 1u) != 0) deliver_alone(&args, batch + j * apart, mine[j].value(args.op, index));
  }
}

/// The runs of a tile of whole batches, each by one thread; `outer_step` bytes from outer to outer.
template <int Width, class View, class Op, class Output>
__device__ __forceinline__ void take_lone_runs(const View& view, const std::byte* here, int outer_step,
                                               const tile_reader<Width, Op>& reader,
                                               const pass_arguments<Op, Output>& args) {
  using T = tile_element<Op>;
  constexpr int item = sizeof(T);
  const int runs = view.runs, rows = view.rows, words = view.words, columns = view.columns;
  const unsigned share_of_word = view.share_of_word;
  const std::int64_t first_batch = view.first_batch;
  const tile_map& map = reader.map;
  const auto inner = static_cast<int>(map.inner);  // of one outer it may be more, and is multiplied by 0
  const bool turned = map.turned;
  const unsigned share_of_row = turned ? 0xffffffffu / static_cast<unsigned>(rows) + 1 : 0;
  const run_indices index{args.first_index + view.row * map.index_step, map.index_step};
  // Calls f with the walk through a run of outer o.
  const auto along = [&](const std::byte* run, int o, const auto& f) {
    if (turned) {
      const int round = rows > 1 ? static_cast<int>(__umulhi(static_cast<unsigned>(o), share_of_row)) : o;
      f(turned_walk(run, reader.stride, rows, o - round * rows));
    } else {
      f(straight_walk(run, reader.stride, 0, 1));
    }
  };
  if constexpr (Width == 1 && lone_rows < Op >> 1) {
    constexpr int together = lone_rows<Op>;
    if (map.inner == 1 && rows * together <= most_lone_elements) {
#pragma unroll 1
      for (int r = static_cast<int>(threadIdx.x); r < runs; r += tile_threads * together) {
        column_offsets<together> offset;
        lone_value<Op> mine[together];
#pragma unroll
        for (int j = 0; j < together; ++j) {
          mine[j] = lone_value<Op>(args.op);
          offset.of[j] = r + j * tile_threads < runs ? j * tile_threads * outer_step : 0;
        }
        along(here + r * outer_step, r, [&](const auto& walk) {
          using way = std::remove_cvref_t<decltype(walk)>;
          absorb_run(args.op, mine, offset_walk<T, way, together>{walk, offset}, rows, 0, 1, index);
        });
        store_alone(mine, index, first_batch + r, tile_threads, runs - r, args);
      }
      return;
    }
  }
  constexpr bool beside = takes_words<Op, Width>;
  const int apart = beside ? 1 : words;  // the columns of a thread
#pragma unroll 1
  for (int r = static_cast<int>(threadIdx.x); r < runs; r += tile_threads) {
    const int o = words > 1 ? static_cast<int>(__umulhi(static_cast<unsigned>(r), share_of_word)) : r;
    const int c = (r - o * words) * (beside ? Width : 1);
    lone_column<Width, Op> mine[Width];
#pragma unroll
    for (auto& each : mine) each = lone_column<Width, Op>(args.op);
    along(here + (o * outer_step + c * item), o, [&](const auto& walk) {
      using way = std::remove_cvref_t<decltype(walk)>;
      if constexpr (beside) absorb_words(args.op, mine, walk, rows, 0, 1, index);
      else absorb_run(args.op, mine, column_walk<T, way>{walk, apart * item}, rows, 0, 1, index);
    });
    store_alone(mine, index, first_batch + (o * inner + c), apart, columns - c, args);
  }
}

}  // namespace multifold::cuda::kernels
