// How a thread goes through the elements of a batch that a tile has of it: straight, or turned, where neighbouring runs
// would read one bank.
#pragma once

#include <cstddef>
#include <cstdint>

#include "multifold/cuda/kernels/runs/run_lanes.cuh"

namespace multifold::inline v0_1::cuda::kernels {

/// The numbers in a run of elements that a walk is to take next: worked out where they are asked for. An array of them
/// would be stored in local memory even where none is asked for.
struct straight_numbers {
  int first, step;
  __device__ int operator[](int k) const { return first + k * step; }
};
struct turned_numbers {
  int first, step, count;
  __device__ int operator[](int k) const {
    int number = first;
#pragma unroll
    for (int i = 0; i < k; ++i) {
      number += step;
      if (number >= count) number -= count;
    }
    return number;
  }
};

/// Ways through a run in shared memory, for lane `lane` of `lanes`: take() says where the next element stands, or,
/// where nothing is left (`here` is false), any element of it; numbers() are those that take() will go through. Where a
/// walk `ascends`, a lane's numbers do, and `lane` is the first.
struct straight_walk {
  static constexpr bool ascends = true;
  const std::byte *first, *at;
  int step, number, lanes;

  __device__ straight_walk(const std::byte* first, int stride, int lane, int lanes)
      : first(first), at(first + lane * stride), step(lanes * stride), number(lane), lanes(lanes) {}
  __device__ straight_numbers numbers() const { return {number, lanes}; }
  __device__ const std::byte* take(bool here) {
    const std::byte* const place = here ? at : first;
    number += lanes;
    at += step;
    return place;
  }
};

/// The run begins with its element `begin` and goes round: so threads of neighbouring runs read different banks.
struct turned_walk {
  static constexpr bool ascends = false;
  const std::byte* at;
  int step, number, lanes, count, round;

  __device__ turned_walk(const std::byte* first, int stride, int count, int begin, int lane, int lanes)
      : step(lanes * stride), number((lane + begin) % count), lanes(lanes), count(count), round(count * stride) {
    at = first + number * stride;
  }
  /// Of a single lane, from element `begin` < count on.
  __device__ turned_walk(const std::byte* first, int stride, int count, int begin)
      : at(first + begin * stride), step(stride), number(begin), lanes(1), count(count), round(count * stride) {}
  __device__ turned_numbers numbers() const { return {number, lanes, count}; }
  __device__ const std::byte* take(bool) {
    const std::byte* const place = at;
    number += lanes;
    at += step;
    if (number >= count) {
      number -= count;
      at -= round;
    }
    return place;
  }
};

/// Bytes from the first of a thread's columns to each of them.
template <int Width>
struct column_offsets {
  int of[Width];
};

/// Where the columns of a thread stand in shared memory: `span` bytes from each other.
template <class Element, class Walk>
struct column_walk {
  static constexpr bool ascends = Walk::ascends;
  Walk walk;
  int span;

  __device__ auto numbers() const { return walk.numbers(); }
  template <int Width>
  __device__ void take(bool here, Element (&x)[Width]) {
    const std::byte* const place = walk.take(here);
#pragma unroll
    for (int j = 0; j < Width; ++j) x[j] = *reinterpret_cast<const Element*>(place + j * span);
  }
};

/// The same with an offset for each.
template <class Element, class Walk, int Width>
struct offset_walk {
  static constexpr bool ascends = Walk::ascends;
  Walk walk;
  column_offsets<Width> offset;

  __device__ auto numbers() const { return walk.numbers(); }
  __device__ void take(bool here, Element (&x)[Width]) {
    const std::byte* const place = walk.take(here);
#pragma unroll
    for (int j = 0; j < Width; ++j) x[j] = *reinterpret_cast<const Element*>(place + offset.of[j]);
  }
};

/// The same of two arrays side by side, as pairs.
template <class Element, class Walk>
struct pair_walk {
  static constexpr bool ascends = Walk::ascends;
  Walk x, y;

  __device__ auto numbers() const { return x.numbers(); }
  __device__ void take(bool here, element_pair<Element> (&pair)[1]) {
    const std::byte* const place = x.take(here);
    pair[0] = {*reinterpret_cast<const Element*>(place), *reinterpret_cast<const Element*>(y.take(here))};
  }
};

/// Neighbours in shared memory, sixteen bytes at a time but for the ends. A lane's numbers ascend.
template <class T>
struct neighbour_walk {
  static constexpr int width = vector_elements<T>;
  const std::byte* first;
  int count, head, vectors;

  __device__ neighbour_walk(const std::byte* first, int count) : first(first), count(count) {
    const int behind = static_cast<int>(reinterpret_cast<std::uintptr_t>(first) % 16 / sizeof(T));
    head = min(count, (width - behind) % width);
    vectors = (count - head) / width;
  }
  __device__ const vector_word& vector(int v) const {
    return reinterpret_cast<const vector_word*>(first + head * static_cast<int>(sizeof(T)))[v];
  }
  __device__ int number_of(int v) const { return head + v * width; }

  /// one(x, number) and some(vectors, number of the first, from one to the next), for lane `lane` of `lanes`.
  template <class One, class Some>
  __device__ __forceinline__ void each(int lane, int lanes, const One& one, const Some& some) const {
    const auto element = [&](int l) { one(*reinterpret_cast<const T*>(first + l * static_cast<int>(sizeof(T))), l); };
    const auto few = [&]<int Loads>(int v) {
      vector_word loaded[Loads];
#pragma unroll
      for (int k = 0; k < Loads; ++k) loaded[k] = vector(v + k * lanes);
      some(loaded, number_of(v), lanes * width);
    };
#pragma unroll 1
    for (int l = lane; l < head; l += lanes) element(l);
    int v = lane;
#pragma unroll 1
    for (; v + lanes < vectors; v += 2 * lanes) few.template operator()<2>(v);
    if (v < vectors) few.template operator()<1>(v);
#pragma unroll 1
    for (int l = number_of(vectors) + lane; l < count; l += lanes) element(l);
  }
};

}  // namespace multifold::inline v0_1::cuda::kernels
