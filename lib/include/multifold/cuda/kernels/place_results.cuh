// Results in the order of their batches to their places: a transpose in tiles that go through shared memory, so that
// both loads and stores are coalesced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "multifold/cuda/kernels/dependent.cuh"
#include "multifold/cuda/kernels/strided.cuh"
#include "multifold/placement.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// Any result of so many bytes, which is copied and not looked at.
template <int Bytes, int Alignment>
struct raw_result {
  using word = std::conditional_t<Alignment % 8 == 0, std::uint64_t,
                                  std::conditional_t<Alignment == 4, std::uint32_t,
                                                     std::conditional_t<Alignment == 2, std::uint16_t, std::uint8_t>>>;
  word words[Bytes / static_cast<int>(sizeof(word))];
};

template <class T>
using raw_result_of = raw_result<static_cast<int>(sizeof(T)), static_cast<int>(alignof(T))>;

/// Copies the items i < `width` of lines < `lines`; a warp, or as much of it as items take, has a line at a time, and
/// each of its threads up to `items` of it, of so many lines `together`. of(i) is worked out once for all lines;
/// load(line, of) of several items come before their stores.
template <int items, int together, class Item, class Of, class Load, class Store>
__device__ void copy_lines(int lines, int width, const Of& of, const Load& load, const Store& store) {
  const int log_lanes = width > 16 ? 5 : 32 - __clz(width - 1), lanes = 1 << log_lanes;
  const int thread = static_cast<int>(threadIdx.x), step = placing_threads >> log_lanes;
  for (int first = thread % lanes; first < width; first += items * lanes) {
    int number[items];
#pragma unroll
    for (int i = 0; i < items; ++i) number[i] = of(first + i * lanes);
    for (int line = thread >> log_lanes; line < lines; line += together * step) {
      Item item[together][items];
#pragma unroll
      for (int k = 0; k < together; ++k) {
#pragma unroll
        for (int i = 0; i < items; ++i) {
          if (line + k * step < lines && first + i * lanes < width) item[k][i] = load(line + k * step, number[i]);
        }
      }
#pragma unroll
      for (int k = 0; k < together; ++k) {
#pragma unroll
        for (int i = 0; i < items; ++i) {
          if (line + k * step < lines && first + i * lanes < width) {
            store(line + k * step, first + i * lanes, item[k][i]);
          }
        }
      }
    }
  }
}

/// The same, of as many items at once as hide the time that memory takes: of one line in short ones, of several.
template <class Item, class Of, class Load, class Store>
__device__ void copy_lines(int lines, int width, const Of& of, const Load& load, const Store& store) {
  constexpr int most = sizeof(Item) <= 4 ? 16 : sizeof(Item) <= 8 ? 8 : 1, items = most > 1 ? 4 : 1;
  if (width > 32) copy_lines<items, most / items, Item>(lines, width, of, load, store);
  else copy_lines<1, (most > 8 ? 8 : most), Item>(lines, width, of, load, store);
}

/// The last kernel of a plan whose results wait in the workspace. Blocks take tiles in a grid-stride loop; those that
/// follow each other are neighbours in place, where a sector that two tiles share should be written twice in a short
/// time.
template <class Item>
__global__ void __launch_bounds__(placing_threads, 4)
    place_results(const Item* from, Item* to, const __grid_constant__ placement map) {
  __shared__ alignas(16) std::byte memory[placing_tile_bytes];
  __shared__ std::int64_t batch_of_row[most_placed_lines], place_of_column[most_placed_lines];
  constexpr int bytes = static_cast<int>(sizeof(Item));
  const int run = static_cast<int>(map.run_length);
  wait_for_previous();
  for (std::int64_t tile = blockIdx.x; tile < map.tiles; tile += gridDim.x) {
    const std::int64_t band = tile / map.row_tiles, others = band / map.column_tiles;
    const std::int64_t first_row = tile % map.row_tiles * map.tile_rows;
    const std::int64_t first_column = band % map.column_tiles * map.tile_columns;
    const int rows = static_cast<int>(min(map.row_count - first_row, static_cast<std::int64_t>(map.tile_rows)));
    const int columns =
        static_cast<int>(min(map.column_count - first_column, static_cast<std::int64_t>(map.tile_columns)));
    const placed_axis& outer = map.outer;
    const std::int64_t batch = offset_in(outer.extent, outer.batch_stride, outer.count, others) + first_column * run;
    const std::int64_t place =
        offset_in(outer.extent, outer.place_stride, outer.count, others) + first_row * run * map.place_step;
    for (int i = static_cast<int>(threadIdx.x); i < rows; i += placing_threads) {
      batch_of_row[i] = batch + offset_in(map.rows.extent, map.rows.batch_stride, map.rows.count, first_row + i);
    }
    for (int i = static_cast<int>(threadIdx.x); i < columns; i += placing_threads) {
      place_of_column[i] =
          place + offset_in(map.columns.extent, map.columns.place_stride, map.columns.count, first_column + i);
    }
    __syncthreads();
    copy_lines<Item>(
        rows, columns * run, [](int i) { return i; }, [&](int row, int i) { return from[batch_of_row[row] + i]; },
        [&](int row, int i, const Item& x) { *reinterpret_cast<Item*>(memory + row * map.pitch + i * bytes) = x; });
    __syncthreads();
    copy_lines<Item>(
        columns, rows * run, [&](int i) { return i / run * map.pitch + i % run * bytes; },
        [&](int column, int at) { return *reinterpret_cast<const Item*>(memory + column * run * bytes + at); },
        [&](int column, int i, const Item& x) { to[place_of_column[column] + i * map.place_step] = x; });
    __syncthreads();
  }
}

}  // namespace multifold::inline v0_1::cuda::kernels
