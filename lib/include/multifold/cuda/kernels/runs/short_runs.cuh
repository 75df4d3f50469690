// Whole batches in a tile that a thread has each alone, of operations that look at runs as a whole: runs of a few
// elements, for which what serves long ones is many times as much work as their sums are.
#pragma once

#include <concepts>
#include <cstdint>

#include "multifold/cuda/kernels/runs/lone_runs.cuh"
#include "multifold/cuda/kernels/runs/whole_runs.cuh"

namespace multifold::inline v0_1::cuda::kernels {

/// The runs of a thread's columns: `span` bytes from each other, those of a second array `beyond` the first one's.
struct short_place {
  int rows, span, beyond;
  run_indices index;
};

/// Tiles that a warp takes another way once a run was left: its neighbours are likely to be, too.
inline constexpr int short_run_rest = 8;

/// How an operation takes runs of up to `most_rows` elements so, if it does:
///   together                   as many rows a thread takes at once, where runs are rows
///   columns(op, walk, place, columns)
///                              gathers the runs of a thread's columns, on the walk of the first one, and stores their
///                              results; returns 0 if all are stored
template <class Op>
struct short_runs {
  static constexpr int most_rows = 0;
};

/// Whether it does where results go to Output: in the order of batches, if that is the order of results.
template <class Op, class Output>
inline constexpr bool has_short_runs = short_runs<Op>::most_rows > 0 && requires(const Output& to) {
  { to.in_order } -> std::convertible_to<bool>;
};

/// Reads the next rows of a thread's columns.
template <int Loads, class T, class Walk, int Width>
__device__ __forceinline__ void load_short_rows(Walk& walk, const column_offsets<Width>& offset, T (&x)[Loads][Width]) {
#pragma unroll
  for (auto& row : x) {
    const std::byte* const at = walk.take(true);
#pragma unroll
    for (int j = 0; j < Width; ++j) row[j] = *reinterpret_cast<const T*>(at + offset.of[j]);
  }
}

/// Calls f(x, y, number) with the elements of a thread's columns, row by row; y is the second array's, or x. So many
/// rows are loaded before the first is used.
template <class T, int Arrays = 1, int AtOnce = 2, class Walk, int Width, class F>
__device__ __forceinline__ void each_short_row(Walk& walk, const short_place& place,
                                               const column_offsets<Width>& offset, const F& f) {
  const auto some = [&]<int Loads>() {
    T x[Loads][Width], y[Arrays == 2 ? Loads : 1][Width];
    const auto numbers = walk.numbers();
#pragma unroll
    for (int k = 0; k < Loads; ++k) {
      const std::byte* const at = walk.take(true);
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        x[k][j] = *reinterpret_cast<const T*>(at + offset.of[j]);
        if constexpr (Arrays == 2) y[k][j] = *reinterpret_cast<const T*>(at + (offset.of[j] + place.beyond));
      }
    }
#pragma unroll
    for (int k = 0; k < Loads; ++k) f(x[k], Arrays == 2 ? y[k] : x[k], numbers[k]);
  };
  int left = place.rows;
#pragma unroll 1
  for (; left >= AtOnce; left -= AtOnce) some.template operator()<AtOnce>();
  if constexpr (AtOnce > 2) {
#pragma unroll 1
    for (; left >= 2; left -= 2) some.template operator()<2>();
  }
  if (left >= 1) some.template operator()<1>();
}

/// The runs of a tile of whole batches, of one element or more, each by one thread; `outer_step` bytes from outer to
/// outer, `beyond` to the second array. Returns whether all of a warp are stored; if not, its runs are to be taken
/// another way, all of them. Whole warps call.
template <int Width, class View, class Op, class Output>
__device__ __forceinline__ bool take_short_runs(const View& view, const std::byte* here, int outer_step, int beyond,
                                                const tile_reader<Width, Op>& reader,
                                                const pass_arguments<Op, Output>& args) {
  using way = short_runs<Op>;
  constexpr int item = sizeof(tile_element<Op>);
  const int runs = view.runs, rows = view.rows, words = view.words, columns = view.columns;
  const unsigned share_of_word = view.share_of_word;
  const std::int64_t first_batch = view.first_batch;
  const tile_map& map = reader.map;
  const auto inner = static_cast<int>(map.inner);  // of one outer it may be more, and is multiplied by 0
  const run_indices index{args.first_index + view.row * map.index_step, map.index_step};
  unsigned left = 0;
  const auto each_column = [&](const auto& walk_of) {
    const short_place place{rows, words * item, beyond, index};
#pragma unroll 1
    for (int r = static_cast<int>(threadIdx.x); r < runs; r += tile_threads) {
      const int o = words > 1 ? static_cast<int>(__umulhi(static_cast<unsigned>(r), share_of_word)) : r;
      const int c = r - o * words;
      const whole_columns<Width, Op, Output> mine{&args, first_batch + (o * inner + c), words,
                                                  Width == 1 ? 1 : columns - c};
      left |= way::columns(args.op, walk_of(here + (o * outer_step + c * item), o), place, mine);
    }
  };
  // Rows, as columns of a thread that are a block's threads apart.
  const auto each_row = [&](const auto& walk_of) {
    constexpr int together = way::together;
    const short_place place{rows, tile_threads * outer_step, beyond, index};
#pragma unroll 1
    for (int r = static_cast<int>(threadIdx.x); r < runs; r += tile_threads * together) {
      const whole_columns<together, Op, Output> mine{&args, first_batch + r, tile_threads, runs - r};
      left |= way::columns(args.op, walk_of(here + r * outer_step, r), place, mine);
    }
  };
  const auto each = [&](const auto& walk_of) {
    if constexpr (Width == 1 && way::together > 1) {
      if (map.inner == 1 && rows * way::together <= most_elements_together) return each_row(walk_of);
    }
    each_column(walk_of);
  };
  if (map.turned) {
    const unsigned share_of_row = 0xffffffffu / static_cast<unsigned>(rows) + 1;
    each([&](const std::byte* run, int o) {
      const int round = rows > 1 ? static_cast<int>(__umulhi(static_cast<unsigned>(o), share_of_row)) : o;
      return turned_walk(run, reader.stride, rows, o - round * rows);
    });
  } else {
    each([&](const std::byte* run, int) { return straight_walk(run, reader.stride, 0, 1); });
  }
  return __all_sync(whole_warp, left == 0);
}

}  // namespace multifold::inline v0_1::cuda::kernels
