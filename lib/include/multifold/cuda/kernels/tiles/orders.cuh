// Which tiles a block takes, and how it asks for them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "multifold/cuda/kernels/tiles/reader.cuh"
#include "multifold/cuda/kernels/tiles/ring.cuh"

namespace multifold::inline v0_1::cuda::kernels {

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

/// A grid-stride loop over boxes: a block goes tile by tile along its part of the length, and then on to the next box.
struct tile_cursor {
  struct place {
    std::int64_t box, part, chunk;  // along outer, the length and inner
  };
  place at, step;            // where it is, and the grid's stride in boxes: no division is needed to go on
  std::int64_t item, items;  // the box's number, and how many there are
  std::int64_t row, end;     // the tile's first row, and the part's last one
  std::int64_t length;       // of a batch
  bool first;                // of its part

  template <class Arguments>
  __device__ void start(const tile_map& map, const Arguments& args) {
    at = place_of(map, args.parts, blockIdx.x);
    step = place_of(map, args.parts, gridDim.x);
    item = blockIdx.x;
    items = map.blocks_of_outer * map.chunks * args.parts;
    length = args.length;
    begin(args);
  }
  __device__ bool done() const { return item >= items; }
  __device__ bool last(const tile_map& map) const { return row + map.rows >= end; }
  template <class Arguments>
  __device__ void advance(const tile_map& map, const Arguments& args) {
    if (!last(map)) {
      row += map.rows;
      first = false;
      return;
    }
    item += gridDim.x;
    at.chunk += step.chunk;
    at.part += step.part;
    at.box += step.box;
    if (at.chunk >= map.chunks) {
      at.chunk -= map.chunks;
      ++at.part;
    }
    if (at.part >= args.parts) {
      at.part -= args.parts;
      ++at.box;
    }
    begin(args);
  }

 private:
  __device__ static place place_of(const tile_map& map, std::int64_t parts, std::int64_t number) {
    const std::int64_t above = number / map.chunks;
    return {above / parts, above % parts, number % map.chunks};
  }
  template <class Arguments>
  __device__ void begin(const Arguments& args) {
    row = min(at.part * args.part_length, length);
    end = length - row < args.part_length ? length : row + args.part_length;
    first = true;
  }
};

/// A tile that is to be asked for: what its threads have to know, and its pieces in each array, all of so many bytes.
struct tile_order {
  tile_view view;
  const std::byte* from[2];
  int pieces, bytes;
};

/// One thread works out what comes next, while others still ask for what is before it, or take elements.
template <int Width, class T, int Arrays>
__device__ void prepare_tile(tile_order& order, const T* const (&data)[Arrays], const tile_map& map,
                             const tile_cursor& cursor) {
  constexpr auto item = static_cast<std::int64_t>(sizeof(T));
  tile_view& view = order.view;
  if (cursor.done()) {
    view.runs = -1;
    return;
  }
  const auto least = [](std::int64_t a, std::int64_t b) { return static_cast<int>(min(a, b)); };
  const std::int64_t outer = cursor.at.box * map.outers, column = cursor.at.chunk * map.columns;
  const int outers = least(map.outers, map.outer - outer), rows = least(map.rows, cursor.end - cursor.row);
  const int columns = least(map.columns, map.inner - column), words = (columns + Width - 1) / Width;
  const std::int64_t first = outer * map.outer_stride + cursor.row * map.row_stride + column;
#pragma unroll
  for (int a = 0; a < Arrays; ++a) {
    order.from[a] = reinterpret_cast<const std::byte*>(data[a] + first);
    view.shift[a] = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(order.from[a]) % tile_line_bytes);
  }
  // One piece, or rows of columns, of one outer, or rows of neighbours, one an outer.
  if (map.pitch == 0) {
    const std::int64_t last = (outers - 1) * map.outer_stride + (rows - 1) * map.row_stride + columns;
    order.pieces = 1;
    order.bytes = static_cast<int>(last * item);
  } else {
    const bool of_columns = map.inner > 1;
    order.pieces = of_columns ? rows : outers;
    order.bytes = static_cast<int>((of_columns ? columns : rows) * item);
  }
  if (rows <= 0) order.pieces = 0;
  view.first_batch = outer * map.inner + column;
  view.row = cursor.row;
  view.part = cursor.at.part;
  view.runs = outers * words;
  view.rows = rows;
  view.columns = columns;
  view.words = words;
  view.share_of_word = 0xffffffffu / static_cast<unsigned>(words) + 1;
  view.first = cursor.first;
  view.last = cursor.last(map);
}

/// Asks for a tile of array `which`: a warp for the one piece that it is, or the whole block for its pieces, each warp
/// for its share. All threads of these must call, and then arrive at the barrier.
template <class T>
__device__ void fetch_tile(std::byte* stage, const tile_order& order, const tile_map& map, std::uint64_t* full,
                           int which) {
  constexpr auto item = static_cast<std::int64_t>(sizeof(T));
  const array_range& array = which == 0 ? map.array : map.second;
  const int lane = static_cast<int>(threadIdx.x % 32);
  std::byte* const to = stage + order.view.shift[which];
  const std::byte* const from = order.from[which];
  if (map.pitch == 0) {
    if (asks_for_piece(lane) && order.pieces > 0) copy_piece_of_warp<T>(to, {from, order.bytes}, array, full, lane);
    return;
  }
  const std::int64_t step = (map.inner > 1 ? map.row_stride : map.outer_stride) * item;
  constexpr int warps = tile_threads / 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;  // the lanes of a warp ask one after the other
  for (int q = lane * warps + warp; q < order.pieces; q += tile_threads)
    copy_piece<T>(to + q * map.pitch, {from + q * step, order.bytes}, array, full);
}

}  // namespace multifold::inline v0_1::cuda::kernels
