// A kernel that reads and does hardly anything else: what it takes is what any reduction takes at least.
#pragma once

#include <algorithm>
#include <cstdint>

#include "rungs/10a_two_passes.cuh"

namespace multifold::ladder::gpu {

/// Reads `count` times 16 bytes, eight such vectors under way a thread. `never` is all but never written to; without
/// it, the compiler would leave out the reads.
static __global__ void __launch_bounds__(most_threads) plain_read(const int4* from, std::int64_t count, int* never) {
  constexpr int under_way = 8;
  const auto bits = [](const int4& v) { return v.x ^ v.y ^ v.z ^ v.w; };
  const std::int64_t tile = std::int64_t{under_way} * blockDim.x;
  int all = 0;
  for (std::int64_t first = blockIdx.x * tile; first < count; first += gridDim.x * tile) {
    const std::int64_t i = first + threadIdx.x;
    if (first + tile > count) {
      for (std::int64_t j = i; j < count; j += blockDim.x) all += bits(from[j]);
      break;
    }
    int4 v[under_way];
#pragma unroll
    for (int k = 0; k < under_way; ++k) v[k] = from[i + k * blockDim.x];
#pragma unroll
    for (int k = 0; k < under_way; ++k) all += bits(v[k]);
  }
  if (all == 0x5eed1e55) *never = all;
}

/// The grid stays to the end, or each block reads one tile and leaves its place to another.
enum class grid_form { stays, passes_through };

/// `from` is aligned to 16 bytes; what is left of `bytes` behind the last 16 is not read.
inline void launch_plain_read(grid_form form, const void* from, std::int64_t bytes, int* never, int multiprocessors,
                              cudaStream_t stream) {
  constexpr int threads = 256, vectors_of_a_block = 8 * threads;
  const std::int64_t count = bytes / 16, tiles = std::max<std::int64_t>(1, ceil_div(count, vectors_of_a_block));
  const std::int64_t most = form == grid_form::stays ? resident_blocks(plain_read, threads, 0, multiprocessors) : tiles;
  const unsigned blocks = blocks_for(std::min(most, tiles), 1);
  plain_read<<<blocks, threads, 0, stream>>>(static_cast<const int4*>(from), count, never);
  check_launch();
}

}  // namespace multifold::ladder::gpu
