// Wide columns, straight from memory: a thread walks down neighbouring columns of its own. Nothing is brought to shared
// memory, and nothing is merged, unless columns are too few for all threads: then those of a block take rows in turn.
//
// Warps read rows side by side, 128 or 256 bytes each, wherever rows begin: words of 32 bits are put together from the
// two around them, whose loads are served by the same lines.
#pragma once

#include <cstdint>
#include <type_traits>

#include "multifold/cuda/kernels/dependent.cuh"
#include "multifold/cuda/kernels/runs/lone_runs.cuh"

namespace multifold::inline v0_1::cuda::kernels {

/// Operations that plans read so: see layouts/column.cpp.
template <class Op>
inline constexpr bool has_columns = [] {
  using T = typename Op::value_type;
  using accumulator = typename Op::accumulator;
  if constexpr (has_tiled_form<Op> || run_sweeps<Op>::any || tile_elements<T>::arrays > 1) {
    return false;
  } else if constexpr (sizeof(T) <= 2) {
    return takes_words<Op, walked_columns(sizeof(T))> && !std::is_same_v<Op, extremum<T>>;
  } else {
    return sizeof(T) == 8 ||
           !(std::is_same_v<accumulator, wide_integer> || std::is_same_v<accumulator, scaled_product>);
  }
}();

/// The columns of a thread, row by row: they are neighbours, and walked down from `at` on in steps of so many bytes.
/// `AtEnd`: the array may end within their last word.
template <class T, int Width, bool AtEnd>
struct memory_walk {
  static constexpr bool ascends = true;
  static constexpr int rows_in_flight = 64 / (Width * static_cast<int>(sizeof(T)));
  const std::byte* at;
  std::int64_t step;
  int number;

  __device__ straight_numbers numbers() const { return {number, 1}; }

  /// Of narrow columns, which begin anywhere in a word, and end in another one.
  template <int Words>
  requires(Width > 1) __device__ void take_words(unsigned (&w)[Words]) {
    if constexpr (AtEnd) {
      constexpr int in_word = 4 / static_cast<int>(sizeof(T));
#pragma unroll
      for (unsigned& word : w) word = 0;
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        const auto element = bit_copy<std::make_unsigned_t<key_of<T>>>(reinterpret_cast<const T*>(at)[j]);
        w[j / in_word] |= static_cast<unsigned>(element) << (8 * static_cast<int>(sizeof(T)) * (j % in_word));
      }
    } else {
      const auto behind = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(at)) % 4;
      const auto* const from = reinterpret_cast<const unsigned*>(at - behind);
      unsigned loaded[Words + 1];
#pragma unroll
      for (int i = 0; i < Words; ++i) loaded[i] = __ldg(from + i);
      loaded[Words] = 0;
      if (behind != 0) loaded[Words] = __ldg(from + Words);
#pragma unroll
      for (int i = 0; i < Words; ++i) w[i] = __funnelshift_r(loaded[i], loaded[i + 1], 8 * behind);
    }
    next();
  }
  /// Of wider ones a thread has one; any element of it unless `here`.
  __device__ void take(bool here, T (&x)[1]) requires(Width == 1) {
    if (!here) return;
    x[0] = *reinterpret_cast<const T*>(at);
    next();
  }

 private:
  __device__ void next() {
    at += step;
    ++number;
  }
};

/// Rows of a thread's columns: `from` is that of row number `first`. `end` is where the array ends.
template <int Width, class Op, class Gatherer>
__device__ __forceinline__ void walk_columns(const Op& op, Gatherer& mine, const std::byte* from, std::int64_t step,
                                             int first, int rows, const run_indices& index, const std::byte* end) {
  using T = typename Op::value_type;
  if constexpr (Width > 1) {
    const std::byte* const last = max(from, from + (rows - 1) * step);
    if (last + Width * static_cast<int>(sizeof(T)) + 3 > end) {
#pragma unroll 1
      for (int i = 0; i < rows; ++i)
        mine.gather(op, memory_walk<T, Width, true>{from + i * step, step, first + i}, 1, index);
      return;
    }
  }
  mine.gather(op, memory_walk<T, Width, false>{from, step, first}, rows, index);
}

/// Where columns are, and how threads share them. Strides are in bytes.
struct column_map {
  array_range array;
  std::int64_t inner, outer_stride, row_stride, index_step;
  int boxes, parts, items;  // items: of all outers
  int across, phases;       // threads side by side, and how many of them take the rows of a column in turn
};

/// The items of a block, box by box, part by part, outer by outer.
struct column_item {
  int box, part, outer;

  __device__ column_item(const column_map& map, int number) : box(number % map.boxes) {
    const int rest = number / map.boxes;
    part = rest % map.parts;
    outer = rest / map.parts;
  }
  __device__ void advance(const column_map& map, const column_item& by) {
    box += by.box;
    part += by.part;
    outer += by.outer;
    if (box >= map.boxes) box -= map.boxes, ++part;
    if (part >= map.parts) part -= map.parts, ++outer;
  }
};

