// What the threads of a block do with a tile: who shares which run, on which walk, and how those meet who share one.
#pragma once

#include <climits>
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

/// Where a run of a tile stands in shared memory: behind the shift of its array, `stride` bytes from element to
/// element; `span` bytes from one column of a thread to the next.
struct run_place {
  const std::byte* first[2];
  unsigned shift[2];
  int rows, outer, span;
  run_indices index;
  int most_rows;  // of any run of the tile
};

/// Bytes from the first of a thread's columns to each of them.
template <int Width>
struct column_offsets {
  int of[Width];
};

/// What was gathered of each.
template <int Width, class Sum>
struct whole_sums {
  Sum of[Width];
};

/// A run as the lanes of its group go through it, once or several times. `each(f)` calls f(x, y, here, number) with a
/// few elements of the lane at a time, and their numbers in the run: of those that are not `here` the value is that of
/// any element. `y` is the second array's, or x.
template <class T, int Arrays>
struct tile_run {
  run_place place;
  int stride, group, lane;
  unsigned bend;
  bool turned;
  int vector_rows;  // the least that are taken by whole vectors

  __device__ int rows() const { return place.rows; }
  /// How many elements a lane has at most.
  __device__ int share() const {
    return group == 1 ? rows() : static_cast<int>(static_cast<unsigned>(rows()) / static_cast<unsigned>(group)) + 16;
  }

  template <class F>
  __device__ __forceinline__ void each(const F& f) const {
    if (rows() == 0) return;
    if constexpr (Arrays == 1 && sizeof(T) <= 8) {
      if (takes_vectors()) return neighbours(f);
    }
    if (bend != 0) {
      along([&](int a) { return bent_walk(place.first[a], stride, place.shift[a], bend, lane, group); }, f);
    } else if (turned && rows() >= group) {
      along(
          [&](int a) {
            return turned_walk(place.first[a] + place.shift[a], stride, rows(), place.outer * group, lane, group);
          },
          f);
    } else {
      along([&](int a) { return straight_walk(place.first[a] + place.shift[a], stride, lane, group); }, f);
    }
  }
  /// All elements of several columns, `offset` bytes behind that of the run, whose only lane this is: f(x), a few rows
  /// x[k] of columns x[k][j] at a time.
  template <int Width, class F>
  __device__ __forceinline__ void each_of_columns(const column_offsets<Width>& offset, const F& f) const {
    if (rows() == 0) return;
    const std::byte* const first = place.first[0];
    const unsigned shift = place.shift[0];
    if (bend != 0) along_columns(bent_walk(first, stride, shift, bend, 0, 1), offset, f);
    else if (turned) along_columns(turned_walk(first + shift, stride, rows(), place.outer, 0, 1), offset, f);
    else along_columns(straight_walk(first + shift, stride, 0, 1), offset, f);
  }
  /// The run of another column.
  __device__ tile_run beside(int offset) const {
    tile_run other = *this;
    for (const std::byte*& each : other.place.first) each += offset;
    return other;
  }
  /// The same elements with little code, for what is seldom done.
  template <class F>
  __device__ __forceinline__ void each_slowly(const F& f) const {
    const int count = rows();
    if (count == 0) return;
    if constexpr (Arrays == 1 && sizeof(T) <= 8) {
      if (takes_vectors()) return neighbours(f);
    }
    constexpr int together = sizeof(T) <= 4 ? 4 : 2;
    int next = lane + (turned && count >= group ? place.outer * group % count : 0);
    if (next >= count) next -= count;
#pragma unroll 1
    for (int l = lane; l < count; l += together * group) {
      T x[together], y[together];
      bool here[together];
      int number[together];
#pragma unroll
      for (int k = 0; k < together; ++k) {
        number[k] = next;
        here[k] = l + k * group < count;
        const auto load = [&](int a) {
          const unsigned shift = (place.shift[a] + static_cast<unsigned>(next) * bend) % tile_line_bytes;
          return *reinterpret_cast<const T*>(place.first[a] + next * stride + shift);
        };
        x[k] = load(0);
        y[k] = Arrays == 2 ? load(1) : x[k];
        next += group;
        if (next >= count) next -= count;
        if (next >= count) next = 0;  // of fewer elements than lanes
      }
      f(x, y, here, number);
    }
  }

 private:
  __device__ bool takes_vectors() const { return rows() >= vector_rows; }

