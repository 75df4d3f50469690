// What the threads of a block do with a tile: who shares which run, on which walk, and how those meet who share one.
#pragma once

#include <cstdint>

#include "multifold/cuda/kernels/block_reduce.cuh"
#include "multifold/cuda/kernels/tile_ring.cuh"
#include "multifold/cuda/kernels/tile_walks.cuh"

namespace multifold::cuda::kernels {

/// The arrays that an operation reads: one, or two of one shape for an operation on pairs of elements.
template <class T>
struct tile_elements {
  using type = T;
  static constexpr int arrays = 1;
};
template <class T>
struct tile_elements<element_pair<T>> {
  using type = T;
  static constexpr int arrays = 2;
};
template <class Op>
using tile_element = typename tile_elements<typename Op::value_type>::type;

/// Blocks that a multiprocessor holds: threads that gather moments take more registers.
template <class Op>
inline constexpr int tile_blocks_of = most_tile_blocks;
template <class Op>
requires requires { Op::set; }
inline constexpr int tile_blocks_of<Op> = most_moment_tile_blocks;

/// The array and its tiles. Strides are in elements; neighbouring columns, or elements of a row (inner == 1), are
/// neighbours in memory. A second array has the same strides.
struct tile_map {
  array_range array, second;
  std::int64_t outer, inner;
  std::int64_t outer_stride, row_stride;
  std::int64_t blocks_of_outer, chunks;  // boxes along outer, and along inner
  int outers, rows, columns;             // of a box, at most
  int group;                             // threads a run: a power of two up to a block
  int pitch;                             // bytes from piece to piece in a stage; 0 where a box is one piece
  std::int64_t index_step;               // from row to row
  bool turned;                           // a run of outer o begins with its element o * group
};

/// Threads of a run, and which run. Those of a row are neighbours, which meet by shuffles; of columns, neighbours have
/// neighbouring columns, and the threads of one meet in shared memory.
struct tile_lanes {
  int group, together;  // threads a run, and runs at once
  int lane, first;
  bool rows;

  __device__ tile_lanes(const tile_map& map)
      : group(map.group),
        together(tile_threads / map.group),
        lane(map.inner == 1 ? static_cast<int>(threadIdx.x) % map.group : static_cast<int>(threadIdx.x) / together),
        first(map.inner == 1 ? static_cast<int>(threadIdx.x) / map.group : static_cast<int>(threadIdx.x) % together),
        rows(map.inner == 1) {}
};

/// The value of a run, in its lane 0. All threads of the block must call.
template <class Op>
__device__ typename Op::accumulator merge_lanes(const Op& op, const tile_lanes& lanes, typename Op::accumulator value,
                                                block_storage<Op, tile_threads>& storage) {
  if (lanes.group == 1) return value;
  if (lanes.rows && lanes.group <= 32) {
    for (int mask = lanes.group / 2; mask > 0; mask /= 2) value = meet(op, value, mask);
    return value;
  }
  if (lanes.rows && lanes.together == 1) {
    __syncthreads();
    return shuffle_reduce(op, value, storage);
  }
  const int step = lanes.rows ? 1 : lanes.together, slot = static_cast<int>(threadIdx.x);
  __syncthreads();
  storage.slots[slot] = value;
  for (int half = lanes.group / 2; half > 0; half /= 2) {
    __syncthreads();
    if (lanes.lane < half) {
      value = op.combine(value, storage.slots[slot + half * step]);
      storage.slots[slot] = value;
    }
  }
  return value;
}

/// An operation on binary64 expansions that first tries a run as something quicker, which may not hold.
template <class Op>
concept tries_first = requires {
  typename Op::trial;
};

/// The elements of a run that are a lane's, or of those of Width columns, on the walk that serves best; `first` is
/// where the run begins in the tile, behind the shift of its array.
template <int Width, class Op>
struct tile_reader {
  using T = tile_element<Op>;
  const tile_map& map;
  int stride, group, lane;
  unsigned bend;

  struct run_place {
    const std::byte* first[2];
    unsigned shift[2];
    int rows, outer, span;
    run_indices index;
  };

  __device__ void absorb(const Op& op, thread_value<Op> (&mine)[Width], const run_place& run) const {
    if constexpr (tries_first<Op>) {
      using trial = typename Op::trial;
      thread_value<trial> tried[Width];
#pragma unroll
      for (auto& each : tried) each = thread_value<trial>(trial{});
      walk(trial{}, tried, run);
      bool holds = true;
#pragma unroll
      for (const auto& each : tried) holds = holds && Op::holds(each.current, run.rows);
      if (holds) {
#pragma unroll
        for (int j = 0; j < Width; ++j) Op::take(mine[j].current, tried[j].current);
        return;
      }
    }
    walk(op, mine, run);
  }

  template <class Fold>
  __device__ void walk(const Fold& op, thread_value<Fold> (&mine)[Width], const run_place& run) const {
    constexpr bool pairs = tile_elements<typename Op::value_type>::arrays == 2;
    const int rows = run.rows;
    if constexpr (Width == 1 && !pairs && sizeof(T) <= 8 && !takes_several<Fold>) {
      // Long runs of neighbours, by whole vectors.
      const bool long_run = rows >= least_vectors_a_lane * vector_elements<T> * group;
      if (stride == sizeof(T) && long_run && !map.turned && run.index.step == 1) {
        return absorb_neighbours(op, mine[0], run.first[0] + run.shift[0], rows, lane, group, run.index);
      }
    }
    const auto along = [&](const auto& walk_of) {
      using way = decltype(walk_of(0));
      if constexpr (pairs) {
        absorb_run(op, mine, pair_walk<T, way>{walk_of(0), walk_of(1)}, rows, lane, group, run.index);
      } else {
        absorb_run(op, mine, column_walk<T, way>{walk_of(0), run.span}, rows, lane, group, run.index);
      }
    };
    if (bend != 0) {
      along([&](int a) { return bent_walk(run.first[a], stride, run.shift[a], bend, lane, group); });
    } else if (map.turned && rows >= group) {
      along([&](int a) {
        return turned_walk(run.first[a] + run.shift[a], stride, rows, run.outer * group, lane, group);
      });
    } else {
      along([&](int a) { return straight_walk(run.first[a] + run.shift[a], stride, lane, group); });
    }
  }
};

}  // namespace multifold::cuda::kernels
