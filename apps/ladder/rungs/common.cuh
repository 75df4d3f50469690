// What the rungs share: the operations, what a kernel reads, and how one pass follows another. No kernel is here.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "multifold/cuda/error.hpp"
#include "multifold/dtype.hpp"
#include "multifold/error.hpp"
#include "multifold/ops.hpp"

namespace multifold::ladder::gpu {

using cuda::check;

inline constexpr int most_threads = 1024;  // of a block, on every GPU

/// What a sum is added up in. 32 bits would not do for the sum of many 32-bit integers.
template <class T>
using wide = std::conditional_t<std::is_integral_v<T>, long long, T>;

/// Adds to memory that other threads add to at the same time.
template <class Acc>
__device__ void atomic_sum(Acc* to, Acc value) {
  // atomicAdd knows no signed 64-bit integers. The bits of the sum are the same without a sign.
  if constexpr (std::is_integral_v<Acc>) {
    atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
  } else {
    atomicAdd(to, value);
  }
}

template <class T>
struct sum {
  using value_type = T;
  using acc = wide<T>;
  static constexpr op_kind kind = op_kind::sum;
  static constexpr bool two_arrays = false;
  static __device__ acc identity() { return 0; }
  static __device__ acc lift(T x, T) { return x; }
  static __device__ acc combine(acc a, acc b) { return a + b; }
  static __device__ void atomic(acc* to, acc value) { atomic_sum(to, value); }
};

template <class T>
struct dot {
  using value_type = T;
  using acc = wide<T>;
  static constexpr op_kind kind = op_kind::dot;
  static constexpr bool two_arrays = true;
  static __device__ acc identity() { return 0; }
  static __device__ acc lift(T x, T y) { return acc{x} * acc{y}; }
  static __device__ acc combine(acc a, acc b) { return a + b; }
  static __device__ void atomic(acc* to, acc value) { atomic_sum(to, value); }
};

/// The greatest element. There is no NaN among them.
template <class T>
struct max {
  using value_type = T;
  using acc = T;
  static constexpr op_kind kind = op_kind::max;
  static constexpr bool two_arrays = false;
  static __device__ acc identity() {
    if constexpr (std::is_integral_v<T>) return std::numeric_limits<T>::min();
    else return -std::numeric_limits<T>::infinity();
  }
  static __device__ acc lift(T x, T) { return x; }
  static __device__ acc combine(acc a, acc b) { return a < b ? b : a; }
  static __device__ void atomic(acc* to, acc value) {
    if constexpr (std::is_integral_v<T>) {
      atomicMax(to, value);
    } else {
      // There is no atomicMax for floating point, but its bits can be compared. Read as signed integers, those of
      // numbers without a minus sign ascend with the numbers, and all others are less. Read as unsigned integers, those
      // with a minus sign descend, and all others are less.
      using bits = std::conditional_t<sizeof(T) == 4, int, long long>;
      using unsigned_bits = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
      const bits b = bit_copy<bits>(value);
      if (b >= 0) atomicMax(reinterpret_cast<bits*>(to), b);
      else atomicMin(reinterpret_cast<unsigned_bits*>(to), static_cast<unsigned_bits>(b));
    }
  }
};

/// What a first pass reads: the array, or both of them.
template <class Op>
struct elements {
  const typename Op::value_type* x;
  const typename Op::value_type* y;  // not read unless Op takes two arrays
  __device__ typename Op::acc operator[](std::int64_t i) const {
    if constexpr (Op::two_arrays) return Op::lift(x[i], y[i]);
    else return Op::lift(x[i], x[i]);
  }
};

/// What later passes read: what the pass in front of them left.
template <class Op>
struct partials {
  const typename Op::acc* data;
  __device__ typename Op::acc operator[](std::int64_t i) const { return data[i]; }
};

/// What a rung is to do. All addresses are in device memory; nothing is allocated while it runs.
template <class Op>
struct run {
  const typename Op::value_type* x = nullptr;
  const typename Op::value_type* y = nullptr;
  std::int64_t count = 0;              // elements, at least 1
  typename Op::acc* result = nullptr;  // where the result goes
  typename Op::acc* space[2] = {};     // for partial results: passes write to the one that they do not read
  unsigned* arrivals = nullptr;        // 0 before and after each run
  int threads = 256;                   // a block: a power of two, up to most_threads
  int multiprocessors = 1;
  cudaStream_t stream = nullptr;

  elements<Op> all() const { return {x, y}; }
};

/// a / b, rounded up.
inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

/// Blocks of a grid that each take `per_block` of `n` elements.
inline unsigned blocks_for(std::int64_t n, std::int64_t per_block) {
  const std::int64_t blocks = ceil_div(n, per_block);
  if (blocks > std::numeric_limits<std::int32_t>::max()) {
    throw unsupported_error("a grid has at most 2^31 - 1 blocks, and " + std::to_string(blocks) +
                            " are wanted: use larger blocks");
  }
  return static_cast<unsigned>(blocks);
}

/// After kernel<<<...>>>(...), which returns nothing.
inline void check_launch(std::source_location where = std::source_location::current()) {
  check(cudaGetLastError(), where);
}

/// Calls launch(source, n, blocks, out) pass by pass, until one result is left. Each block makes one partial result of
/// `per_block` elements, which is at least two.
template <class Op, class Launch>
void in_passes(const run<Op>& r, std::int64_t per_block, const Launch& launch) {
  unsigned left = blocks_for(r.count, per_block);
  typename Op::acc* out = left == 1 ? r.result : r.space[0];
  launch(r.all(), r.count, left, out);
  for (int pass = 1; left > 1; ++pass) {
    const std::int64_t n = left;
    const partials<Op> in{out};
    left = blocks_for(n, per_block);
    out = left == 1 ? r.result : r.space[pass % 2];
    launch(in, n, left, out);
  }
}

}  // namespace multifold::ladder::gpu
