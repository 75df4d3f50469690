// A row of some kilobytes, summed by one block in one double if that is exact (docs/exact-sums.md, 7). What counts
// here is how many instructions are fetched: on an H200 a graph of this kernel takes 1.09 times as long as one of an
// empty kernel for 1 KiB and 1.11 for 4 KiB, a sum that rounds and does nothing else 1.05 and 1.08. Registers, stack,
// shared memory and the size of what is not run make no difference.
#pragma once

#include <cstddef>
#include <cstdint>

#include "multifold/cuda/kernels/absorb.cuh"
#include "multifold/cuda/kernels/exchange.cuh"
#include "multifold/ops/gathered_sum.hpp"
#include "multifold/plan/policy.hpp"

namespace multifold::inline v0_1::cuda::exact {

/// Threads of a block at most.
inline constexpr int quick_threads = quick_row_bytes / 16 / quick_vectors;

/// What of a row is read how, and how far apart its magnitudes may be.
struct quick_row {
  std::int16_t vectors, rest;  // at most quick_vectors a thread, and elements behind them
  std::int32_t reach;
};

template <floating_storage T>
quick_row quick_row_of(std::int64_t length) {
  constexpr int width = kernels::vector_elements<T>;
  return {static_cast<std::int16_t>(length / width), static_cast<std::int16_t>(length % width),
          range_sum<T>::reach(length)};
}

template <floating_storage T>
__device__ typename range_sum<T>::lane merged(const typename range_sum<T>::lane& a,
                                              const typename range_sum<T>::lane& b) {
  return {a.sum + b.sum, max(a.greatest, b.greatest), min(a.least, b.least)};
}

/// The sum of `Lanes` neighbouring lanes and the range of the whole warp, in every lane; all must call.
template <floating_storage T, int Lanes>
__device__ typename range_sum<T>::lane warp_range(typename range_sum<T>::lane mine) {
  mine.greatest = __reduce_max_sync(kernels::whole_warp, mine.greatest);
  mine.least = __reduce_min_sync(kernels::whole_warp, mine.least);
#pragma unroll
  for (int mask = Lanes / 2; mask > 0; mask /= 2) mine.sum += __shfl_xor_sync(kernels::whole_warp, mine.sum, mask);
  return mine;
}

/// Whether `sum` is that of the row, which is aligned to 16 bytes and has a vector at least. All threads must call, and
/// learn the same. `shared`: for a lane of every warp.
template <floating_storage T>
__device__ bool quick_row_sum(const T* row, const quick_row& quick, std::byte* shared, double& sum) {
  using lane = typename range_sum<T>::lane;
  constexpr range_sum<T> fold;
  constexpr int width = kernels::vector_elements<T>;
  constexpr int most_warps = quick_threads / 32;
  constexpr std::uint32_t none = sizeof(T) == 4 ? 0x80000000u : 0x80008000u;  // -0
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const int vectors = quick.vectors, rest = quick.rest;
  // Loads that no condition waits for: the last vector stands in for those that are not there.
  kernels::vector_word loaded[quick_vectors];
  const auto* const from = reinterpret_cast<const kernels::vector_word*>(row);
#pragma unroll
  for (int k = 0; k < quick_vectors; ++k)
    loaded[k] = kernels::load_vector(from + min(thread + k * threads, vectors - 1));
  lane mine;
#pragma unroll
  for (int k = 0; k < quick_vectors; ++k) {
    if (thread + k * threads >= vectors) loaded[k] = {none, none, none, none};
    const auto unpacked = bit_copy<kernels::elements_of<T>>(loaded[k]);
    lane one;
#pragma unroll
    for (int i = 0; i < width; ++i) one = fold.absorb(one, unpacked.values[i], 0);
    mine = merged<T>(mine, one);
  }
  if (thread < rest) [[unlikely]]
    mine = fold.absorb(mine, row[vectors * width + thread], 0);
  mine = warp_range<T, 32>(mine);
  if (threads > 32) {
    lane* const of_warp = reinterpret_cast<lane*>(shared);
    const unsigned number = threadIdx.x % most_warps, warps = blockDim.x / 32;
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    mine = warp_range<T, most_warps>(number < warps ? of_warp[number] : lane());
  }
  sum = mine.sum;
  return fold.within(mine, quick.reach);
}

}  // namespace multifold::inline v0_1::cuda::exact
