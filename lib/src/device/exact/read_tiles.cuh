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

/// The tiles that a block has claimed, so that it can read them once more.
struct claimed_tiles {
  static constexpr int most = 128;
  unsigned number[most];  // behind those that are dealt in turn
};

/// How tiles become parts: most of them in turn, the last eighth to whoever asks first. Blocks that start together and
/// read as much do not end together; on an H200 this takes 16 GiB of f32 from 0.995 to 1.001 of a plain read.
struct tile_deal {
  std::int64_t part, parts, all;
  std::int64_t fixed;        // tiles that are dealt in turn
  unsigned* claims;          // to the others, so far; zero before the pass, unused where parts is 1
  claimed_tiles& mine;       // shared
  int count = 0;             // of tiles in `mine`
  unsigned next_number = 0;  // thread 0

  // All parts together may claim twice as many tiles as there are to be claimed: none is left over.
  __device__ tile_deal(std::int64_t part, std::int64_t parts, std::int64_t all, unsigned* claims, claimed_tiles& mine)
      : part(part), parts(parts), all(all), claims(claims), mine(mine) {
    constexpr std::int64_t most_open = claimed_tiles::most / 2;
    const std::int64_t each = all / parts, open = min(max(each / 8, std::int64_t{1}), most_open);
    fixed = parts == 1 || each < 2 ? all : (each - open) * parts;
  }

  __device__ std::int64_t first() const { return min(part, all); }
  __device__ bool is_fixed_after(std::int64_t tile) const { return tile + parts < fixed || fixed == all; }

  /// Once a tile, long before the next one is needed.
  __device__ void ask(std::int64_t tile) {
    if (threadIdx.x == 0 && !is_fixed_after(tile) && count < claimed_tiles::most) next_number = atomicAdd(claims, 1u);
  }
  /// The tile behind `tile`; `all` if there is none. All threads must call.
  __device__ std::int64_t next(std::int64_t tile) {
    if (is_fixed_after(tile)) return min(tile + parts, all);
    if (count == claimed_tiles::most) return all;
    if (threadIdx.x == 0) mine.number[count] = next_number;
    __syncthreads();
    const std::int64_t found = fixed + mine.number[count];
    if (found >= all) return all;
    ++count;
    return found;
  }
};

/// Those of them that are dealt in turn, for loops in which asking who is next costs too much.
struct tile_turn {
  std::int64_t parts;

  __device__ void ask(std::int64_t) {}
  __device__ std::int64_t next(std::int64_t tile) { return tile + parts; }
};

/// The same tiles once more.
struct tile_recall {
  tile_deal dealt;
  int seen = 0;

  __device__ std::int64_t first() const { return dealt.first(); }
  __device__ void ask(std::int64_t) {}
  __device__ std::int64_t next(std::int64_t tile) {
    if (dealt.is_fixed_after(tile)) return min(tile + dealt.parts, dealt.all);
    return seen < dealt.count ? dealt.fixed + dealt.mine.number[seen++] : dealt.all;
  }
};

/// Reads the tiles, of `steps` steps of vectors_in_flight vectors a thread, that `deal` gives a part.
/// `gather.room()` says how many elements a thread may add before all threads of the block call `gather.flush()`;
/// `gather.add(vector)` takes what a thread has read, heads and tails come one by one, as
/// `gather.add_element(element)`.
template <class T, class Deal, class Gather>
__device__ void read_part(const row_vectors<T>& row, std::int64_t part, std::int64_t parts, int steps, Deal& deal,
                          Gather& gather) {
  constexpr int step_elements = vectors_in_flight * kernels::vector_elements<T>;  // a thread
  const auto threads = static_cast<std::int64_t>(blockDim.x);
  const std::int64_t step = vectors_in_flight * threads, tile = step * steps;
  const std::int64_t full_tiles = row.count / tile;
  std::int64_t t = deal.first();
  const vector_word* at = row.vectors + t * tile + threadIdx.x;
  vector_word loaded[vectors_in_flight], next[vectors_in_flight];
  if (t < full_tiles) {
#pragma unroll
    for (int k = 0; k < vectors_in_flight; ++k) loaded[k] = load_vector(at + k * threads);
  }
  while (t < full_tiles) {
    gather.make_room(steps * step_elements);
    deal.ask(t);
#pragma unroll 1
    for (int left = steps; left > 0; --left) {
      // The last step of all is asked for twice, rather than asking everywhere whether it is the last.
      if (left > 1) {
        at += step;
      } else {
        if (steps > 1) gather.keep_together();
        t = deal.next(t);
        if (t < full_tiles) at = row.vectors + t * tile + threadIdx.x;
      }
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
      vector_word rest[vectors_in_flight];
      kernels::load_vectors(rest, row.vectors, first + threadIdx.x, threads, row.count);
      gather.make_room(step_elements);
      kernels::each_loaded(rest, first + threadIdx.x, threads, row.count,
                           [&](const vector_word& v, std::int64_t) { gather.add(v); });
    }
  }
  gather.make_room(2 * static_cast<int>(128 / sizeof(T)));
  if (part == 0) {
    for (std::int64_t i = threadIdx.x; i < row.ends(); i += threads) gather.add_element(row.end_element(i));
  }
}

}  // namespace multifold::cuda::exact
