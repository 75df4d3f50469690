// What a warp has of a tile: runs, as lanes go through them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "multifold/cuda/kernels/rows/masked_rows.cuh"
#include "multifold/cuda/kernels/tiles/orders.cuh"
#include "multifold/cuda/kernels/tiles/reader.cuh"

namespace multifold::inline v0_1::cuda::kernels {

/// A run of a tile as the lanes of its group go through it: by vectors, whose ends are masked, or element by element.
template <floating_storage T>
struct whole_run {
  const std::byte* first;
  int rows, stride;
  int lane, group;
  int begin;  // of a turned walk, or one of these

  enum : int { straight = -1, by_vectors = -2 };

  /// Calls f(x, k) with this lane's elements and, behind the ends of vectors, with -0; k counts them in a step.
  template <class F>
  __device__ __forceinline__ void each(const F& f) const {
    if (begin == by_vectors) {
      constexpr unsigned neutral = sizeof(T) == 2 ? 0x80008000u : 0x80000000u;
      const masked_row row(first, rows * static_cast<int>(sizeof(T)));
      row.template each<sizeof(T) == 8>(neutral, lane, group, [&](const vector_word& v) {
        const auto loaded = bit_copy<elements_of<T>>(v);
#pragma unroll
        for (int k = 0; k < vector_elements<T>; ++k) f(loaded.values[k], k);
      });
    } else if (begin >= 0) {
      along(turned_walk(first, stride, rows, begin % rows, lane, group), f);
    } else {
      along(straight_walk(first, stride, lane, group), f);
    }
  }

 private:
  template <class Walk, class F>
  __device__ __forceinline__ void along(Walk walk, const F& f) const {
    constexpr int together = 4;
    int left = rows - lane;
#pragma unroll 1
    for (; left > (together - 1) * group; left -= together * group) {
      T x[together];
#pragma unroll
      for (T& each : x) each = *reinterpret_cast<const T*>(walk.take(true));
#pragma unroll
      for (int k = 0; k < together; ++k) f(x[k], k);
    }
#pragma unroll 1
    for (; left > 0; left -= group) f(*reinterpret_cast<const T*>(walk.take(true)), 0);
  }
};

/// The runs of a tile that are a warp's: worked out again from what little a thread keeps.
template <floating_storage T>
struct warp_runs {
  const tile_map& map;
  const tile_view& view;
  const std::byte* here;
  tile_lanes lanes;
  int stride, outer_step;
  bool by_vectors, turns;

  __device__ warp_runs(const tile_map& map, const tile_view& view, const std::byte* here)
      : map(map), view(view), here(here), lanes(map.group, map.inner == 1) {
    constexpr int item = sizeof(T);
    const bool pieces = map.pitch != 0;
    stride = map.inner == 1 ? item : pieces ? map.pitch : static_cast<int>(map.row_stride) * item;
    outer_step = pieces ? map.pitch : static_cast<int>(map.outer_stride) * item;
    by_vectors = map.inner == 1 && !map.turned && map.rows >= least_row_by_vectors(item, false, lanes.group);
    turns = lanes.rows && lanes.group >= 32;
  }
  /// Warps that have runs as a whole change places from tile to tile, and do without the step where there is no run.
  __device__ int first(unsigned number) const { return turns ? lanes.first_of(number) : lanes.first; }
  __device__ bool has_step(int r) const { return (turns ? r : r - lanes.first) < view.runs; }
  struct place {
    int outer, column;
  };
  __device__ place place_of(int r) const {
    if (map.inner == 1) return {r, 0};
    const int o = view.words > 1 ? static_cast<int>(__umulhi(static_cast<unsigned>(r), view.share_of_word)) : r;
    return {o, r - o * view.words};
  }
  __device__ whole_run<T> run(int r, const place& at) const {
    const bool active = r < view.runs;
    return {active ? here + (at.outer * outer_step + at.column * static_cast<int>(sizeof(T))) : here,
            active ? view.rows : 0,
            stride,
            lanes.lane,
            lanes.group,
            map.turned   ? at.outer * lanes.group
            : by_vectors ? whole_run<T>::by_vectors
                         : whole_run<T>::straight};
  }
  __device__ std::int64_t batch(const place& at) const { return view.first_batch + at.outer * map.inner + at.column; }
};

}  // namespace multifold::inline v0_1::cuda::kernels
