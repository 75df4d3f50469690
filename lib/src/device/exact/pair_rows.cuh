// Exact sums of long rows of f64, first pass: pairs in registers, as fast as memory, for data whose magnitudes are
// within reach of each other. A tile that some thread of the block loses is taken back and marked, and a block that
// loses most of its tiles marks the rest unread: wide_bins.cuh adds what is marked.
//
// A tile of a long row is 36 vectors a thread, in nine steps of four loads: 288 KiB for 512 threads.
#pragma once

#include <cstdint>

#include "device/exact/arguments.cuh"
#include "device/exact/read_tiles.cuh"
#include "device/exact/words.cuh"
#include "multifold/cuda/kernels/dependent.cuh"
#include "multifold/cuda/kernels/exchange.cuh"
#include "multifold/cuda/kernels/finish.cuh"
#include "multifold/policy.hpp"

namespace multifold::cuda::exact {

/// A pair from every thread, added to digits in shared memory. All threads must call; a __syncthreads() has to follow.
__device__ inline void add_pairs(exact_pair pair, std::int64_t* digits) {
  const exact_pair mine = pair;
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) pair = pair + kernels::shuffle_xor(pair, mask);
  const bool lost = __any_sync(kernels::whole_warp, pair.lost());
  if (lost) pair = mine;
  if (lost || threadIdx.x % 32 == 0) {
    add_double<double>(digits, pair.high);
    add_double<double>(digits, pair.low);
  }
}

/// `tiles`: a byte for every tile of every row, written here: 1 where the tile has to be added by somebody else.
template <int Steps, class Output>
__global__ void __launch_bounds__(512, 2)
    pair_rows(const double* data, const __grid_constant__ row_arguments<Output> args, unsigned char* tiles) {
  using at = words<double>;
  __shared__ std::int64_t sums[at::count];
  kernels::let_next_start();
  const auto threads = static_cast<std::int64_t>(blockDim.x);
  const std::int64_t step = vectors_in_flight * threads, tile = Steps * step;

  for (std::int64_t number = blockIdx.x; number < args.batches * args.parts; number += gridDim.x) {
    const std::int64_t batch = number / args.parts, part = number % args.parts;
    const row_vectors<double> row(data + batch * args.row_stride, args.length);
    const std::int64_t all_tiles = row.count / tile;
    unsigned char* const marks = tiles + batch * exact_tiles(args.length, threads);
    for (int i = static_cast<int>(threadIdx.x); i < at::count; i += static_cast<int>(threads)) sums[i] = 0;
    __syncthreads();

    exact_pair pair;
    int lost_lately = 0;
    bool marked = false;
    const vector_word* from = row.vectors + part * tile + threadIdx.x;
    vector_word loaded[vectors_in_flight], next[vectors_in_flight];
    std::int64_t t = part;
    if (t < all_tiles) {
#pragma unroll
      for (int k = 0; k < vectors_in_flight; ++k) loaded[k] = load_vector(from + k * threads);
    }
    for (; t < all_tiles && lost_lately < 4; t += args.parts) {
      const exact_pair before = pair;
#pragma unroll
      for (int s = 0; s < Steps; ++s) {
        from += s + 1 < Steps ? step : args.parts * tile - (Steps - 1) * step;
        if (s + 1 < Steps || t + args.parts < all_tiles) {
#pragma unroll
          for (int k = 0; k < vectors_in_flight; ++k) next[k] = load_vector(from + k * threads);
        }
#pragma unroll
        for (int k = 0; k < vectors_in_flight; ++k) {
          const auto two = bit_copy<kernels::elements_of<double>>(loaded[k]);
          pair = pair + two.values[0];
          pair = pair + two.values[1];
        }
#pragma unroll
        for (int k = 0; k < vectors_in_flight; ++k) loaded[k] = next[k];
      }
      const bool lost = __syncthreads_or(pair.lost());
      if (lost) pair = before;
      marked = marked || lost;
      lost_lately = lost ? lost_lately + 1 : lost_lately - (lost_lately > 0);
      if (threadIdx.x == 0) marks[t] = lost;
    }
    // What was given up, if anything.
    for (t += threadIdx.x * args.parts; t < all_tiles; t += threads * args.parts) marks[t] = 1;

    // Whatever is not in whole tiles goes to this row's last part, element by element where a pair does not hold it.
    if (part == args.parts - 1) {
      const auto one = [&](double x) {
        const exact_pair sum = pair + x;
        if (sum.lost()) add_element<double>(sums, x);
        else pair = sum;
      };
      for (std::int64_t i = all_tiles * tile + threadIdx.x; i < row.count; i += threads) {
        const auto two = bit_copy<kernels::elements_of<double>>(load_vector(row.vectors + i));
        one(two.values[0]);
        one(two.values[1]);
      }
      for (std::int64_t i = threadIdx.x; i < row.ends(); i += threads) one(row.end_element(i));
    }
    const bool other = __syncthreads_or(!(pair.high == 0 && signbit(pair.high)));
    add_pairs(pair, sums);
    if (threadIdx.x == 0 && other) sums[at::not_negative_zero] = 1;
    __syncthreads();
    std::int64_t* const words = args.words + batch * at::count;
    for (int i = static_cast<int>(threadIdx.x); i < at::count; i += static_cast<int>(threads)) {
      add_word(words + i, sums[i]);
    }
    if (threadIdx.x == 0 && marked) {
      atomicAdd(args.marked + batch, 1u);
      atomicAdd(args.marked + args.batches, 1u);
    }
    __threadfence();
    if (kernels::last_to_arrive(args.arrivals + batch, args.parts) && __ldcg(args.marked + batch) == 0) {
      for (int i = static_cast<int>(threadIdx.x); i < at::count; i += static_cast<int>(threads)) {
        sums[i] = __ldcg(reinterpret_cast<const long long*>(words) + i);
      }
      __syncthreads();
      if (threadIdx.x == 0) args.output.deliver(batch, sums, args.length, args.nan);
    }
    __syncthreads();
  }
}

}  // namespace multifold::cuda::exact
