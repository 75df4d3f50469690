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

  /// Elements that are not in vectors, and one of them.
  __device__ std::int64_t ends() const { return head + length - tail_first; }
  __device__ T end_element(std::int64_t i) const { return row[i < head ? i : tail_first + (i - head)]; }
};

/// Reads part `part` of `parts`: every parts-th tile of `steps` steps of vectors_in_flight vectors a thread.
/// `gather.room()` says how many elements a thread may add before all threads of the block call `gather.flush()`;
/// `gather.add(vector)` takes what a thread has read, heads and tails come one by one, as
/// `gather.add_element(element)`.
template <class T, class Gather>
__device__ void read_part(const row_vectors<T>& row, std::int64_t part, std::int64_t parts, int steps, Gather& gather) {
  constexpr int step_elements = vectors_in_flight * kernels::vector_elements<T>;  // a thread
  const auto threads = static_cast<std::int64_t>(blockDim.x);
  const std::int64_t step = vectors_in_flight * threads, tile = step * steps;
  const std::int64_t full_tiles = row.count / tile, jump = parts * tile - (steps - 1) * step;
  const vector_word* at = row.vectors + part * tile + threadIdx.x;
  vector_word loaded[vectors_in_flight], next[vectors_in_flight];
  std::int64_t left = part < full_tiles ? ((full_tiles - 1 - part) / parts + 1) * steps : 0;
  int in_tile = 0;  // the step that `at` is at
  if (left > 0) {
#pragma unroll
    for (int k = 0; k < vectors_in_flight; ++k) loaded[k] = load_vector(at + k * threads);
  }
  while (left > 0) {
    if (gather.room() < step_elements) gather.flush();
    const auto run = static_cast<int>(min(left, static_cast<std::int64_t>(gather.room() / step_elements)));
    left -= run;
    gather.take_room(run * step_elements);
#pragma unroll 1
    for (int i = 0; i < run; ++i) {
      // The last step of all is asked for twice, rather than asking everywhere whether it is the last.
      const bool last_in_tile = ++in_tile == steps;
      if (last_in_tile) in_tile = 0;
      if (last_in_tile && steps > 1) gather.keep_together();
      at += left == 0 && i == run - 1 ? 0 : last_in_tile ? jump : step;
#pragma unroll
      for (int k = 0; k < vectors_in_flight; ++k) next[k] = load_vector(at + k * threads);
#pragma unroll
      for (int k = 0; k < vectors_in_flight; ++k) gather.add(loaded[k]);
#pragma unroll
      for (int k = 0; k < vectors_in_flight; ++k) loaded[k] = next[k];
    }
  }
  if (full_tiles % parts == part) {  // the ragged last tile is this part's
    for (std::int64_t first = full_tiles * tile; first < row.count; first += step) {
      gather.make_room(step_elements);
#pragma unroll 1
      for (std::int64_t i = first + threadIdx.x; i < min(first + step, row.count); i += threads) {
        gather.add(load_vector(row.vectors + i));
      }
    }
  }
  gather.make_room(2 * static_cast<int>(128 / sizeof(T)));
  if (part == 0) {
    for (std::int64_t i = threadIdx.x; i < row.ends(); i += threads) gather.add_element(row.end_element(i));
  }
}

}  // namespace multifold::cuda::exact
