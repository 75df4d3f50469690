// A run of a tile, as the lanes of its group go through it, once or several times.
#pragma once

#include <cstdint>

#include "multifold/cuda/kernels/absorb/run.cuh"

namespace multifold::inline v0_1::cuda::kernels {

/// Where a run of a tile stands in shared memory, of each array: `stride` bytes from element to element; `span` bytes
/// from one column of a thread to the next.
struct run_place {
  const std::byte* first[2];
  int rows, outer, span;
  run_indices index;
  int most_rows;  // of any run of the tile
};

/// What was gathered of each.
template <int Width, class Sum>
struct whole_sums {
  Sum of[Width];
};

/// A run as the lanes of its group go through it, once or several times. `each(f)` calls f(x, y, here, numbers) with a
/// few elements of the lane at a time, and numbers[k], their numbers in the run: of those that are not `here` the value
/// is that of any element. `y` is the second array's, or x.
template <class T, int Arrays>
struct tile_run {
  run_place place;
  int stride, group, lane;
  bool turned;
  int vector_rows;  // the least that are taken by whole vectors

  __device__ int rows() const { return place.rows; }
  /// How many elements a lane has at most.
  __device__ int share() const { return group == 1 ? rows() : (rows() >> (31 - __clz(group))) + 16; }

  template <class F>
  __device__ __forceinline__ void each(const F& f) const {
    if (rows() == 0) return;
    if constexpr (Arrays == 1 && sizeof(T) <= 8) {
      if (takes_vectors()) return neighbours(f);
    }
    if (turned && rows() >= group) {
      along([&](int a) { return turned_walk(place.first[a], stride, rows(), place.outer * group, lane, group); }, f);
    } else {
      along([&](int a) { return straight_walk(place.first[a], stride, lane, group); }, f);
    }
  }
  /// All elements of several columns, `offset` bytes behind that of the run, whose only lane this is: f(x, y), a few
  /// rows x[k] of columns x[k][j] at a time. `y` is the second array's, or x.
  template <int Width, class F>
  __device__ __forceinline__ void each_of_columns(const column_offsets<Width>& offset, const F& f) const {
    if (rows() == 0) return;
    if (turned) {
      along_columns([&](int a) { return turned_walk(place.first[a], stride, rows(), place.outer, 0, 1); }, offset, f);
    } else {
      along_columns([&](int a) { return straight_walk(place.first[a], stride, 0, 1); }, offset, f);
    }
  }
  /// The run of another column, whose only lane this is, too.
  __device__ tile_run beside(int offset) const {
    tile_run other = *this;
    other.group = 1, other.lane = 0;
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
        const auto load = [&](int a) { return *reinterpret_cast<const T*>(place.first[a] + next * stride); };
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
      const auto numbers = x_walk.numbers();
#pragma unroll
      for (int k = 0; k < Loads; ++k) {
        here[k] = true;
        x[k] = *reinterpret_cast<const T*>(x_walk.take(here[k]));
        if constexpr (Arrays == 2) y[k] = *reinterpret_cast<const T*>(y_walk.take(here[k]));
        else y[k] = x[k];
      }
      f(x, y, here, numbers);
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

  template <int Width, class WalkOf, class F>
  __device__ __forceinline__ void along_columns(const WalkOf& walk_of, const column_offsets<Width>& offset,
                                                const F& f) const {
    constexpr int most = Width * Arrays > 2 ? 2 : 4;
    auto x_walk = walk_of(0), y_walk = walk_of(Arrays - 1);
    int left = rows();
    const auto some = [&]<int Loads>() {
      T x[Loads][Width], y[Loads][Width];
#pragma unroll
      for (int k = 0; k < Loads; ++k) {
        const std::byte* const x_at = x_walk.take(true);
#pragma unroll
        for (int j = 0; j < Width; ++j) y[k][j] = x[k][j] = *reinterpret_cast<const T*>(x_at + offset.of[j]);
        if constexpr (Arrays == 2) {
          const std::byte* const y_at = y_walk.take(true);
#pragma unroll
          for (int j = 0; j < Width; ++j) y[k][j] = *reinterpret_cast<const T*>(y_at + offset.of[j]);
        }
      }
      f(x, y);
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
    const std::byte* const first = place.first[0];
    const int count = rows();
    const auto one = [&](int l) {
      const T x[1] = {*reinterpret_cast<const T*>(first + l * static_cast<int>(sizeof(T)))};
      const bool here[1] = {true};
      f(x, x, here, straight_numbers{l, 1});
    };
    const int behind = static_cast<int>(reinterpret_cast<std::uintptr_t>(first) % 16 / sizeof(T));
    const int head = min(count, (width - behind) % width), vectors = (count - head) / width;
#pragma unroll 1
    for (int l = lane; l < head; l += group) one(l);
    const auto* const words = reinterpret_cast<const vector_word*>(first + head * static_cast<int>(sizeof(T)));
    const auto some = [&](const vector_word& v, int number) {
      const auto loaded = bit_copy<elements_of<T>>(v);
      bool here[width];
#pragma unroll
      for (bool& each : here) each = true;
      f(loaded.values, loaded.values, here, straight_numbers{head + number * width, 1});
    };
    int v = lane;
    // Unrolled by hand: the compiler would divide by the number of lanes first.
#pragma unroll 1
    for (; v + group < vectors; v += 2 * group) {
      const vector_word one = words[v], other = words[v + group];
      some(one, v);
      some(other, v + group);
    }
    if (v < vectors) some(words[v], v);
#pragma unroll 1
    for (int l = head + vectors * width + lane; l < count; l += group) one(l);
  }
};

}  // namespace multifold::inline v0_1::cuda::kernels