/// Where a thread's results go: those of `first` and its neighbours, but for the first `skipped`, which are another
/// thread's, too.
template <int Width, class Op, class Output, class Gatherer>
__device__ __forceinline__ void hand_out(const Gatherer& mine, const run_indices& index, std::int64_t first,
                                         int skipped, int part, const pass_arguments<Op, Output>& args) {
  if (args.partials.data == nullptr && args.output.in_order)
    return store_alone<Width>(mine, index, first, 1, Width, args);
#pragma unroll
  for (int j = 0; j < Width; ++j) {
    if (j < skipped) continue;
    const auto value = mine.of_column(args.op, j, index);
    if (args.partials.data != nullptr) args.partials.data[(first + j) * args.parts + part] = value;
    else deliver_alone(&args, first + j, value);
  }
}

/// What threads that share columns have, merged: one column after the other. All threads of the block call.
template <int Width, class Op, class Output, class Gatherer>
__device__ void meet_and_hand_out(const Gatherer& mine, bool here, const run_indices& index, std::int64_t first,
                                  int skipped, bool leads, const column_item& item, const column_map& map,
                                  const pass_arguments<Op, Output>& args, block_storage<Op, column_threads>& storage) {
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int j = 0; j < Width; ++j) {
    __syncthreads();
    storage.slots[thread] = here ? mine.of_column(args.op, j, index) : args.op.identity();
    __syncthreads();
    if (!leads || j < skipped) continue;
    auto value = storage.slots[thread];
#pragma unroll 1
    for (int phase = 1; phase < map.phases; ++phase)
      value = args.op.combine(value, storage.slots[thread + phase * map.across]);
    if (args.partials.data != nullptr) {
      args.partials.data[(first + j) * args.parts + item.part] = value;
    } else if (!args.output.in_order || !args.output.store_in_order(args.op, first + j, value)) {
      deliver_alone(&args, first + j, value);
    }
  }
}

template <class Op, class Output>
__global__ void __launch_bounds__(column_threads, (column_blocks(sizeof(typename Op::accumulator))))
    columns(const typename Op::value_type* data, const __grid_constant__ column_map map,
            const __grid_constant__ pass_arguments<Op, Output> args) {
  using T = typename Op::value_type;
  constexpr int width = walked_columns(sizeof(T));
  alignas(16) __shared__ block_storage<Op, column_threads> storage;
  let_next_start();
  const int thread = static_cast<int>(threadIdx.x), phase = thread / map.across, lane = thread - phase * map.across;
  const std::int64_t length = args.length;
  column_item item(map, static_cast<int>(blockIdx.x));
  const column_item stride(map, static_cast<int>(gridDim.x));
  for (int number = static_cast<int>(blockIdx.x); number < map.items; number += static_cast<int>(gridDim.x)) {
    const std::int64_t column = (static_cast<std::int64_t>(item.box) * map.across + lane) * width;
    const std::int64_t start = min(column, map.inner - width);  // the last ones may be another thread's, too
    const std::int64_t row = item.part * args.part_length + phase, end = min(row - phase + args.part_length, length);
    const bool there = phase < map.phases && column < map.inner, here = there && row < end;
    const int rows = here ? static_cast<int>((end - row - 1) / map.phases) + 1 : 0;
    const run_indices index{args.first_index + row * map.index_step, map.phases * map.index_step};
    const std::int64_t first_batch = item.outer * map.inner + start;
    lone_gatherer<width, Op> mine(args.op);
    const std::int64_t step = map.phases * map.row_stride;
    const std::byte* from = reinterpret_cast<const std::byte*>(data) + item.outer * map.outer_stride +
                            row * map.row_stride + start * static_cast<std::int64_t>(sizeof(T));
    // The warps of a block stay together, so that what they read at a time are neighbours: else the memory opens its
    // pages again for every few hundred bytes.
    constexpr int together = 2 * memory_walk<T, width, false>::rows_in_flight;
    const int most_rows = static_cast<int>((end - (row - phase) - 1) / map.phases) + 1;
#pragma unroll 1
    for (int first = 0; first < most_rows; first += together, from += together * step) {
      if (first > 0) __syncthreads();
      if (first < rows)
        walk_columns<width>(args.op, mine, from, step, first, min(together, rows - first), index, map.array.end);
    }
    const int skipped = static_cast<int>(column - start);
    if (map.phases > 1) {
      meet_and_hand_out<width>(mine, here, index, first_batch, skipped, there && phase == 0, item, map, args, storage);
    } else if (here) {
      hand_out<width>(mine, index, first_batch, skipped, item.part, args);
    }
    item.advance(map, stride);
  }
}

}  // namespace multifold::inline v0_1::cuda::kernels
