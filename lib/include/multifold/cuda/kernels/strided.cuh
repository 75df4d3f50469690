// A block per part of a batch whose elements lie anywhere: an offset is worked out for every element.
#pragma once

#include <cstdint>

#include "multifold/cuda/kernels/absorb.cuh"
#include "multifold/cuda/kernels/finish.cuh"
#include "multifold/cuda/kernels/with_fold.cuh"

namespace multifold::inline v0_1::cuda::kernels {

/// Elements from the first to number `index`, counted in C order over `count` runs.
__device__ inline std::int64_t offset_in(const std::int64_t* extent, const std::int64_t* stride, int count,
                                         std::int64_t index) {
  std::int64_t offset = 0;
  for (int i = count - 1; i > 0; --i) {
    std::int64_t digit;
    // Most indices fit 32 bits, where a division costs a quarter.
    if (((index | extent[i]) >> 32) == 0) {
      digit = static_cast<std::uint32_t>(index) % static_cast<std::uint32_t>(extent[i]);
      index = static_cast<std::uint32_t>(index) / static_cast<std::uint32_t>(extent[i]);
    } else {
      digit = index % extent[i];
      index = index / extent[i];
    }
    offset += digit * stride[i];
  }
  return count == 0 ? 0 : offset + index * stride[0];
}

/// What this thread's share of the elements [first, end) of a batch at `base` comes to.
template <class Op>
__device__ typename Op::accumulator read_strided(const Op& op, const typename Op::value_type* base,
                                                 const strided_runs& runs, std::int64_t first, std::int64_t end,
                                                 std::int64_t first_index) {
  thread_value<Op> mine(op);
#pragma unroll 4
  for (std::int64_t i = first + threadIdx.x; i < end; i += blockDim.x) {
    mine.make_room(op, 1);
    const auto x = base[offset_in(runs.reduced_extent, runs.reduced_stride, runs.reduced_count, i)];
    mine.absorb(op, x, first_index + i);
  }
  return mine.value(op);
}

template <class Op, class Output>
__global__ void __launch_bounds__(most_threads, 2) strided(const void* data, const __grid_constant__ strided_runs runs,
                                                           const __grid_constant__ pass_arguments<Op, Output> args) {
  __shared__ block_storage<Op> storage;
  const std::int64_t length = args.length;
  for (std::int64_t number = blockIdx.x; number < args.batches * args.parts; number += gridDim.x) {
    const work_item item = item_of(args, number, length);
    const std::int64_t offset = offset_in(runs.kept_extent, runs.kept_stride, runs.kept_count, item.batch);
    typename Op::accumulator mine;
    with_fold(args.op, [&]<class Fold>(const Fold& fold) {
      const auto* const base = static_cast<const typename Fold::value_type*>(data) + offset;
      mine = read_strided(fold, base, runs, item.first, item.end, args.first_index);
    });
    const auto value = block_reduce(args.op, args.form, mine, storage);
    finish_part(args, item.batch, item.part, value, storage);
    __syncthreads();
  }
}

}  // namespace multifold::inline v0_1::cuda::kernels
