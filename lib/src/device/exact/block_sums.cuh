// Exact sums of arrays that one wave of blocks reads in a few microseconds: every step counts here, and no data may be
// slow. The smallest are tried in one binary64 first. Else pairs in registers, whose sum over the block is taken in
// fixed point; a block that cannot hold its part so adds it again, into bins or digits, while the others go on. Several
// parts are brought together by a second kernel, which waits on the GPU already, or by the last block.
#pragma once

#include <cstdint>

#include "device/exact/bin_rows.cuh"
#include "device/exact/fixed_sum.cuh"
#include "device/exact/quick_row.cuh"
#include "multifold/cuda/kernels/dependent.cuh"
#include "multifold/cuda/kernels/finish.cuh"
#include "multifold/ops/gathered_sum.hpp"

namespace multifold::cuda::exact {

/// Rows of contiguous elements; a block for each part. What every sum needs stands together in front: arguments come
/// from memory line by line, and the first 32 bytes are in one with what stands before them.
template <floating_storage T, class Output>
struct block_arguments {
  T* sums;                     // in their own dtype, sum_stride apart; null where more than that is asked for
  std::uint32_t* status_word;  // of the only sum, or null
  std::int64_t row_stride;     // elements
  std::int64_t sum_stride;     // elements
  kernels::device_length length;
  int parts;  // at most as many as a block has threads
  int part_vectors;
  fixed_sum* partials;  // (batches, parts); like what follows, unused where parts == 1
  std::int64_t* words;  // words<T>::count a part, of those whose sum is lost
  unsigned* arrivals;   // one counter a batch, zero before the pass; null if the next kernel ends the sums
  nan_policy nan;
  Output output;  // deliver(batch, fixed_sum) or deliver(batch, words, length, nan) once a batch

  __device__ void deliver(std::int64_t batch, const fixed_sum& sum) const {
    if (sums == nullptr) return output.deliver(batch, sum);
    sums[batch * sum_stride] = round_to<T>(value_of(sum));
    if (status_word != nullptr) *status_word = static_cast<std::uint32_t>(status::ok);
  }
};

/// Vectors [first, end) of a row, and the elements outside of its vectors if `ends`.
struct part_share {
  std::int64_t first, end;
  bool ends;
};

/// Warps with bins.
inline constexpr int block_bin_warps = 8;

template <floating_storage T>
__device__ __noinline__ exact_pair plus_elements(exact_pair pair, const vector_word v) {
  const auto unpacked = bit_copy<kernels::elements_of<T>>(v);
#pragma unroll
  for (int i = 0; i < kernels::vector_elements<T>; ++i) pair = pair + to_double(unpacked.values[i]);
  return pair;
}

/// Narrow elements of a vector are added in one binary64, if they are close enough together for that to be exact.
template <floating_storage T>
__device__ exact_pair plus_vector(exact_pair pair, const vector_word& v) {
  constexpr int width = kernels::vector_elements<T>;
  const auto unpacked = bit_copy<kernels::elements_of<T>>(v);
  if constexpr (sizeof(T) <= 4) {
    constexpr range_sum<T> range;
    auto lane = typename range_sum<T>::lane();
#pragma unroll
    for (int i = 0; i < width; ++i) lane = range.absorb(lane, unpacked.values[i], 0);
    const exact_pair sum = range.pair(range.widen(lane), width);
    return sum.lost() ? plus_elements<T>(pair, v) : pair + sum.high;
  } else {
    return pair + unpacked.values[0] + unpacked.values[1];
  }
}

/// What a block reads.
template <floating_storage T>
struct block_share {
  int batch = 0, part = 0;
  row_vectors<T> row;
  part_share share;

  template <class Output>
  __device__ block_share(const T* data, const block_arguments<T, Output>& args)
      : batch(static_cast<int>(blockIdx.x)), row(data, 0) {
    if (args.parts > 1) {
      batch = static_cast<int>(blockIdx.x) / args.parts;
      part = static_cast<int>(blockIdx.x) % args.parts;
    }
    row = row_vectors<T>(data + batch * args.row_stride, args.length);
    const std::int64_t first = std::int64_t{part} * args.part_vectors;
    share = {first, min(first + args.part_vectors, row.count), part == 0};
  }
};

/// A thread's share of it: its vectors are loaded together, and added in a loop that is fetched once.
template <floating_storage T>
__device__ exact_pair pair_of(const row_vectors<T>& row, const part_share& share) {
  const auto threads = static_cast<std::int64_t>(blockDim.x);
  exact_pair pair;
#pragma unroll 1
  for (std::int64_t i = share.first + threadIdx.x; i < share.end;) {
    vector_word loaded[vectors_in_flight];
#pragma unroll
    for (int k = 0; k < vectors_in_flight; ++k) {
      if (i + k * threads < share.end) loaded[k] = load_vector(row.vectors + i + k * threads);
    }
#pragma unroll 1
    for (int k = 0; k < vectors_in_flight && i < share.end; ++k, i += threads) {
      pair = plus_vector<T>(pair, loaded[0]);
#pragma unroll
      for (int j = 1; j < vectors_in_flight; ++j) loaded[j - 1] = loaded[j];
    }
  }
  if (share.ends) {
#pragma unroll 1
    for (std::int64_t i = threadIdx.x; i < row.ends(); i += threads) pair = pair + to_double(row.end_element(i));
  }
  return pair;
}

/// Adds a part to words in shared memory, which are zero: whatever its elements are. All threads must call; a
/// __syncthreads() has to follow. Out of line: it is rarely called, and the rest is shorter without it.
template <floating_storage T, class Output>
__device__ __noinline__ void add_part_again(const T* data, const block_arguments<T, Output>& args, std::byte* bins,
                                            std::int64_t* into) {
  const block_share<T> mine_of(data, args);
  const row_vectors<T>& row = mine_of.row;
  const part_share& share = mine_of.share;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  if constexpr (sizeof(T) <= 4) {
    if (warp >= block_bin_warps) return;
    const std::int64_t step = min(static_cast<int>(blockDim.x), 32 * block_bin_warps);
    bin_column<T> mine(bins);
    const auto all = [&](auto&& gather) {
      for (std::int64_t i = share.first + 32 * warp; i < share.end; i += step) {
        gather.make_room(kernels::vector_elements<T>);
        if (i + lane < share.end) gather.add(load_vector(row.vectors + i + lane));
      }
      for (std::int64_t i = 32 * warp; share.ends && i < row.ends(); i += step) {
        gather.make_room(1);
        if (i + lane < row.ends()) gather.add_element(row.end_element(i + lane));
      }
      mine.flush();
    };
    all(all_elements<T>{{mine}});
    if (__any_sync(kernels::whole_warp, mine.special)) {
      mine.forget_last();
      all(top_elements<T>{{mine}, into});
    }
    if (lane < bin_layout<T>::count) {
      add_quanta(into, mine.low, bin_layout<T>::position(lane));
      add_quanta(into, mine.high, bin_layout<T>::position(lane) + 32);
    }
    if (mine.other) atomicOr(reinterpret_cast<unsigned long long*>(into) + words<T>::not_negative_zero, 1ull);
  } else {
    for (std::int64_t i = share.first + threadIdx.x; i < share.end; i += blockDim.x) {
      const auto unpacked = bit_copy<kernels::elements_of<T>>(load_vector(row.vectors + i));
      for (const T x : unpacked.values) add_element(into, x);
    }
    for (std::int64_t i = threadIdx.x; share.ends && i < row.ends(); i += blockDim.x) {
      add_element(into, row.end_element(i));
    }
  }
}

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
  alignas(16) std::byte bins[sizeof(T) == 8 ? 16 : block_bin_warps * bin_bytes_a_warp];
};