  template <class WalkOf, class F>
  __device__ __forceinline__ void along(const WalkOf& walk_of, const F& f) const {
    constexpr int most = sizeof(T) * Arrays <= 8 ? 8 : 4;
    auto x_walk = walk_of(0), y_walk = walk_of(Arrays - 1);
    const int count = rows();
    int l = lane;
    const auto some = [&]<int Loads>() {
      T x[Loads], y[Loads];
      bool here[Loads];
      int number[Loads];
#pragma unroll
      for (int k = 0; k < Loads; ++k) {
        here[k] = true;
        x[k] = *reinterpret_cast<const T*>(x_walk.take(here[k], number[k]));
        if constexpr (Arrays == 2) y[k] = *reinterpret_cast<const T*>(y_walk.take(here[k], number[k]));
        else y[k] = x[k];
      }
      f(x, y, here, number);
      l += Loads * group;
    };
#pragma unroll 1
    while (l + (most - 1) * group < count) some.template operator()<most>();
    if constexpr (most > 4) {
      if (l + 3 * group < count) some.template operator()<4>();
    }
    if (l + group < count) some.template operator()<2>();
    if (l < count) some.template operator()<1>();
  }

  template <int Width, class Walk, class F>
  __device__ __forceinline__ void along_columns(Walk walk, const column_offsets<Width>& offset, const F& f) const {
    constexpr int most = Width > 2 ? 2 : 4;
    int left = rows();
    const auto some = [&]<int Loads>() {
      T x[Loads][Width];
#pragma unroll
      for (int k = 0; k < Loads; ++k) {
        int number;
        const std::byte* const at = walk.take(true, number);
#pragma unroll
        for (int j = 0; j < Width; ++j) x[k][j] = *reinterpret_cast<const T*>(at + offset.of[j]);
      }
      f(x);
      left -= Loads;
    };
#pragma unroll 1
    while (left >= most) some.template operator()<most>();
    if constexpr (most > 2) {
      if (left >= 2) some.template operator()<2>();
    }
    if (left >= 1) some.template operator()<1>();
  }

  template <class F>
  __device__ __forceinline__ void neighbours(const F& f) const {
    constexpr int width = vector_elements<T>;
    const std::byte* const first = place.first[0] + place.shift[0];
    const int count = rows();
    const auto one = [&](int l) {
      const T x[1] = {*reinterpret_cast<const T*>(first + l * static_cast<int>(sizeof(T)))};
      const bool here[1] = {true};
      const int number[1] = {l};
      f(x, x, here, number);
    };
    const int behind = static_cast<int>(reinterpret_cast<std::uintptr_t>(first) % 16 / sizeof(T));
    const int head = min(count, (width - behind) % width), vectors = (count - head) / width;
#pragma unroll 1
    for (int l = lane; l < head; l += group) one(l);
    const auto* const words = reinterpret_cast<const vector_word*>(first + head * static_cast<int>(sizeof(T)));
#pragma unroll 2
    for (int v = lane; v < vectors; v += group) {
      const auto loaded = bit_copy<elements_of<T>>(words[v]);
      bool here[width];
      int number[width];
#pragma unroll
      for (int k = 0; k < width; ++k) here[k] = true, number[k] = head + v * width + k;
      f(loaded.values, loaded.values, here, number);
    }
#pragma unroll 1
    for (int l = head + vectors * width + lane; l < count; l += group) one(l);
  }
};

/// How an operation takes runs that it looks at more than once. Specialised with `any` true where one does; then
///   whole(op, run, deliver)    all of a run, by the lanes of its group, which are neighbours in a warp, or one alone:
///                              deliver(sum) in all lanes; the whole warp calls
///   whole_columns(op, run, columns)
///                              the same of several columns of a lane that shares no run, if most_columns > 1; the
///                              run is that of the first one
///   add_piece(op, into, run)   a lane's elements of a run, to its accumulator
///   accumulator_of(sum)        of a whole sum, for a next pass, if it hands_on
template <class Op>
struct run_sweeps {
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
  unsigned bend;
  int vector_rows;  // the least that are taken by whole vectors

  __device__ tile_reader(const tile_map& map, int stride, int group, int lane, unsigned bend)
      : map(map), stride(stride), group(group), lane(lane), bend(bend) {
    const bool neighbours = stride == static_cast<int>(sizeof(T)) && !map.turned && map.index_step == 1;
    vector_rows = neighbours ? least_vectors_a_lane * vector_elements<T> * group : INT_MAX;
  }

  /// No element of it unless `here`.
  __device__ tile_run<T, arrays> run_of(run_place place, bool here) const {
    if (!here) place.rows = 0;
    return {place, stride, group, lane, bend, map.turned, vector_rows};
  }

  __device__ void absorb(const Op& op, run_value<Op> (&mine)[Width], const run_place& run) const {
    constexpr bool pairs = arrays == 2;
    const int rows = run.rows;
    constexpr bool by_vectors = !takes_several<Op> && !requires { run_lane<Op>::one_by_one; };
    if constexpr (Width == 1 && !pairs && sizeof(T) <= 8 && by_vectors) {
      // Long runs of neighbours, by whole vectors.
      if (rows >= vector_rows) {
        return absorb_neighbours(op, mine[0], neighbour_walk<T>(run.first[0] + run.shift[0], rows), lane, group,
                                 run.index);
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
