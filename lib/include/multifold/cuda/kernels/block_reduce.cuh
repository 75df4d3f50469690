// One value a thread becomes one value a block, in the two classic ways. The result is valid in thread 0.
#pragma once

#include "multifold/cuda/kernels/exchange.cuh"
#include "multifold/plan/policy.hpp"

namespace multifold::inline v0_1::cuda::kernels {

constexpr int most_threads = 512;

/// Shared memory of one block reduction: a slot a thread for the tree, a slot a warp for shuffles.
template <class Op, int Threads = most_threads>
struct block_storage {
  typename Op::accumulator slots[Threads];
};

template <class Op>
__device__ typename Op::accumulator warp_reduce(const Op& op, typename Op::accumulator value) {
  constexpr int at_once = sizeof(value) > 16 ? 1 : 5;  // wide ones are a lot of code each time
#pragma unroll at_once
  for (int mask = 16; mask > 0; mask /= 2) value = meet(op, value, mask);
  return value;
}

/// log2(threads) steps through shared memory; blockDim.x is a power of two.
template <class Op>
__device__ typename Op::accumulator tree_reduce(const Op& op, typename Op::accumulator value,
                                                block_storage<Op>& storage) {
  storage.slots[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      storage.slots[threadIdx.x] = op.combine(storage.slots[threadIdx.x], storage.slots[threadIdx.x + half]);
    }
    __syncthreads();
  }
  return storage.slots[0];
}

/// Five shuffles a warp, one value a warp through shared memory, and the first warp reduces those.
template <class Op, int Threads>
__device__ typename Op::accumulator shuffle_reduce(const Op& op, typename Op::accumulator value,
                                                   block_storage<Op, Threads>& storage) {
  value = warp_reduce(op, value);
  const unsigned warps = blockDim.x / 32;
  if (warps == 1) return value;
  if (threadIdx.x % 32 == 0) storage.slots[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) value = warp_reduce(op, threadIdx.x < warps ? storage.slots[threadIdx.x] : op.identity());
  return value;
}

/// All threads of the block must call. `storage` may be used again after the next __syncthreads().
template <class Op>
__device__ typename Op::accumulator block_reduce(const Op& op, block_form form, typename Op::accumulator value,
                                                 block_storage<Op>& storage) {
  return form == block_form::shared_tree ? tree_reduce(op, value, storage) : shuffle_reduce(op, value, storage);
}

}  // namespace multifold::inline v0_1::cuda::kernels
