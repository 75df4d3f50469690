// Exact sums of long rows of f64, first pass: pairs in registers, as fast as memory, for data whose magnitudes are
// within reach of each other. A tile that some thread of the block loses is taken back and marked, and a block that
// loses most of its tiles marks the rest unread: wide_bins.cuh adds what is marked. Pairs: docs/exact-sums.md, 5.
//
// A tile of a long row is 36 vectors a thread, in nine steps of four loads: 288 KiB for 512 threads.
#pragma once

#include <cstdint>

#include "device/exact/arguments.cuh"
#include "device/exact/rows/row_tiles.cuh"
#include "device/exact/words.cuh"
#include "multifold/cuda/kernels/dependent.cuh"
#include "multifold/cuda/kernels/exchange.cuh"
#include "multifold/cuda/kernels/finish.cuh"
#include "multifold/plan/policy.hpp"

namespace multifold::inline v0_1::cuda::exact {

/// A pair from every thread, added to limbs in shared memory. All threads must call; a __syncthreads() has to follow.
__device__ inline void add_pairs(exact_pair pair, std::int64_t* limbs) {
  const exact_pair mine = pair;
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) pair = pair + kernels::shuffle_xor(pair, mask);
  const bool lost = __any_sync(kernels::whole_warp, pair.lost());
  if (lost) pair = mine;
  if (lost || threadIdx.x % 32 == 0) {
    add_double<double>(limbs, pair.high);
    add_double<double>(limbs, pair.low);
  }
}

/// What a block has of a row so far, and how often it had to take a tile back.
struct pair_progress {
  exact_pair pair;
  int lost_lately = 0;
  bool marked = false;

  __device__ bool gives_up() const { return lost_lately >= 4; }
};

/// Adds tiles, from `t` on before `end` in the turn of `deal`, until there are no more or the block gives up: the first
/// that was not looked at. A byte for each of the others in `marks`: 1 where it has to be added by somebody else.
template <int Steps, class Deal>
__device__ std::int64_t add_tiles(const row_vectors<double>& row, std::int64_t t, std::int64_t end, Deal& deal,
                                  pair_progress& mine, unsigned char* marks) {
  const auto threads = static_cast<std::int64_t>(blockDim.x);
  const std::int64_t step = vectors_in_flight * threads, tile = Steps * step;
  const vector_word* from = row.vectors + t * tile + threadIdx.x;
  vector_word loaded[vectors_in_flight], next[vectors_in_flight];
  if (t < end) {
#pragma unroll
    for (int k = 0; k < vectors_in_flight; ++k) loaded[k] = load_vector(from + k * threads);
  }
  while (t < end && !mine.gives_up()) {
    const exact_pair before = mine.pair;
    std::int64_t following = t;
    deal.ask(t);
#pragma unroll
    for (int s = 0; s < Steps; ++s) {
      if (s + 1 == Steps) following = deal.next(t);
      from += s + 1 < Steps ? step : (following - t) * tile - (Steps - 1) * step;
      if (s + 1 < Steps || following < end) {
#pragma unroll
        for (int k = 0; k < vectors_in_flight; ++k) next[k] = load_vector(from + k * threads);
      }
#pragma unroll
      for (int k = 0; k < vectors_in_flight; ++k) {
        const auto two = bit_copy<kernels::elements_of<double>>(loaded[k]);
        mine.pair = mine.pair + two.values[0];
        mine.pair = mine.pair + two.values[1];
      }
#pragma unroll
      for (int k = 0; k < vectors_in_flight; ++k) loaded[k] = next[k];
    }
    const bool lost = __syncthreads_or(mine.pair.lost());
    if (lost) mine.pair = before;
    mine.marked = mine.marked || lost;
    mine.lost_lately = lost ? mine.lost_lately + 1 : mine.lost_lately - (mine.lost_lately > 0);
    if (threadIdx.x == 0) marks[t] = lost;
    t = following;
  }
  return t;
}

