// Whole batches in a tile that a thread has each alone: their results go where they stand in the order of batches, and
// little is worked out for a run, since short ones cost no more than that.
#pragma once

#include <concepts>
#include <cstdint>

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

/// What a thread gathers of its columns: less than their accumulators.
template <int Width, class Op>
struct lone_columns {
  lone_value<Op> of[Width];

  __device__ explicit lone_columns(const Op& op) {
#pragma unroll
    for (auto& each : of) each = lone_value<Op>(op);
  }
  template <class Walk>
  __device__ void gather(const Op& op, const Walk& walk, int span, int rows, const run_indices& index) {
    absorb_run(op, of, column_walk<tile_element<Op>, Walk>{walk, span}, rows, 0, 1, index);
  }
  __device__ typename Op::accumulator of_column(const Op& op, int j, const run_indices& index) const {
    return of[j].value(op, index);
  }
};
template <int Width, class Op>
requires takes_words<Op, Width>
struct lone_columns<Width, Op> : word_lanes<Op, Width> {
  using word_lanes<Op, Width>::word_lanes;

  template <class Walk>
  __device__ void gather(const Op& op, const Walk& walk, int, int rows, const run_indices&) {
    with_order_of_lanes(op, [&](const Op& known) { gather_words<Width>(known, *this, walk, rows, 0, 1); });
  }
};

/// Operations whose runs are taken so: several columns of wide values would leave registers for nothing else.
template <int Width, class Op, class Output>
inline constexpr bool has_lone_runs =
    !run_sweeps<Op>::any && tile_elements<typename Op::value_type>::arrays == 1 &&
    (Width == 1 || sizeof(lone_columns<Width, Op>) <= 32) && stores_in_order<Output, Op>;

// Out of line: what the quick way does not serve is a lot of code, and rare.
template <class Op, class Output>
__device__ __noinline__ void deliver_alone(const pass_arguments<Op, Output>* args, std::int64_t batch,
                                           typename Op::accumulator value) {
  args->output(args->op, batch, value);
}

/// The runs of a tile of whole batches, each by one thread; `outer_step` bytes from outer to outer.
template <int Width, class View, class Op, class Output>
__device__ __forceinline__ void take_lone_runs(const View& view, const std::byte* here, int outer_step,
                                               const tile_reader<Width, Op>& reader,
                                               const pass_arguments<Op, Output>& args) {
  constexpr int item = sizeof(tile_element<Op>);
  const int runs = view.runs, rows = view.rows, words = view.words, columns = view.columns;
  const unsigned share_of_word = view.share_of_word;
  const std::int64_t first_batch = view.first_batch;
  const tile_map& map = reader.map;
  const auto inner = static_cast<int>(map.inner);  // of one outer it may be more, and is multiplied by 0
  const bool turned = map.turned;
  const unsigned share_of_row = turned ? 0xffffffffu / static_cast<unsigned>(rows) + 1 : 0;
  const run_indices index{args.first_index + view.row * map.index_step, map.index_step};
  constexpr bool beside = takes_words<Op, Width>;
  const int apart = beside ? 1 : words;  // the columns of a thread
#pragma unroll 1
  for (int r = static_cast<int>(threadIdx.x); r < runs; r += tile_threads) {
    const int o = words > 1 ? static_cast<int>(__umulhi(static_cast<unsigned>(r), share_of_word)) : r;
    const int c = (r - o * words) * (beside ? Width : 1);
    const std::byte* const run = here + (o * outer_step + c * item);
    lone_columns<Width, Op> mine(args.op);
    const auto along = [&](const auto& walk) { mine.gather(args.op, walk, apart * item, rows, index); };
    if (turned) {
      const int round = rows > 1 ? static_cast<int>(__umulhi(static_cast<unsigned>(o), share_of_row)) : o;
      along(turned_walk(run, reader.stride, rows, o - round * rows));
    } else {
      along(straight_walk(run, reader.stride, 0, 1));
    }
    const std::int64_t batch = first_batch + (o * inner + c);
    unsigned left = 0;  // columns, a bit each
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      const bool is_there = Width == 1 || c + j * apart < columns;
      if (is_there && !args.output.store_in_order(args.op, batch + j * apart, mine.of_column(args.op, j, index)))
        left |= 1u << j;
    }
    if (left == 0) continue;
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      if ((left >> j & 1u) != 0) deliver_alone(&args, batch + j * apart, mine.of_column(args.op, j, index));
    }
  }
}

}  // namespace multifold::cuda::kernels
