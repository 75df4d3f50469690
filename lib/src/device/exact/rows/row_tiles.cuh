// Long rows as vectors of 16 bytes, and how their tiles become parts.
#pragma once

#include <cstdint>

#include "multifold/cuda/kernels/absorb.cuh"

namespace multifold::inline v0_1::cuda::exact {

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

/// How tiles become parts: all in turn, or, where there are claims, the last eighth as blocks ask for it. Those that
/// start together and read as much do not end together; on an H200 this takes 16 GiB of f32 from 0.995 to 1.001 of a
/// plain read.
struct tile_deal {
  std::int64_t part, parts, all;
  std::int64_t fixed;        // tiles that are dealt in turn
  int in_turn;               // those of them that are this part's: number `part`, and every parts-th one from there
  unsigned* claims;          // to the others, so far; zero before the pass, or null
  claimed_tiles& mine;       // shared
  int count = 0;             // of tiles in `mine`
  unsigned next_number = 0;  // thread 0

  // All parts together may claim twice as many tiles as there are to be claimed: none is left over.
  __device__ tile_deal(std::int64_t part, std::int64_t parts, std::int64_t all, unsigned* claims, claimed_tiles& mine)
      : part(part), parts(parts), all(all), claims(claims), mine(mine) {
    constexpr std::int64_t most_open = claimed_tiles::most / 2;
    const std::int64_t each = all / parts, open = min(max(each / 8, std::int64_t{1}), most_open);
    const bool claim = parts > 1 && each >= 2 && claims != nullptr;
    fixed = claim ? (each - open) * parts : all;
    in_turn = static_cast<int>(claim ? each - open : each + (part < all - each * parts));
  }

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

}  // namespace multifold::inline v0_1::cuda::exact
