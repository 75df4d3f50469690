// Whole batches in a tile that a thread has each alone, of operations that look at runs as a whole: runs of a few
// elements, for which what serves long ones is many times as much work as their sums are.
#pragma once

#include <concepts>
#include <cstdint>

#include "multifold/cuda/kernels/lone_runs.cuh"
#include "multifold/cuda/kernels/whole_runs.cuh"

namespace multifold::cuda::kernels {

/// Operations that take runs of up to most_short_rows elements so: run_sweeps<Op> then has
///   short_columns(walk, rows, span, columns)
///                              gathers the runs of a thread's columns, `span` bytes from each other, on the walk of
///                              the first one, and hands their sums to columns.store(sums); returns 0 if all are stored
template <int Width, class Op, class Output>
inline constexpr bool has_short_runs = [] {
  if constexpr (requires { run_sweeps<Op>::most_short_rows; }) {
    return requires(const Output& to) {
      { to.in_order } -> std::convertible_to<bool>;
    };
  } else {
    return false;
  }
}();

/// The most elements of runs that are taken so.
template <class Op>
inline constexpr int most_short_rows_of = [] {
  if constexpr (requires { run_sweeps<Op>::most_short_rows; }) return run_sweeps<Op>::most_short_rows;
  else return 0;
}();

/// Calls f(row) with the elements of a thread's columns, row by row.
template <class T, class Walk, int Width, class F>
__device__ __forceinline__ void each_short_row(Walk walk, int rows, const column_offsets<Width>& offset, const F& f) {
  const auto some = [&]<int Loads>() {
    T x[Loads][Width];
#pragma unroll
    for (int k = 0; k < Loads; ++k) {
      int number;
      const std::byte* const at = walk.take(true, number);
#pragma unroll
      for (int j = 0; j < Width; ++j) x[k][j] = *reinterpret_cast<const T*>(at + offset.of[j]);
    }
#pragma unroll
    for (const auto& row : x) f(row);
  };
#pragma unroll 1
  for (int left = rows; left >= 2; left -= 2) some.template operator()<2>();
  if (rows % 2 != 0) some.template operator()<1>();
}

/// The runs of a tile of whole batches, of one element or more, each by one thread. Returns whether all of a warp are
/// stored; if not, its runs are to be taken another way, all of them. Whole warps call.
template <int Width, class View, class Op, class Output>
__device__ __forceinline__ bool take_short_runs(const View& view, const std::byte* here, const run_grid& grid,
                                                const tile_reader<Width, Op>& reader,
                                                const pass_arguments<Op, Output>& args) {
  constexpr int item = sizeof(tile_element<Op>);
  const int runs = view.runs, rows = view.rows, words = view.words, columns = view.columns;
  const unsigned share_of_word = view.share_of_word, shift = view.shift[0];
  const std::int64_t first_batch = view.first_batch;
  const tile_map& map = reader.map;
  const auto inner = static_cast<int>(map.inner);  // of one outer it may be more, and is multiplied by 0
  unsigned left = 0;
  const auto each = [&](const auto& walk_of) {
#pragma unroll 1
    for (int r = static_cast<int>(threadIdx.x); r < runs; r += tile_threads) {
      const int o = words > 1 ? static_cast<int>(__umulhi(static_cast<unsigned>(r), share_of_word)) : r;
      const int c = r - o * words;
      const std::byte* const run = here + (o * grid.outer_step + c * item);
      const unsigned from = (shift + static_cast<unsigned>(o) * grid.outer_shift) % tile_line_bytes;
      const whole_columns<Width, Op, Output> mine{&args, first_batch + (o * inner + c), words,
                                                  Width == 1 ? 1 : columns - c};
      left |= run_sweeps<Op>::short_columns(walk_of(run, from, o), rows, words * item, mine);
    }
  };
  if (reader.bend != 0) {
    each([&](const std::byte* run, unsigned from, int) {
      return bent_walk(run, reader.stride, from, reader.bend, 0, 1);
    });
  } else if (map.turned) {
    const unsigned share_of_row = 0xffffffffu / static_cast<unsigned>(rows) + 1;
    each([&](const std::byte* run, unsigned from, int o) {
      const int round = rows > 1 ? static_cast<int>(__umulhi(static_cast<unsigned>(o), share_of_row)) : o;
      return turned_walk(run + from, reader.stride, rows, o - round * rows);
    });
  } else {
    each([&](const std::byte* run, unsigned from, int) { return straight_walk(run + from, reader.stride, 0, 1); });
  }
  return __all_sync(whole_warp, left == 0);
}

}  // namespace multifold::cuda::kernels
