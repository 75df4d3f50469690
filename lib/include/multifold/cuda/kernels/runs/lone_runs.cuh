// Whole batches in a tile that a thread has each alone: their results go where they stand in the order of batches, and
// little is worked out for a run, since short ones cost no more than that.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "multifold/cuda/kernels/arguments.cuh"
#include "multifold/cuda/kernels/tiles/reader.cuh"

namespace multifold::inline v0_1::cuda::kernels {

/// Outputs that know a quick way for results in the order of their batches: store_in_order(op, batch, value) returns
/// whether it served.
template <class Output, class Op>
concept stores_in_order = requires(const Output& to, const Op& op, const typename Op::accumulator& value) {
  { to.in_order } -> std::convertible_to<bool>;
  { to.store_in_order(op, std::int64_t{}, value) } -> std::same_as<bool>;
};

/// What a thread gathers of its columns: less than their accumulators. gather() takes a walk that takes Width elements
/// at a time.
template <int Width, class Op>
struct lone_columns {
  lone_value<Op> of[Width];

  __device__ explicit lone_columns(const Op& op) {
#pragma unroll
    for (auto& each : of) each = lone_value<Op>(op);
  }
  template <class Walk>
  __device__ void gather(const Op& op, const Walk& walk, int rows, const run_indices& index) {
    absorb_run(op, of, walk, rows, 0, 1, index);
  }
  __device__ typename Op::accumulator of_column(const Op& op, int j, const run_indices& index) const {
    return of[j].value(op, index);
  }
};

/// The same of neighbours, on the walk of the first one.
template <int Width, class Op>
struct lone_neighbours : word_lanes<Op, Width> {
  using word_lanes<Op, Width>::word_lanes;
  template <class Walk>
  __device__ void gather(const Op& op, const Walk& walk, int rows, const run_indices&) {
    with_order_of_lanes(op, [&](const Op& known) { gather_words<Width>(known, *this, walk, rows, 0, 1); });
  }
};

template <int Width, class Op>
using lone_gatherer = std::conditional_t<takes_words<Op, Width>, lone_neighbours<Width, Op>, lone_columns<Width, Op>>;

/// Operations whose runs are taken so: several columns of wide values would leave registers for nothing else.
template <int Width, class Op, class Output>
inline constexpr bool has_lone_runs =
    !run_sweeps<Op>::any && tile_elements<typename Op::value_type>::arrays == 1 &&
    (Width == 1 || sizeof(lone_gatherer<Width, Op>) <= 32) && stores_in_order<Output, Op>;

/// Rows that a thread takes together, as columns: so many, if they are short.
template <class Op>
inline constexpr int lone_rows = std::clamp<int>(32 / sizeof(lone_value<Op>), 1, 4);
/// Elements of a thread then, at most: of longer rows, a tile has too few for all threads.
inline constexpr int most_elements_together = 64;

// Out of line: what the quick way does not serve is a lot of code, and rare.
template <class Op, class Output>
__device__ __noinline__ void deliver_alone(const pass_arguments<Op, Output>* args, std::int64_t batch,
                                           typename Op::accumulator value) {
  args->output(args->op, batch, value);
}

/// Whether results of a thread's columns are neighbours, and Output takes them together.
template <int Width, class Op, class Output>
inline constexpr bool stores_neighbours = requires(const Output& to, const Op& op,
                                                   typename Op::accumulator (*value_of)(int)) {
  to.template store_neighbours<Width>(op, std::int64_t{}, value_of);
};

/// Stores what a thread has gathered of its columns, `apart` batches from each other: of those that are less than
/// `there` batches behind the first one, and of that.
template <int Width, class Gatherer, class Op, class Output>
__device__ __forceinline__ void store_alone(const Gatherer& mine, const run_indices& index, std::int64_t batch,
                                            int apart, int there, const pass_arguments<Op, Output>& args) {
  if constexpr (std::is_same_v<Gatherer, lone_neighbours<Width, Op>> && stores_neighbours<Width, Op, Output>) {
    const auto value_of = [&](int j) { return mine.of_column(args.op, j, index); };
    if (there >= Width && args.output.template store_neighbours<Width>(args.op, batch, value_of)) return;
  }
  unsigned left = 0;  // columns, a bit each
#pragma unroll
  for (int j = 0; j < Width; ++j) {
    const bool is_there = j == 0 || j * apart < there;
    if (is_there && !args.output.store_in_order(args.op, batch + j * apart, mine.of_column(args.op, j, index)))
      left |= 1u << j;
  }
  if (left == 0) return;
#pragma unroll
  for (int j = 0; j < Width; ++j) {
    if ((left >> j & 1u) != 0) deliver_alone(&args, batch + j * apart, mine.of_column(args.op, j, index));
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
  constexpr int together = lone_rows<Op>;
  if constexpr (Width == 1 && together > 1) {
    if (map.inner == 1 && rows * together <= most_elements_together) {
#pragma unroll 1
      for (int r = static_cast<int>(threadIdx.x); r < runs; r += tile_threads * together) {
        column_offsets<together> offset;
        lone_columns<together, Op> mine(args.op);
#pragma unroll
        for (int j = 0; j < together; ++j)
          offset.of[j] = r + j * tile_threads < runs ? j * tile_threads * outer_step : 0;
        along(here + r * outer_step, r, [&](const auto& walk) {
          using way = std::remove_cvref_t<decltype(walk)>;
          mine.gather(args.op, offset_walk<T, way, together>{walk, offset}, rows, index);
        });
        store_alone<together>(mine, index, first_batch + r, tile_threads, runs - r, args);
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
    lone_gatherer<Width, Op> mine(args.op);
    along(here + (o * outer_step + c * item), o, [&](const auto& walk) {
      using way = std::remove_cvref_t<decltype(walk)>;
      if constexpr (beside) mine.gather(args.op, walk, rows, index);
      else mine.gather(args.op, column_walk<T, way>{walk, apart * item}, rows, index);
    });
    store_alone<Width>(mine, index, first_batch + (o * inner + c), apart, columns - c, args);
  }
}

}  // namespace multifold::inline v0_1::cuda::kernels
