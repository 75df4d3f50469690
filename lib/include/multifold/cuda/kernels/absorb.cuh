// Sixteen bytes into a thread's lane: the generic loop over elements, and packed instructions where they pay.
#pragma once

#include <cstdint>
#include <cstring>

#include "multifold/cuda/kernels/extremes.cuh"
#include "multifold/ops.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// Sixteen bytes as they were loaded.
struct alignas(16) vector_word {
  unsigned words[4];
};

/// A streaming load: the data is used once, so it should not push anything out of L1.
__device__ inline vector_word load_vector(const void* p) {
  vector_word v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.words[0]), "=r"(v.words[1]), "=r"(v.words[2]), "=r"(v.words[3])
               : "l"(p));
  return v;
}

/// Vectors number i, i + step and so on, as far as they are before `end`: all at once, so that they are waited for
/// once.
template <int Loads>
__device__ __forceinline__ void load_vectors(vector_word (&to)[Loads], const vector_word* from, std::int64_t i,
                                             std::int64_t step, std::int64_t end) {
  const bool all = i + (Loads - 1) * step < end;
#pragma unroll
  for (int k = 0; k < Loads; ++k) {
    if (all || i + k * step < end) to[k] = load_vector(from + i + k * step);
  }
}

/// Calls f(vector, i) with those, one after the other in a loop that is fetched once.
template <int Loads, class F>
__device__ __forceinline__ void each_loaded(vector_word (&loaded)[Loads], std::int64_t i, std::int64_t step,
                                            std::int64_t end, const F& f) {
  const std::int64_t behind = i + Loads * step;
#pragma unroll 1
  for (; i < behind && i < end; i += step) {
    f(loaded[0], i);
#pragma unroll
    for (int k = 1; k < Loads; ++k) loaded[k - 1] = loaded[k];
  }
}

template <class T>
inline constexpr int vector_elements = static_cast<int>(16 / sizeof(T));

template <class T>
struct elements_of {
  T values[vector_elements<T>];
};

/// A thread's running value: elements go into the lane, and full lanes into the accumulator.
template <class Op>
struct thread_value {
  using lane = lane_of<Op>;
  using T = typename Op::value_type;
  typename Op::accumulator total;
  typename lane::type current;
  std::int64_t room;

  thread_value() = default;
  __device__ explicit thread_value(const Op& op)
      : total(op.identity()), current(lane::identity(op)), room(lane::capacity) {}

  /// Call before `elements` more are absorbed.
  __device__ void make_room(const Op& op, int elements) {
    if constexpr (lane::capacity != INT64_MAX) {
      room -= elements;
      if (room < 0) {
        total = op.combine(total, lane::widen(op, current));
        current = lane::identity(op);
        room = lane::capacity - elements;
      }
    }
  }
  __device__ void absorb(const Op& op, T x, std::int64_t index) { current = lane::absorb(op, current, x, index); }
  __device__ typename Op::accumulator value(const Op& op) const {
    if constexpr (lane::capacity == INT64_MAX) return lane::widen(op, current);
    else return op.combine(total, lane::widen(op, current));
  }
};

/// Any operation: one element after the other.
template <class Op>
__device__ void absorb_vector(const Op& op, thread_value<Op>& into, const vector_word& v, std::int64_t index) {
  using T = typename Op::value_type;
  const auto unpacked = bit_copy<elements_of<T>>(v);
#pragma unroll
  for (int i = 0; i < vector_elements<T>; ++i) into.absorb(op, unpacked.values[i], index + i);
}

}  // namespace multifold::inline v0_1::cuda::kernels
