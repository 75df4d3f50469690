// Rung 8: lanes pass values to each other.
//
// A shuffle gives a lane the value that another lane of its warp has in a register. Five of them add up a warp, with no
// shared memory and no barrier of the block. Shared memory then takes one value a warp, of which there are 32 at most,
// and the first warp adds those: one __syncthreads() for the whole block. Nothing has to be a power of two but the
// block; an array of any length will do.
//
// For 32-bit integers, one instruction does all five steps: __reduce_max_sync and __reduce_add_sync. The sum of 64-bit
// integers can have it too. They are split into limbs of 27, 27 and 10 bits, and 32 limbs of 27 bits add up to 32 bits.
// Defect: rows of a fixed, small length make many partial results, which have to be written, read and added, and a
// block goes through all its stages for a few kilobytes.
// Next: few rows that are long (09_batched.cuh).
#pragma once

#include "07_cascading.cuh"

namespace multifold::ladder::gpu {

/// The sum of the values of the warp's lanes, exactly, or modulo 2^64 where that does not fit.
__device__ inline long long reduce_add_64(unsigned mask, long long value) {
  constexpr int bits = 27;
  constexpr long long low_bits = (1ll << bits) - 1;
  const unsigned low = __reduce_add_sync(mask, static_cast<unsigned>(value & low_bits));
  const unsigned middle = __reduce_add_sync(mask, static_cast<unsigned>(value >> bits & low_bits));
  const unsigned high = __reduce_add_sync(mask, static_cast<unsigned>(value >> 2 * bits));
  return static_cast<long long>(low + (static_cast<unsigned long long>(middle) << bits) +
                                (static_cast<unsigned long long>(high) << 2 * bits));
}

/// The values of the warp's lanes become one, which lane 0 has.
template <class Op>
__device__ typename Op::acc reduce_warp(typename Op::acc value) {
  using acc = typename Op::acc;
  const unsigned mask = lanes();
  if constexpr (std::is_same_v<acc, int>) {
    static_assert(std::is_same_v<Op, max<int>>, "sums of integers are gathered in 64 bits");
    return __reduce_max_sync(mask, value);
  } else if constexpr (std::is_same_v<acc, long long>) {
    return reduce_add_64(mask, value);
  } else {
#pragma unroll
    for (unsigned half = 16; half > 0; half /= 2) {
      // A block of less than 32 threads has fewer lanes; the condition is the same for all of them.
      if (2 * half <= blockDim.x) value = Op::combine(value, __shfl_down_sync(mask, value, half));
    }
    return value;
  }
}

/// The values of the block's threads become one, which thread 0 has. All threads have to call. Where it is called
/// twice, a __syncthreads() has to be between.
template <class Op>
__device__ typename Op::acc reduce_block(typename Op::acc value) {
  __shared__ typename Op::acc warps[32];
  const unsigned tid = threadIdx.x;
  value = reduce_warp<Op>(value);
  if (blockDim.x <= 32) return value;
  if (tid % 32 == 0) warps[tid / 32] = value;
  __syncthreads();
  if (tid < 32) value = reduce_warp<Op>(tid < blockDim.x / 32 ? warps[tid] : Op::identity());
  return value;
}

template <int Fold, class Op, class Source>
__global__ void __launch_bounds__(most_threads)
    rows_by_shuffle(Source in, std::int64_t n, std::int64_t length, typename Op::acc* out) {
  const typename Op::acc all = reduce_block<Op>(fold_row<Fold, Op>(in, row_of_block(n, length)));
  if (threadIdx.x == 0) out[blockIdx.x] = all;
}

/// Rows as those of rung 7.
template <class Op>
void launch_shuffle(const run<Op>& r) {
  const std::int64_t length = std::int64_t{r.threads} * 32;
  in_passes(r, length, [&](auto in, std::int64_t n, unsigned blocks, typename Op::acc* out) {
    rows_by_shuffle<8, Op><<<blocks, r.threads, 0, r.stream>>>(in, n, length, out);
    check_launch();
  });
}

}  // namespace multifold::ladder::gpu