/// `tiles`: a byte for every tile of every row, written here: 1 where the tile has to be added by somebody else.
template <int Steps, class Output>
__global__ void __launch_bounds__(512, 2)
    pair_rows(const double* data, const __grid_constant__ row_arguments<Output> args, unsigned char* tiles) {
  using at = words<double>;
  __shared__ std::int64_t sums[at::count];
  __shared__ claimed_tiles claimed;
  kernels::let_next_start();
  const auto threads = static_cast<std::int64_t>(blockDim.x);
  const std::int64_t tile = Steps * vectors_in_flight * threads;

  for (std::int64_t number = blockIdx.x; number < args.batches * args.parts; number += gridDim.x) {
    const std::int64_t batch = number / args.parts, part = number % args.parts;
    const row_vectors<double> row(data + batch * args.row_stride, args.length);
    const std::int64_t all_tiles = row.count / tile;
    unsigned char* const marks = tiles + batch * exact_tiles(args.length, threads);
    for (int i = static_cast<int>(threadIdx.x); i < at::count; i += static_cast<int>(threads)) sums[i] = 0;
    __syncthreads();

    pair_progress mine;
    tile_deal deal(part, args.parts, all_tiles, args.claims + batch, claimed);
    tile_turn turn{args.parts};
    std::int64_t t = add_tiles<Steps>(row, part, deal.fixed, turn, mine, marks);
    // What was given up, if anything.
    for (t += threadIdx.x * args.parts; t < deal.fixed; t += threads * args.parts) marks[t] = 1;
    // Others may lie where magnitudes are closer: one more try.
    mine.lost_lately = min(mine.lost_lately, 3);
    deal.ask(deal.fixed);
    t = add_tiles<Steps>(row, deal.next(deal.fixed), all_tiles, deal, mine, marks);
    while (t < all_tiles) {
      if (threadIdx.x == 0) marks[t] = 1;
      deal.ask(t);
      t = deal.next(t);
    }
    exact_pair pair = mine.pair;

    // Whatever is not in whole tiles goes to this row's last part, element by element where a pair does not hold it.
    if (part == args.parts - 1) {
      const auto one = [&](double x) {
        const exact_pair sum = pair + x;
        if (sum.lost()) add_element<double>(sums, x);
        else pair = sum;
      };
      const double end = threadIdx.x < row.ends() ? row.end_element(threadIdx.x) : 0;
      vector_word loaded[vectors_in_flight], next[vectors_in_flight];
      std::int64_t i = all_tiles * tile + threadIdx.x;
      kernels::load_vectors(loaded, row.vectors, i, threads, row.count);
      while (i < row.count) {
        const std::int64_t following = i + vectors_in_flight * threads;
        kernels::load_vectors(next, row.vectors, following, threads, row.count);
        kernels::each_loaded(loaded, i, threads, row.count, [&](const vector_word& v, std::int64_t) {
          const auto two = bit_copy<kernels::elements_of<double>>(v);
          one(two.values[0]);
          one(two.values[1]);
        });
#pragma unroll
        for (int k = 0; k < vectors_in_flight; ++k) loaded[k] = next[k];
        i = following;
      }
      for (std::int64_t k = threadIdx.x; k < row.ends(); k += threads) {
        one(k == threadIdx.x ? end : row.end_element(k));
      }
    }
    const bool other = __syncthreads_or(!(pair.high == 0 && signbit(pair.high)));
    add_pairs(pair, sums);
    if (threadIdx.x == 0 && other) sums[at::not_negative_zero] = 1;
    __syncthreads();
    std::int64_t* const words = args.words + batch * at::count;
    for (int i = static_cast<int>(threadIdx.x); i < at::count; i += static_cast<int>(threads)) {
      add_word(words + i, sums[i]);
    }
    if (threadIdx.x == 0 && mine.marked) {
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

}  // namespace multifold::inline v0_1::cuda::exact
