// From one value a block to one value a batch: written for the next pass, merged by the last block, or by atomics.
#pragma once

#include <cstdint>

#include "multifold/cuda/kernels/arguments.cuh"
#include "multifold/cuda/kernels/block_reduce.cuh"
#include "multifold/ops.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// Counts this block in; true in every thread of the last of `expected` blocks, which then sees what the others wrote.
/// All threads of the block must call, after the thread that wrote a partial result has called __threadfence().
__device__ inline bool last_to_arrive(unsigned* arrivals, std::int64_t expected) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(arrivals, 1u) + 1 == static_cast<unsigned>(expected);
  __syncthreads();
  if (last) __threadfence();
  return last;
}

/// The partial results of `batch`, merged in a fixed order whichever block is last. Valid in thread 0.
template <class Op, class Output>
__device__ typename Op::accumulator merge_parts(const pass_arguments<Op, Output>& args, std::int64_t batch,
                                                block_storage<Op>& storage) {
  const auto* row = args.partials.data + batch * args.parts;
  auto value = args.op.identity();
  for (std::int64_t part = threadIdx.x; part < args.parts; part += blockDim.x)
    value = args.op.combine(value, row[part]);
  return block_reduce(args.op, args.form, value, storage);
}

/// Ends the work on one part; `value` is valid in thread 0. All threads of the block must call.
template <class Op, class Output>
__device__ void finish_part(const pass_arguments<Op, Output>& args, std::int64_t batch, std::int64_t part,
                            typename Op::accumulator value, block_storage<Op>& storage) {
  const partial_results<Op>& partials = args.partials;
  if (args.parts > 1) {
    bool merged = false;
    if constexpr (order_free<Op>) {
      if (partials.how == finish::atomic) {
        if (threadIdx.x == 0) {
          atomic_merge(args.op, partials.data + batch, value);
          __threadfence();
        }
        if (!last_to_arrive(partials.arrivals + batch, args.parts)) return;
        value = partials.data[batch];
        merged = true;
      }
    }
    if (!merged) {
      if (threadIdx.x == 0) partials.data[batch * args.parts + part] = value;
      if (partials.how == finish::next_pass) return;  // the end of a kernel is a fence, and costs less than one more
      if (threadIdx.x == 0) __threadfence();
      if (!last_to_arrive(partials.arrivals + batch, args.parts)) return;
      value = merge_parts(args, batch, storage);
    }
  }
  if (threadIdx.x == 0) args.output(args.op, batch, value);
}

}  // namespace multifold::inline v0_1::cuda::kernels
