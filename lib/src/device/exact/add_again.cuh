// Batches that were lost are added again: in pairs, which hold more than the narrow folds do, and else into bins or
// digits in shared memory, which hold everything. Rarely needed: its launch looks through the bits and ends.
#pragma once

#include <cstdint>

#include "device/exact/bin_rows.cuh"
#include "device/exact/output.cuh"
#include "multifold/cuda/kernels/finish.cuh"
#include "multifold/cuda/kernels/strided.cuh"

namespace multifold::cuda::exact {

inline constexpr int again_warps = again_threads / 32;

/// Any array, as runs.
template <floating_storage T>
struct lost_arguments {
  exact_output<T> output;
  const T* data;
  kernels::strided_runs runs;
  std::int64_t batches;
  kernels::device_length length;
  nan_policy nan;
  int words_a_turn;  // of lost bits, that a warp looks at together: 1 or 32

  __device__ const T* batch_at(std::int64_t batch) const {
    return data + kernels::offset_in(runs.kept_extent, runs.kept_stride, runs.kept_count, batch);
  }
  __device__ T element(const T* batch, std::int64_t index) const {
    return batch[kernels::offset_in(runs.reduced_extent, runs.reduced_stride, runs.reduced_count, index)];
  }
  __device__ bool is_lost(std::int64_t batch) const { return (output.lost.bits[batch / 32] >> (batch % 32) & 1u) != 0; }
};

/// Elements first, first + step, ... of a batch, for threads that have to stay together.
struct element_share {
  std::int64_t first, end, step;
};

/// The sum of a share, if a pair holds it.
template <floating_storage T>
__device__ exact_pair pair_of(const lost_arguments<T>& args, const T* batch, const element_share& share) {
  constexpr int together = 8;  // in flight: rows that are lost come one by one
  exact_pair pair;
  for (std::int64_t i = share.first + threadIdx.x % 32; i < share.end && !pair.lost(); i += together * share.step) {
    T loaded[together];
#pragma unroll
    for (int k = 0; k < together; ++k) {
      if (i + k * share.step < share.end) loaded[k] = args.element(batch, i + k * share.step);
    }
#pragma unroll
    for (int k = 0; k < together; ++k) {
      if (i + k * share.step < share.end) pair = pair + to_double(loaded[k]);
    }
  }
  return pair;
}

/// Adds a warp's share of a batch to words in shared memory; `bins` has bin_bytes_a_warp a warp.
template <floating_storage T>
__device__ void add_share(const lost_arguments<T>& args, const T* batch, const element_share& share, std::byte* bins,
                          std::int64_t* into) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, bf16>) {
    bin_column<T> mine(bins);
    const auto all = [&](auto&& gather) {
      for (std::int64_t i = share.first; i < share.end; i += share.step) {
        gather.make_room(1);
        if (i + lane < share.end) gather.add_element(args.element(batch, i + lane));
      }
      mine.flush();
    };
    all(all_elements<T>{mine});
    if (__any_sync(kernels::whole_warp, mine.special)) {
      mine.forget_last();
      all(top_elements<T>{mine, into});
    }
    if (lane < bin_layout<T>::count) {
      add_quanta(into, mine.low, bin_layout<T>::position(lane));
      add_quanta(into, mine.high, bin_layout<T>::position(lane) + 32);
    }
    if (mine.other) atomicOr(reinterpret_cast<unsigned long long*>(into) + words<T>::not_negative_zero, 1ull);
  } else {
    for (std::int64_t i = share.first + lane; i < share.end; i += share.step) {
      add_element(into, args.element(batch, i));
    }
  }
}

/// A warp a batch. Grid: as many blocks as stay.
template <floating_storage T>
__global__ void __launch_bounds__(again_threads) add_again(const __grid_constant__ lost_arguments<T> args) {
  using at = words<T>;
  __shared__ alignas(16) std::byte bins[again_warps * bin_bytes_a_warp];
  __shared__ std::int64_t sums[again_warps][at::count];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const std::int64_t warps = std::int64_t{gridDim.x} * again_warps;
  const std::int64_t words_of_bits = (args.batches + 31) / 32;
  const int turn = args.words_a_turn;
  for (std::int64_t first = (std::int64_t{blockIdx.x} * again_warps + warp) * turn; first < words_of_bits;
       first += warps * turn) {
    const unsigned mine = lane < turn && first + lane < words_of_bits ? args.output.lost.bits[first + lane] : 0;
    for (unsigned some = __ballot_sync(kernels::whole_warp, mine != 0); some != 0; some &= some - 1) {
      const int from = __ffs(static_cast<int>(some)) - 1;
      for (unsigned bits = __shfl_sync(kernels::whole_warp, mine, from); bits != 0; bits &= bits - 1) {
        const std::int64_t batch = (first + from) * 32 + __ffs(static_cast<int>(bits)) - 1;
        const T* const base = args.batch_at(batch);
        const element_share share{0, args.length, 32};
        const exact_pair pair = kernels::warp_reduce(pair_sum<T>{}, pair_of(args, base, share));
        if (args.nan == nan_policy::propagate && !__any_sync(kernels::whole_warp, pair.lost())) {
          if (lane == 0) args.output(pair_sum<T>{}, batch, pair);
          continue;
        }
        for (int i = lane; i < at::count; i += 32) sums[warp][i] = 0;
        __syncwarp();
        add_share(args, base, share, bins, sums[warp]);
        __syncwarp();
        if (lane == 0) args.output.deliver(batch, sums[warp], args.length, args.nan);
        __syncwarp();
      }
    }
  }
}

/// Several blocks a batch, long_batch elements each.
template <floating_storage T>
__global__ void __launch_bounds__(again_threads) add_long_again(const __grid_constant__ lost_arguments<T> args) {
  using at = words<T>;
  __shared__ alignas(16) std::byte bins[again_warps * bin_bytes_a_warp];
  __shared__ std::int64_t sums[at::count];
  const std::int64_t length = args.length, chunks = (length + long_batch - 1) / long_batch;
  for (std::int64_t item = blockIdx.x; item < args.batches * chunks; item += gridDim.x) {
    const std::int64_t batch = item / chunks, first = item % chunks * long_batch;
    if (!args.is_lost(batch)) continue;
    if (threadIdx.x < at::count) sums[threadIdx.x] = 0;
    __syncthreads();
    const std::int64_t warp = threadIdx.x / 32;
    add_share(args, args.batch_at(batch), {first + 32 * warp, min(first + long_batch, length), again_threads}, bins,
              sums);
    __syncthreads();
    // Normalised, so that any number of chunks may be added.
    if (threadIdx.x == 0) carry<T>(sums);
    __syncthreads();
    std::int64_t* const words = args.output.lost.words + batch * at::count;
    if (threadIdx.x < at::not_negative_zero) add_word(words + threadIdx.x, sums[threadIdx.x]);
    else if (threadIdx.x == at::not_negative_zero) add_word(words + threadIdx.x, sums[threadIdx.x] != 0);
    __threadfence();
    if (kernels::last_to_arrive(args.output.lost.arrivals + batch, chunks)) {
      if (threadIdx.x < at::count) sums[threadIdx.x] = __ldcg(reinterpret_cast<const long long*>(words) + threadIdx.x);
      __syncthreads();
      if (threadIdx.x == 0) args.output.deliver(batch, sums, length, args.nan);
    }
    __syncthreads();
  }
}

}  // namespace multifold::cuda::exact
