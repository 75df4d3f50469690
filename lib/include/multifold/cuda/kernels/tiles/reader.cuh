// What the threads of a block do with a tile: who shares which run, on which walk, and how those meet who share one.
#pragma once

#include <climits>
#include <cstdint>

#include "multifold/cuda/kernels/block_reduce.cuh"
#include "multifold/cuda/kernels/tiles/ring.cuh"
#include "multifold/cuda/kernels/tiles/run.cuh"

namespace multifold::inline v0_1::cuda::kernels {

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

/// The occupancy, in blocks an SM: less where a thread has whole moments of several columns in registers.
template <class Op, int Width, bool Whole>
inline constexpr int tile_blocks_of = [] {
  constexpr int blocks = tile_blocks(sizeof(typename Op::accumulator));
  if constexpr (Whole && Width > 1 && requires { Op::set; })
    return blocks < moment_column_blocks ? blocks : moment_column_blocks;
  else return blocks;
}();

/// The array and its tiles. Strides are in elements; neighbouring columns, or elements of a row (inner == 1), are
/// neighbours in memory. A second array has the same strides.
struct tile_map {
  array_range array, second;
  std::int64_t outer, inner;
  std::int64_t outer_stride, row_stride;
  std::int64_t blocks_of_outer, chunks;  // boxes along outer, and along inner
  int outers, rows, columns;             // of a box, at most
  int group;                             // threads a run: a power of two up to a block
  int pitch;                             // bytes from piece to piece in a stage, that of memory modulo a line; 0 where
                                         // a box is one piece
  std::int64_t index_step;               // from row to row
  bool turned;                           // a run of outer o begins with its element o * group
};

/// Threads of a run, and which run. Those of a row are neighbours, which meet by shuffles; of columns, neighbours have
/// neighbouring columns, and the threads of one meet in shared memory.
struct tile_lanes {
  int group, together;  // threads a run, and runs at once
  int lane, first;
  bool rows;

  // By shifts: both are powers of two.
  __device__ tile_lanes(int group, bool rows) : group(group), together(tile_threads >> log_of(group)), rows(rows) {
    const int thread = static_cast<int>(threadIdx.x), side = rows ? group : together;
    const int inner = thread & (side - 1), outer = thread >> log_of(side);
    lane = rows ? inner : outer;
    first = rows ? outer : inner;
  }

  /// The first run in a tile of this number, where warps change places from tile to tile.
  __device__ int first_of(unsigned number) const {
    constexpr int warps = tile_threads / 32;
    return (first + static_cast<int>(number % warps) * max(together / warps, 1)) & (together - 1);
  }

 private:
  __device__ static int log_of(int power) { return 31 - __clz(power); }
};

/// The value of a run, in its lane 0: through slots for all threads to one warp, or to one lane, and by shuffles there.
/// Wide accumulators are shuffled by few warps so. All threads of the block must call.
template <class Op>
__device__ typename Op::accumulator merge_lanes(const Op& op, const tile_lanes& lanes, typename Op::accumulator value,
                                                block_storage<Op, tile_threads>& storage) {
  if (lanes.group == 1) return value;
  const int step = lanes.rows ? 1 : lanes.together, threads = step * lanes.group;  // from lane to lane, and of all
  const int thread = static_cast<int>(threadIdx.x), apart = max(step, 32);
  if (threads > 32) {
    __syncthreads();
    storage.slots[thread] = value;
    __syncthreads();
    if ((thread & (threads - 1)) >= apart) return value;
#pragma unroll 1
    for (int at = apart; at < threads; at += apart) value = op.combine(value, storage.slots[thread + at]);
  }
#pragma unroll 1
  for (int mask = min(threads, 32) / 2; mask >= step; mask /= 2) value = meet(op, value, mask);
  return value;
}

/// How an operation takes runs that it looks at more than once. Specialised with `any` true where one does; then
///   whole(op, run, deliver)    all of a run, by the lanes of its group, which are neighbours, or one alone:
///                              deliver(sum) in all lanes; whole warps call, all of a group
///   whole_columns(op, run, columns)
///                              the same of several columns of a lane that shares no run, if most_columns > 1; the
///                              run is that of the first one
///   add_open(op, into, run)   a lane's elements of a run, to its accumulator
///   merge_row(slots, group, value)
///                              what all lanes of a group of several warps have in accumulators
///   accumulator_of(sum)        of a whole sum, for a next pass, if it hands_on
template <class Op>
struct run_sweeps {
  static constexpr bool any = false;
};

/// The kernels of step_kind::tile_sums and row_sums, of operations that have them.
template <class Op>
struct sum_kernels {
  static constexpr bool any = false;
};

/// Columns that a lane has whole runs of, at most.
template <class Op>
inline constexpr int whole_columns_of = 1;
template <class Op>
requires requires { run_sweeps<Op>::most_columns; }
inline constexpr int whole_columns_of<Op> = run_sweeps<Op>::most_columns;

/// The elements of a run that are a lane's, or of those of Width columns, on the walk that serves best.
template <int Width, class Op>
struct tile_reader {
  using T = tile_element<Op>;
  static constexpr int arrays = tile_elements<typename Op::value_type>::arrays;
  const tile_map& map;
  int stride, group, lane;
  int vector_rows;  // the least that are taken by whole vectors

  __device__ tile_reader(const tile_map& map, int stride, int group, int lane)
      : map(map), stride(stride), group(group), lane(lane) {
    const bool neighbours = stride == static_cast<int>(sizeof(T)) && !map.turned && map.index_step == 1;
    vector_rows = neighbours ? least_row_by_vectors(sizeof(T), masks_rows<Op>, group) : INT_MAX;
  }

  /// No element of it unless `here`.
  __device__ tile_run<T, arrays> run_of(run_place place, bool here) const {
    if (!here) place.rows = 0;
    return {place, stride, group, lane, map.turned, vector_rows};
  }

  __device__ void absorb(const Op& op, run_value<Op> (&mine)[Width], const run_place& run) const {
    constexpr bool pairs = arrays == 2;
    const int rows = run.rows;
    constexpr bool by_vectors = !takes_several<Op> && !requires { run_lane<Op>::one_by_one; };
    if constexpr (Width == 1 && !pairs && sizeof(T) <= 8 && by_vectors) {
      // Long runs of neighbours, by whole vectors.
      if (rows >= vector_rows) {
        if constexpr (masks_rows<Op>) {
          const masked_row row(run.first[0], rows * static_cast<int>(sizeof(T)));
          return absorb_masked(op, mine[0], row, lane, group, run.index);
        }
        return absorb_neighbours(op, mine[0], neighbour_walk<T>(run.first[0], rows), lane, group, run.index);
      }
    }
    const auto along = [&](const auto& walk_of) {
      using way = decltype(walk_of(0));
      if constexpr (takes_words<Op, Width>) {
        absorb_words(op, mine, walk_of(0), rows, lane, group, run.index);
      } else if constexpr (pairs) {
        absorb_run(op, mine, pair_walk<T, way>{walk_of(0), walk_of(1)}, rows, lane, group, run.index);
      } else {
        absorb_run(op, mine, column_walk<T, way>{walk_of(0), run.span}, rows, lane, group, run.index);
      }
    };
    if (map.turned && rows >= group) {
      along([&](int a) { return turned_walk(run.first[a], stride, rows, run.outer * group, lane, group); });
    } else {
      along([&](int a) { return straight_walk(run.first[a], stride, lane, group); });
    }
  }
};

}  // namespace multifold::inline v0_1::cuda::kernels
