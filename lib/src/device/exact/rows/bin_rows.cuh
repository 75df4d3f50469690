// Exact sums of long rows of f16, bf16 and f32: exponent bins in one pass over the data, whatever the data.
//
// Two blocks of 512 threads with 64 KiB of bins each stay on an SM; every thread has four vectors in flight
// and adds the four before them. On an H200 f32 and f16 are read as fast as by a plain read of equal parts, bf16 at
// 0.98 of it: every element of f32 is loaded from and stored to shared memory, which keeps the path to it busy for 69 %
// of the time, beside what comes from memory. A part's sum is left as words, which a second kernel adds up and rounds:
// that is a lot of code, which one thread would fetch while its block waits. NaN and infinities cost nothing until
// there is one: the block that finds its last bin poisoned reads its part once more, for the elements of that bin.
#pragma once

#include <cstdint>
#include <new>

#include "device/exact/arguments.cuh"
#include "device/exact/bins/bins.cuh"
#include "device/exact/leading_words.cuh"
#include "device/exact/rows/row_tiles.cuh"
#include "multifold/cuda/kernels/dependent.cuh"

namespace multifold::inline v0_1::cuda::exact {

/// Warps that drift apart read the memory in a worse order: a barrier a tile brought f16 and f32 from 0.98 to 0.99 and
/// more of a plain read. bf16 has twice as much to do for a byte, and loses by waiting.
template <floating_storage T>
__device__ void stay_together() {
  if constexpr (!std::is_same_v<T, bf16>) __syncthreads();
}

/// Adds elements to their bins.
template <floating_storage T>
struct all_elements {
  __device__ void add(bin_column<T>& bins, const vector_word& v) const { bins.add(v); }
  __device__ void add_element(bin_column<T>& bins, T x) const { bins.add(bin_column<T>::widened(x)); }
};

/// Adds the finite elements of the last bin, and counts the others.
template <floating_storage T>
struct top_elements {
  std::int64_t* words;  // shared
  __device__ void add(bin_column<T>& bins, const vector_word& v) const {
    const auto unpacked = bit_copy<kernels::elements_of<T>>(v);
#pragma unroll 1
    for (int i = 0; i < kernels::vector_elements<T>; ++i) add_element(bins, unpacked.values[i]);
  }
  __device__ void add_element(bin_column<T>& bins, T x) const {
    using multifold::detail::float_layout;
    const std::uint32_t magnitude = bit_copy<typename float_layout<T>::bits_type>(x) & (float_layout<T>::sign - 1u);
    if (bin_layout<T>::top != 0 && magnitude < bin_layout<T>::top) return;
    if (magnitude < float_layout<T>::infinity) bins.add(bin_column<T>::widened(x));
    else add_word(words + mark_of<T>(multifold::detail::unpack(x)), 1);
  }
};

/// The part of a row that a block adds up, and what it has come to so far, in shared memory: what registers do not hold
/// where elements are added is spilled, and some hundred bytes of every thread are as much to read and to write as the
/// array. Of the threads, in dynamic shared memory: `low` + `high` * 2^32, of what they took out of bins.
template <floating_storage T>
struct part_of_row {
  row_vectors<T> row;
  tile_deal deal;
  std::int64_t next;  // tile, or -1
  bool again;         // its elements are looked at once more
  int seen;           // tiles that it had claimed and has looked at again
  unsigned special, other;

  __device__ bool claims() const { return deal.fixed < deal.all; }