/// Adds up the sums of a batch's parts, and delivers the batch. All threads must call, at least one for each part.
template <floating_storage T, class Output>
__device__ __noinline__ void merge_parts(const block_arguments<T, Output>& args, std::int64_t batch,
                                         merge_memory<T>& memory) {
  using at = words<T>;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const fixed_sum* const partials = args.partials + batch * args.parts;
  fixed_sum mine;
  if (thread < args.parts) mine = partials[thread];
  const fixed_sum total = block_sum(mine, memory.fixed);
  if (!__syncthreads_or(thread == 0 && total.lost())) {
    if (thread == 0) args.deliver(batch, total);
    return;
  }
  memory.clear_sums();
  if (!mine.lost()) add_fixed<T>(memory.sums, mine);
  const std::int64_t* const words = args.words + batch * args.parts * at::count;
  for (int i = thread; i < args.parts * at::count; i += threads) {  // neighbours add to different words
    if (partials[i / at::count].lost()) add_word(memory.sums + i % at::count, words[i]);
  }
  __syncthreads();
  if (thread == 0) args.output.deliver(batch, memory.sums, args.length, args.nan);
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
    if (thread == 0) {
      carry<T>(memory.sums);  // so that any number of them may be added
      memory.sums[at::not_negative_zero] = memory.sums[at::not_negative_zero] != 0;
      total = {0, fixed_sum::least_exponent, fixed_sum::lost_mark};
    }
    __syncthreads();
    std::int64_t* const words = args.words + std::int64_t{blockIdx.x} * at::count;
    for (int i = thread; i < at::count; i += static_cast<int>(blockDim.x)) words[i] = memory.sums[i];
    if (last_block) __threadfence();
  }
  if (thread == 0) {
    args.partials[blockIdx.x] = total;
    if (last_block) __threadfence();
  }
  if (!last_block) return;
  const std::int64_t batch = static_cast<int>(blockIdx.x) / args.parts;
  if (kernels::last_to_arrive(args.arrivals + batch, args.parts)) merge_parts(args, batch, memory);
}

/// Any data. Out of line, so that what the smallest sums need is short.
template <floating_storage T, class Output>
__device__ __noinline__ void add_block(const T* data, const block_arguments<T, Output>& args, block_memory<T>& memory) {
  if (args.parts > 1) kernels::let_next_start();
  const block_share<T> mine(data, args);
  const fixed_sum total = block_sum(pair_of(mine.row, mine.share), memory.fixed);
  const bool lost = __syncthreads_or(threadIdx.x == 0 && total.lost());
  if (lost) {
    memory.clear_sums();
    add_part_again(data, args, memory.bins, memory.sums);
    __syncthreads();
  }
  if (args.parts > 1) return finish_part(args, total, lost, memory);
  if (threadIdx.x != 0) return;
  if (lost) args.output.deliver(mine.batch, memory.sums, args.length, args.nan);
  else args.deliver(mine.batch, total);
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
      if (quick_row_sum(data + blockIdx.x * args.row_stride, quick, memory.bins, sum)) {
        if (threadIdx.x != 0) return;
        args.sums[blockIdx.x * args.sum_stride] = multifold::detail::nearest<T>(sum);
        if (args.status_word != nullptr) *args.status_word = static_cast<std::uint32_t>(status::ok);
        return;
      }
      __syncthreads();  // until all have read what they shared
    }
  }
  add_block(data, args, memory);
}

/// Grid: batches. What several parts have left.
template <floating_storage T, class Output>
__global__ void __launch_bounds__(512) block_parts(const __grid_constant__ block_arguments<T, Output> args) {
  __shared__ merge_memory<T> memory;
  kernels::wait_for_previous();
  merge_parts(args, blockIdx.x, memory);
}

}  // namespace multifold::cuda::exact
