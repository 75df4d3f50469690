// The reading half of kernels over long rows: full tiles with the next one's loads in flight, then what is left.
#pragma once

#include <cstdint>

#include "multifold/cuda/kernels/absorb.cuh"

namespace multifold::cuda::exact {

using kernels::load_vector;
using kernels::vector_word;

inline constexpr int vectors_in_flight = 4;

/// A row as vectors with a ragged head and tail.
template <class T>
struct row_vectors {
  const vector_word* vectors;
  std::int64_t count;
  const T* row;
  std::int64_t head, tail_first, length;  // elements [0, head) and [tail_first, length) are not in vectors

  __device__ row_vectors(const T* row, std::int64_t length) : row(row), length(length) {
    constexpr int width = kernels::vector_elements<T>;
    // Warps read 512 bytes at a time: from a line boundary on they touch four lines, else five.
    constexpr std::int64_t line = 128 / static_cast<std::int64_t>(sizeof(T));
    const auto misaligned = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(row) % 128 / sizeof(T));
    head = misaligned == 0 ? 0 : min(line - misaligned, length);
    count = (length - head) / width;
    tail_first = head + count * width;
    vectors = reinterpret_cast<const vector_word*>(row + head);
  }
};

/// Reads part `part` of `parts`. `gather.room()` says how many elements a thread may add before all threads of the
/// block call `gather.flush()`; `gather.add(vector)` takes what a thread has read, heads and tails come one by one, as
/// `gather.add_element(element)`.
template <class T, class Gather>
__device__ void read_part(const row_vectors<T>& row, std::int64_t part, std::int64_t parts, Gather& gather) {
  constexpr int tile_elements = vectors_in_flight * kernels::vector_elements<T>;  // a thread
  const auto threads = static_cast<std::int64_t>(blockDim.x);
  const std::int64_t tile = vectors_in_flight * threads;
  const std::int64_t full_tiles = row.count / tile;
  const vector_word* at = row.vectors + part * tile + threadIdx.x;
  vector_word loaded[vectors_in_flight], next[vectors_in_flight];
  std::int64_t left = part < full_tiles ? (full_tiles - 1 - part) / parts + 1 : 0;
  if (left > 0) {
#pragma unroll
    for (int k = 0; k < vectors_in_flight; ++k) loaded[k] = load_vector(at + k * threads);
  }
  while (left > 0) {
    if (gather.room() < tile_elements) gather.flush();
    const auto run = static_cast<int>(min(left, static_cast<std::int64_t>(gather.room() / tile_elements)));
    left -= run;
    gather.take_room(run * tile_elements);
    // The last tile of all is asked for twice, rather than asking whether it is the last.
    const vector_word* const last = at + (left > 0 ? run : run - 1) * parts * tile;
#pragma unroll 1
    for (int i = 0; i < run; ++i) {
      at = at == last ? at : at + parts * tile;
#pragma unroll
      for (int k = 0; k < vectors_in_flight; ++k) next[k] = load_vector(at + k * threads);
#pragma unroll
      for (int k = 0; k < vectors_in_flight; ++k) gather.add(loaded[k]);
#pragma unroll
      for (int k = 0; k < vectors_in_flight; ++k) loaded[k] = next[k];
    }
  }
  gather.make_room(tile_elements + 2 * static_cast<int>(128 / sizeof(T)));
  if (full_tiles % parts == part) {  // the ragged last tile is this part's
#pragma unroll 1
    for (std::int64_t i = full_tiles * tile + threadIdx.x; i < row.count; i += threads) {
      gather.add(load_vector(row.vectors + i));
    }
  }
  if (part == 0) {
    for (std::int64_t i = threadIdx.x; i < row.head; i += threads) gather.add_element(row.row[i]);
    for (std::int64_t i = row.tail_first + threadIdx.x; i < row.length; i += threads) gather.add_element(row.row[i]);
  }
}

}  // namespace multifold::cuda::exact
