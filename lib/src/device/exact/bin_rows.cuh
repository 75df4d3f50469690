// Exact sums of long rows of f16, bf16 and f32: exponent bins in one pass over the data, whatever the data.
//
// Two blocks of 512 threads with 64 KiB of bins each stay on a multiprocessor; every thread has four vectors in flight
// and adds the four before them. On an H200 f32 and f16 are read as fast as by a plain read of equal parts, bf16 at
// 0.98 of it: every element of f32 is loaded from and stored to shared memory, which keeps the path to it busy for 69 %
// of the time, beside what comes from memory. NaN and infinities cost nothing until there is one: the block that finds
// its last bin poisoned reads its part once more, for the elements of that bin alone.
#pragma once

#include <cstdint>

#include "device/exact/arguments.cuh"
#include "device/exact/bins.cuh"
#include "device/exact/read_tiles.cuh"
#include "multifold/cuda/kernels/finish.cuh"

namespace multifold::cuda::exact {

/// Warps that drift apart read the memory in a worse order: a barrier a tile brought f16 and f32 from 0.98 to 0.99 and
/// more of a plain read. bf16 has twice as much to do for a byte, and loses by waiting.
template <floating_storage T>
__device__ void stay_together() {
  if constexpr (!std::is_same_v<T, bf16>) __syncthreads();
}

/// What read_part asks of a thread's bins, whatever is added to them.
template <floating_storage T>
struct bins_of_part {
  bin_column<T>& bins;
  __device__ void keep_together() { stay_together<T>(); }
  __device__ void make_room(int elements) { bins.make_room(elements); }
};

/// Adds elements to their bins.
template <floating_storage T>
struct all_elements : bins_of_part<T> {
  __device__ void add(const vector_word& v) { this->bins.add(v); }
  __device__ void add_element(T x) { this->bins.add(bin_column<T>::widened(x)); }
};

/// Adds the finite elements of the last bin, and counts the others.
template <floating_storage T>
struct top_elements : bins_of_part<T> {
  std::int64_t* words;  // shared

  __device__ void add(const vector_word& v) {
    const auto unpacked = bit_copy<kernels::elements_of<T>>(v);
#pragma unroll 1
    for (int i = 0; i < kernels::vector_elements<T>; ++i) add_element(unpacked.values[i]);
  }
  __device__ void add_element(T x) {
    using multifold::detail::float_layout;
    const std::uint32_t magnitude = bit_copy<typename float_layout<T>::bits_type>(x) & (float_layout<T>::sign - 1u);
    if (bin_layout<T>::top != 0 && magnitude < bin_layout<T>::top) return;
    if (magnitude < float_layout<T>::infinity) this->bins.add(bin_column<T>::widened(x));
    else add_word(words + mark_of<T>(multifold::detail::unpack(x)), 1);
  }
};

/// Dynamic shared memory of a block of `threads`.
constexpr int bin_rows_shared_bytes(int threads) { return threads / 32 * bin_bytes_a_warp; }

template <floating_storage T, class Output>
__global__ void __launch_bounds__(512, 2) bin_rows(const T* data, const __grid_constant__ row_arguments<Output> args) {
  using at = words<T>;
  extern __shared__ std::int64_t shared[];  // bins, and scratch once they are empty
  __shared__ std::int64_t sums[at::count];
  __shared__ claimed_tiles claimed;
  auto* const bins = reinterpret_cast<std::byte*>(shared);

  for (std::int64_t number = blockIdx.x; number < args.batches * args.parts; number += gridDim.x) {
    const std::int64_t batch = number / args.parts, part = number % args.parts;
    const row_vectors<T> row(data + batch * args.row_stride, args.length);
    if (threadIdx.x < at::count) sums[threadIdx.x] = 0;  // 16 of at least 32 threads
    bin_column<T> mine(bins);
    all_elements<T> all{{mine}};
    const std::int64_t tile = std::int64_t{args.steps} * vectors_in_flight * blockDim.x;
    tile_deal deal(part, args.parts, row.count / tile, args.claims + batch, claimed);
    read_part(row, part, args.parts, args.steps, deal, all);
    mine.flush();
    if (__syncthreads_or(mine.special)) {
      // Nothing of the last bin is kept, and its elements are looked at again.
      mine.forget_last();
      top_elements<T> top{{mine}, sums};
      tile_recall again{deal};
      read_part(row, part, args.parts, args.steps, again, top);
      mine.flush();
    }
    const bool other = __syncthreads_or(mine.other);
    mine.settle();
    block_digits<T>(mine.low, mine.high, shared, sums);
    if (threadIdx.x == 0) sums[at::not_negative_zero] = other;
    __syncthreads();
    if (args.parts == 1) {
      if (threadIdx.x == 0) args.output.deliver(batch, sums, args.length, args.nan);
    } else {
      std::int64_t* const words = args.words + batch * at::count;
      if (threadIdx.x < at::count) add_word(words + threadIdx.x, sums[threadIdx.x]);
      __threadfence();
      if (kernels::last_to_arrive(args.arrivals + batch, args.parts)) {
        if (threadIdx.x < at::count)
          sums[threadIdx.x] = __ldcg(reinterpret_cast<const long long*>(words) + threadIdx.x);
        __syncthreads();
        if (threadIdx.x == 0) args.output.deliver(batch, sums, args.length, args.nan);
      }
    }
    __syncthreads();
  }
}

}  // namespace multifold::cuda::exact