  /// Thread 0, long before the tile is needed.
  __device__ unsigned ask() const {
    const bool asks = threadIdx.x == 0 && claims() && !again && deal.count < claimed_tiles::most;
    return asks ? atomicAdd(deal.claims, 1u) : 0;
  }
  /// The tile behind those that come in turn, or -1. All threads must call.
  __device__ std::int64_t claimed(unsigned asked) {
    if (!claims()) return -1;
    if (threadIdx.x == 0) {
      next = -1;
      if (again) {
        if (seen < deal.count) next = deal.fixed + deal.mine.number[seen++];
      } else if (deal.count < claimed_tiles::most && deal.fixed + asked < deal.all) {
        deal.mine.number[deal.count++] = asked;
        next = deal.fixed + asked;
      }
    }
    __syncthreads();
    const std::int64_t found = next;
    __syncthreads();  // before it is written again
    return found;
  }
};

/// Takes out what a warp's bins hold.
template <floating_storage T>
__device__ __forceinline__ void empty_bins(bin_column<T>& bins, part_of_row<T>& part, std::int64_t* totals) {
  const taken_out taken = bins.take();
  totals[threadIdx.x] += static_cast<std::int64_t>(static_cast<std::uint64_t>(taken.sum) & 0xffffffffu);
  totals[blockDim.x + threadIdx.x] += taken.sum >> 32;
  const bool special = __any_sync(kernels::whole_warp, taken.special),
             other = __any_sync(kernels::whole_warp, taken.other);
  if (threadIdx.x % 32 != 0) return;
  if (special) atomicOr(&part.special, 1u);
  if (other) atomicOr(&part.other, 1u);
}

/// Adds the part to bins, which are empty then: its tiles, of `steps` steps of vectors_in_flight vectors a thread, with
/// the next one's loads in flight, and what is left. All threads must call.
template <floating_storage T, class Elements>
__device__ __forceinline__ void add_part(part_of_row<T>& part, const Elements& elements, std::byte* bins,
                                         std::int64_t* totals, std::int64_t parts, int steps) {
  const auto threads = static_cast<std::int64_t>(blockDim.x);
  const std::int64_t step = vectors_in_flight * threads;
  const int tile_elements = steps * vectors_in_flight * kernels::vector_elements<T>;  // a thread
  int tiles = part.deal.in_turn;
  unsigned asked = tiles == 1 ? part.ask() : 0;
  const vector_word* at = part.row.vectors + part.deal.part * steps * step + threadIdx.x;
  vector_word loaded[vectors_in_flight], next[vectors_in_flight];
  if (tiles > 0) {
#pragma unroll
    for (int k = 0; k < vectors_in_flight; ++k) loaded[k] = load_vector(at + k * threads);
  }
  bin_column<T> mine(bins);  // while the first elements come
  constexpr int ends = 2 * static_cast<int>(128 / sizeof(T));
  for (;;) {
    // To make room is a lot of code: in one place, and as seldom as can be.
    if (mine.room < tile_elements + (tiles > 0 ? 0 : ends)) empty_bins(mine, part, totals);
    if (tiles == 0) break;
    const int together = min(tiles, mine.room / tile_elements);
    mine.room -= together * tile_elements;
    int here = steps;  // in the tile
#pragma unroll 1
    for (int left = together * steps; left > 0; --left) {
      // The last step of all is asked for twice, rather than asking everywhere whether it is the last.
      if (--here > 0) {
        at += step;
      } else {
        here = steps;
        if (steps > 1) stay_together<T>();
        if (--tiles > 0) {
          at += (parts * steps - steps + 1) * step;
          if (tiles == 1) asked = part.ask();
        } else if (const std::int64_t t = part.claimed(asked); t >= 0) {
          at = part.row.vectors + t * steps * step + threadIdx.x;
          tiles = 1;
          asked = part.ask();
        }
      }
#pragma unroll
      for (int k = 0; k < vectors_in_flight; ++k) next[k] = load_vector(at + k * threads);
#pragma unroll
      for (int k = 0; k < vectors_in_flight; ++k) elements.add(mine, loaded[k]);
#pragma unroll
      for (int k = 0; k < vectors_in_flight; ++k) loaded[k] = next[k];
    }
  }
  asm volatile("" ::: "memory");  // nothing that is needed from here on is kept in registers until then
  // Behind the tiles is what the last part takes, which may have one tile less than others.
  if (part.deal.part == parts - 1) {
#pragma unroll 1
    for (std::int64_t first = part.deal.all * steps * step; first < part.row.count; first += step) {
      kernels::load_vectors(next, part.row.vectors, first + threadIdx.x, threads, part.row.count);
      kernels::each_loaded(next, first + threadIdx.x, threads, part.row.count,
                           [&](const vector_word& v, std::int64_t) { elements.add(mine, v); });
    }
  }
  if (part.deal.part == 0) {
#pragma unroll 1
    for (std::int64_t i = threadIdx.x; i < part.row.ends(); i += threads)
      elements.add_element(mine, part.row.end_element(i));
  }
  empty_bins(mine, part, totals);
}

/// Out of line, as it is rarely called.
template <floating_storage T>
__device__ __noinline__ void add_top_again(part_of_row<T>& part, std::int64_t* words, std::byte* bins,
                                           std::int64_t* totals, std::int64_t parts, int steps) {
  add_part(part, top_elements<T>{words}, bins, totals, parts, steps);
}

/// Dynamic shared memory of a block of `threads`: bins, and two words a thread.
constexpr int bin_rows_shared_bytes(int threads) { return threads / 32 * bin_bytes_a_warp + 16 * threads; }

/// Leaves the sum of each part as words.
template <floating_storage T, class Output>
__global__ void __launch_bounds__(512, 2) bin_rows(const T* data, const __grid_constant__ row_arguments<Output> args) {
  using at = words<T>;
  using layout = bin_layout<T>;
  extern __shared__ std::int64_t shared[];
  __shared__ std::int64_t sums[at::count];
  __shared__ claimed_tiles claimed;
  alignas(16) __shared__ std::byte memory[sizeof(part_of_row<T>)];
  auto& part = *reinterpret_cast<part_of_row<T>*>(memory);
  std::int64_t* const totals = shared + blockDim.x / 32 * (bin_bytes_a_warp / 8);
  auto* const bins = reinterpret_cast<std::byte*>(shared);
  kernels::let_next_start();

  for (std::int64_t number = blockIdx.x; number < args.batches * args.parts; number += gridDim.x) {
    if (threadIdx.x == 0) {
      const std::int64_t batch = args.batches == 1 ? 0 : number / args.parts;
      const row_vectors<T> row(data + batch * args.row_stride, args.length);
      const std::int64_t tile = std::int64_t{args.steps} * vectors_in_flight * blockDim.x;
      unsigned* const claims = args.claims == nullptr ? nullptr : args.claims + batch;
      const tile_deal deal(number - batch * args.parts, args.parts, row.count / tile, claims, claimed);
      new (&part) part_of_row<T>{row, deal, -1, false, 0, 0, 0};
    }
    if (threadIdx.x < at::count) sums[threadIdx.x] = 0;  // 16 of at least 32 threads
    totals[threadIdx.x] = totals[blockDim.x + threadIdx.x] = 0;
    __syncthreads();
    add_part(part, all_elements<T>{}, bins, totals, args.parts, args.steps);
    __syncthreads();
    if (part.special != 0) {
      // Nothing of the last bin is kept, and its elements are looked at again.
      if (threadIdx.x % 32 % layout::count == layout::count - 1) {
        totals[threadIdx.x] = totals[blockDim.x + threadIdx.x] = 0;
      }
      __syncthreads();
      if (threadIdx.x == 0) part.again = true;
      __syncthreads();
      add_top_again(part, sums, bins, totals, args.parts, args.steps);
      __syncthreads();
    }
    if (threadIdx.x < 32) {
      const auto threads = static_cast<int>(blockDim.x);
      limbs_of<T>(totals, totals + threads, threads / 32, shared, sums);
      if (threadIdx.x == 0) sums[at::not_negative_zero] = part.other != 0;
      __syncwarp();
      if (threadIdx.x < at::count) args.words[number * at::count + threadIdx.x] = sums[threadIdx.x];
    }
    __syncthreads();
  }
}

/// Of bin_parts.
inline constexpr int bin_parts_threads = 512;

/// Adds up what the parts of batches have left, a block a batch; where there is one part, a warp a batch.
template <floating_storage T, class Output>
__global__ void __launch_bounds__(bin_parts_threads, 2) bin_parts(const __grid_constant__ row_arguments<Output> args) {
  using at = words<T>;
  __shared__ std::int64_t sums[bin_parts_threads / 32][32], of_group[bin_parts_threads];
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const int threads = static_cast<int>(blockDim.x), groups = threads / at::count;
  const bool alone = args.parts == 1;
  const std::int64_t batch = alone ? std::int64_t{blockIdx.x} * (threads / 32) + warp : blockIdx.x;
  const std::int64_t all = args.parts * at::count;
  const std::int64_t* const words = args.words + batch * all;
  kernels::wait_for_previous();
  if (alone) {
    if (batch >= args.batches) return;
    if (lane < at::count) sums[warp][lane] = words[lane];
    __syncwarp();
  } else {
    std::int64_t sum = 0;
    if (thread < groups * at::count) {
#pragma unroll 8
      for (std::int64_t i = thread; i < all; i += groups * at::count) sum += words[i];
    }
    of_group[thread] = sum;
    __syncthreads();
    if (warp > 0) return;
    sum = 0;
    if (lane < at::count) {
#pragma unroll 8
      for (int i = lane; i < groups * at::count; i += at::count) sum += of_group[i];
      sums[0][lane] = sum;
    }
    __syncwarp();
  }
  deliver_words<T>(args.output, batch, sums[warp], args.length, args.nan);
}

}  // namespace multifold::inline v0_1::cuda::exact
