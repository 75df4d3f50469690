// What blocks of exact sums read: a part of a row each, gathered in pairs, and once more where those were lost.
#pragma once

#include <cstdint>

#include "device/exact/fixed_sum.cuh"
#include "device/exact/rows/bin_rows.cuh"
#include "multifold/cuda/kernels/arguments.cuh"
#include "multifold/ops/gathered_sum.hpp"

namespace multifold::inline v0_1::cuda::exact {

/// Rows of contiguous elements; a block for each part. What every sum needs stands together in front: arguments come
/// from memory line by line. The first 32 bytes are in one with what stands before them, the next 24 in another.
template <floating_storage T, class Output>
struct block_arguments {
  T* sums;                     // in their own dtype, sum_stride apart; null where more than that is asked for
  std::uint32_t* status_word;  // of the only sum, or null
  std::int64_t row_stride;     // elements
  std::int64_t sum_stride;     // elements
  fixed_sum* partials;         // (batches, parts); null where parts == 1
  int parts;                   // at most one for each thread of the block that brings them together
  int part_vectors;
  int vectors;  // of the row, if it is the only one, has nothing else and does not end in its last block; else 0
  kernels::device_length length;
  std::int64_t* words;  // words<T>::count a part, of those whose sum is lost; like `arrivals`, unused where parts == 1
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

/// Vectors first, first + step and so on below `count`: element by element. Out of line, as it is rarely called.
template <floating_storage T>
__device__ __noinline__ exact_pair plus_elements(exact_pair pair, const vector_word* vectors, int first, int count,
                                                 int step) {
#pragma unroll 1
  for (int i = first; i < count && !pair.lost(); i += step) {
    const auto unpacked = bit_copy<kernels::elements_of<T>>(load_vector(vectors + i));
#pragma unroll
    for (int k = 0; k < kernels::vector_elements<T>; ++k) pair = pair + to_double(unpacked.values[k]);
  }
  return pair;
}

/// A thread's share of `count` vectors: four are loaded together, and added in a loop that is fetched once. Narrow
/// elements of all four are added in one double, if they are close enough together for that to be exact.
template <floating_storage T>
__device__ exact_pair pair_of(const vector_word* vectors, int count) {
  constexpr int width = kernels::vector_elements<T>;
  const int threads = static_cast<int>(blockDim.x), step = vectors_in_flight * threads;
  exact_pair pair;
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < count && !pair.lost(); i += step) {
    vector_word loaded[vectors_in_flight];
#pragma unroll
    for (int k = 0; k < vectors_in_flight; ++k) {
      if (i + k * threads < count) loaded[k] = load_vector(vectors + i + k * threads);
    }
    const int end = min(i + step, count);
    if constexpr (sizeof(T) <= 4) {
      constexpr range_sum<T> range;
      auto lane = typename range_sum<T>::lane();
#pragma unroll 1
      for (int at = i; at < end; at += threads) {
        const auto unpacked = bit_copy<kernels::elements_of<T>>(loaded[0]);
#pragma unroll
        for (int k = 0; k < width; ++k) lane = range.absorb(lane, unpacked.values[k], 0);
#pragma unroll
        for (int k = 1; k < vectors_in_flight; ++k) loaded[k - 1] = loaded[k];
      }
      const int reach = range_sum<T>::reach(vectors_in_flight * width);
      pair = range.within(lane, reach) ? pair + lane.sum : plus_elements<T>(pair, vectors, i, end, threads);
    } else {
#pragma unroll 1
      for (int at = i; at < end; at += threads) {
        const auto unpacked = bit_copy<kernels::elements_of<T>>(loaded[0]);
        pair = pair + unpacked.values[0] + unpacked.values[1];
#pragma unroll
        for (int k = 1; k < vectors_in_flight; ++k) loaded[k - 1] = loaded[k];
      }
    }
  }
  return pair;
}

/// The same of a part.
template <floating_storage T>
__device__ exact_pair pair_of(const row_vectors<T>& row, const part_share& share) {
  // Asked for before the vectors, and used behind them.
  const std::int64_t ends = share.ends ? row.ends() : 0;
  const T end = threadIdx.x < ends ? row.end_element(threadIdx.x) : T{};
  exact_pair pair = pair_of<T>(row.vectors + share.first, static_cast<int>(share.end - share.first));
#pragma unroll 1
  for (std::int64_t i = threadIdx.x; i < ends; i += blockDim.x) {
    pair = pair + to_double(i == threadIdx.x ? end : row.end_element(i));
  }
  return pair;
}

/// A part as words in shared memory, which are zero: whatever its elements are. All threads must call; a
/// __syncthreads() has to follow. Out of line: it is rarely called, and the rest is shorter without it.
template <floating_storage T, class Output>
__device__ __noinline__ void add_part_again(const T* data, const block_arguments<T, Output>& args, std::int64_t* bins,
                                            std::int64_t* into) {
  const block_share<T> mine_of(data, args);
  const row_vectors<T>& row = mine_of.row;
  const part_share& share = mine_of.share;
  if constexpr (sizeof(T) <= 4) {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const std::int64_t step = min(static_cast<int>(blockDim.x), 32 * block_bin_warps);
    std::int64_t low = 0, high = 0;
    bool other = false;
    if (warp < block_bin_warps) {
      bin_column<T> mine(reinterpret_cast<std::byte*>(bins));
      const auto all = [&](const auto& elements) {
        for (std::int64_t i = share.first + 32 * warp; i < share.end; i += step) {
          mine.make_room(kernels::vector_elements<T>);
          if (i + lane < share.end) elements.add(mine, load_vector(row.vectors + i + lane));
        }
        for (std::int64_t i = 32 * warp; share.ends && i < row.ends(); i += step) {
          mine.make_room(1);
          if (i + lane < row.ends()) elements.add_element(mine, row.end_element(i + lane));
        }
        mine.flush();
      };
      all(all_elements<T>{});
      if (__any_sync(kernels::whole_warp, mine.special)) {
        mine.forget_last();
        all(top_elements<T>{into});
      }
      low = mine.low;
      high = mine.high;
      other = mine.other;
    }
    const int warps = static_cast<int>(blockDim.x) / 32;
    __syncthreads();
    bins[threadIdx.x] = low;
    bins[blockDim.x + threadIdx.x] = high;
    other = __syncthreads_or(other);
    if (warp == 0) limbs_of<T>(bins, bins + blockDim.x, warps, bins + 2 * blockDim.x, into);
    if (threadIdx.x == 0) into[words<T>::not_negative_zero] = other;
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

}  // namespace multifold::inline v0_1::cuda::exact
