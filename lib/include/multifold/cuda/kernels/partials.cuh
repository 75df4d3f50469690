// Partial results of an earlier pass: (batches, length) accumulators to (batches, parts).
#pragma once

#include <cstdint>

#include "multifold/cuda/kernels/dependent.cuh"
#include "multifold/cuda/kernels/finish.cuh"

namespace multifold::cuda::kernels {

/// A block per part, as in block_rows.
template <class Op, class Output>
__global__ void __launch_bounds__(most_threads, 2)
    partials(const typename Op::accumulator* data, const __grid_constant__ pass_arguments<Op, Output> args) {
  __shared__ block_storage<Op> storage;
  wait_for_previous();
  let_next_start();
  for (std::int64_t number = blockIdx.x; number < args.batches * args.parts; number += gridDim.x) {
    const work_item item = item_of(args, number);
    auto mine = args.op.identity();
#pragma unroll 4
    for (std::int64_t i = item.first + threadIdx.x; i < item.end; i += blockDim.x) {
      mine = args.op.combine(mine, data[item.batch * args.length.most + i]);
    }
    finish_part(args, item.batch, item.part, block_reduce(args.op, args.form, mine, storage), storage);
    __syncthreads();
  }
}

/// Few partial results a batch, many batches: a thread each. parts == 1.
template <class Op, class Output>
__global__ void __launch_bounds__(256)
    few_partials(const typename Op::accumulator* data, const __grid_constant__ pass_arguments<Op, Output> args) {
  wait_for_previous();
  const auto threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t batch = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; batch < args.batches;
       batch += threads) {
    const auto* const row = data + batch * args.length.most;
    auto value = row[0];
    for (std::int64_t i = 1; i < args.length.most; ++i) value = args.op.combine(value, row[i]);
    args.output(args.op, batch, value);
  }
}

/// The identity everywhere, before atomics merge into it.
template <class Op>
__global__ void __launch_bounds__(256) fill_identity(Op op, typename Op::accumulator* data, std::int64_t count) {
  const auto threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads) {
    data[i] = op.identity();
  }
}

}  // namespace multifold::cuda::kernels
