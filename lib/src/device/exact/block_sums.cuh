// Exact sums of arrays that one wave of blocks reads in a few microseconds: every step counts here, and no data may be
// slow. The smallest are tried in one double first. Else pairs in registers, whose sum over the block is taken in
// fixed point; a block that cannot hold its part so adds it again, into bins or limbs, while the others go on. Several
// parts are brought together by a second kernel, which waits on the GPU already, or by the last block.
#pragma once

#include <cstdint>

#include "device/exact/block_share.cuh"
#include "device/exact/fixed_sum.cuh"
#include "device/exact/rows/quick_row.cuh"
#include "multifold/cuda/kernels/dependent.cuh"
#include "multifold/cuda/kernels/finish.cuh"

namespace multifold::inline v0_1::cuda::exact {

/// Shared memory of a block that adds up sums.
template <floating_storage T>
struct merge_memory {
  fixed_storage fixed;
  std::int64_t sums[words<T>::count];

  __device__ void clear_sums() {
    for (int i = static_cast<int>(threadIdx.x); i < words<T>::count; i += static_cast<int>(blockDim.x)) sums[i] = 0;
    __syncthreads();
  }
};

/// Of a block that reads elements.
template <floating_storage T>
struct block_memory : merge_memory<T> {
  alignas(16) std::int64_t bins[sizeof(T) == 8 ? 2 : block_bin_warps * bin_bytes_a_warp / 8];
};

/// The same where parts are lost. Out of line, as it is rarely called.
template <floating_storage T, class Output>
__device__ __noinline__ void merge_lost_parts(const block_arguments<T, Output>& args, std::int64_t batch,
                                              merge_memory<T>& memory) {
  using at = words<T>;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const fixed_sum* const partials = args.partials + batch * args.parts;
  memory.clear_sums();
  if (thread < args.parts && !partials[thread].lost()) add_fixed<T>(memory.sums, partials[thread]);
  // A thread adds up one word of every so many parts: few of them meet in shared memory, which is slow at 64 bits.
  constexpr int in_flight = 8;
  static_assert(at::count <= 256);  // threads, at least
  const int groups = threads / at::count, word = thread % at::count;
  const std::int64_t* const words = args.words + batch * args.parts * at::count;
  std::int64_t sum = 0;
#pragma unroll 1
  for (int part = thread / at::count; part < args.parts && thread < groups * at::count; part += in_flight * groups) {
    std::int64_t loaded[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      const int at_part = part + k * groups;
      const bool lost = at_part < args.parts && partials[at_part].lost();
      loaded[k] = lost ? words[at_part * at::count + word] : 0;
    }
#pragma unroll
    for (int k = 0; k < in_flight; ++k) sum += loaded[k];
  }
  add_word(memory.sums + word, sum);
  __syncthreads();
  if (thread == 0) args.output.deliver(batch, memory.sums, args.length, args.nan);
}

/// Adds up the sums of a batch's parts, and delivers the batch. All threads must call, at least one for each part.
template <floating_storage T, class Output>
__device__ void merge_parts(const block_arguments<T, Output>& args, int batch, merge_memory<T>& memory) {
  const int thread = static_cast<int>(threadIdx.x);
  fixed_sum mine;
  if (thread < args.parts) mine = args.partials[batch * args.parts + thread];
  const fixed_sum total = block_sum(mine, memory.fixed);
  if (__syncthreads_or(thread == 0 && total.lost())) merge_lost_parts(args, batch, memory);
  else if (thread == 0) args.deliver(batch, total);
}

/// What the block does whose part is not the only one: it leaves its sum to the next kernel, or to the last block. All
/// threads must call; thread 0 has the sum, and where it is lost, the words in shared memory have it.
template <floating_storage T, class Output>
__device__ __noinline__ void finish_part(const block_arguments<T, Output>& args, fixed_sum total, bool lost,
                                         block_memory<T>& memory) {
  using at = words<T>;
  const bool last_block = args.arrivals != nullptr;
  const int thread = static_cast<int>(threadIdx.x);
  if (lost) {
    total = {0, fixed_sum::least_exponent, fixed_sum::lost_mark};
    std::int64_t* const words = args.words + std::int64_t{blockIdx.x} * at::count;
    for (int i = thread; i < at::count; i += static_cast<int>(blockDim.x)) words[i] = memory.sums[i];
    if (last_block) __threadfence();
  }
  if (thread == 0) {
    args.partials[blockIdx.x] = total;
    if (last_block) __threadfence();
  }
  if (!last_block) return;
  const int batch = static_cast<int>(blockIdx.x) / args.parts;
  if (kernels::last_to_arrive(args.arrivals + batch, args.parts)) merge_parts(args, batch, memory);
}

/// The part of this block, after it was lost as pairs.
template <floating_storage T, class Output>
__device__ __noinline__ void add_lost_part(const T* data, const block_arguments<T, Output>& args,
                                           block_memory<T>& memory) {
  memory.clear_sums();
  add_part_again(data, args, memory.bins, memory.sums);
  __syncthreads();
  if (args.parts > 1) return finish_part(args, fixed_sum{}, true, memory);
  if (threadIdx.x == 0) args.output.deliver(blockIdx.x, memory.sums, args.length, args.nan);
}

/// Any rows. Out of line, so that what the smallest sums need is short.
template <floating_storage T, class Output>
__device__ __noinline__ void add_block(const T* data, const block_arguments<T, Output>& args, block_memory<T>& memory) {
  const block_share<T> mine(data, args);
  const fixed_sum total = block_sum(pair_of(mine.row, mine.share), memory.fixed);
  if (__syncthreads_or(threadIdx.x == 0 && total.lost())) return add_lost_part(data, args, memory);
  if (args.parts > 1) return finish_part(args, total, false, memory);
  if (threadIdx.x == 0) args.deliver(mine.batch, total);
}

/// The only row, of args.vectors: in 32 bits, and no more than is needed where nothing is lost.
template <floating_storage T, class Output>
__device__ void add_short_part(const T* data, const block_arguments<T, Output>& args, block_memory<T>& memory) {
  const int first = static_cast<int>(blockIdx.x) * args.part_vectors;
  const auto* const vectors = reinterpret_cast<const vector_word*>(data) + first;
  const exact_pair pair = pair_of<T>(vectors, min(args.part_vectors, args.vectors - first));
  const fixed_sum total = block_sum(pair, memory.fixed);
  if (__syncthreads_or(threadIdx.x == 0 && total.lost())) return add_lost_part(data, args, memory);
  if (threadIdx.x != 0) return;
  if (args.partials != nullptr) args.partials[blockIdx.x] = total;
  else args.deliver(0, total);
}

/// Grid: batches x parts. What most sums need comes first and is short: it takes longer to fetch than to run. `quick`:
/// without vectors, if that is not to be tried.
template <floating_storage T, class Output>
__global__ void __launch_bounds__(512)
    block_sums(const T* data, const quick_row quick, const __grid_constant__ block_arguments<T, Output> args) {
  __shared__ block_memory<T> memory;
  if constexpr (sizeof(T) <= 4) {
    if (quick.vectors > 0) {
      double sum = 0;
      if (quick_row_sum(data + blockIdx.x * args.row_stride, quick, reinterpret_cast<std::byte*>(memory.bins), sum)) {
        if (threadIdx.x != 0) return;
        args.sums[blockIdx.x * args.sum_stride] = multifold::detail::nearest<T>(sum);
        if (args.status_word != nullptr) *args.status_word = static_cast<std::uint32_t>(status::ok);
        return;
      }
      __syncthreads();  // until all have read what they shared
    }
  }
  kernels::let_next_start();
  if (args.vectors > 0) add_short_part(data, args, memory);
  else add_block(data, args, memory);
}

/// Grid: batches. What several parts have left.
template <floating_storage T, class Output>
__global__ void __launch_bounds__(512) block_parts(const __grid_constant__ block_arguments<T, Output> args) {
  __shared__ merge_memory<T> memory;
  kernels::wait_for_previous();
  merge_parts(args, static_cast<int>(blockIdx.x), memory);
}

}  // namespace multifold::inline v0_1::cuda::exact
