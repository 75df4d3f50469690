// A kernel that reads and does hardly anything else: what it takes is what any reduction takes at least.
#pragma once

#include <algorithm>
#include <cstdint>

#include "10a_two_passes.cuh"

namespace multifold::ladder::gpu {

/// Reads `count` times 16 bytes, eight such vectors under way a thread. `never` is all but never written to; without
/// it, the compiler would leave out the reads.
static __global__ void __launch_bounds__(most_threads) plain_read(const int4* from, std::int64_t count, int* never) {
  constexpr int under_way = 8;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  const auto bits = [](const int4& v) { return v.x ^ v.y ^ v.z ^ v.w; };
  std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  int all = 0;
  for (; i + (under_way - 1) * step < count; i += under_way * step) {
    int4 v[under_way];
#pragma unroll
    for (int k = 0; k < under_way; ++k) v[k] = from[i + k * step];
#pragma unroll
    for (int k = 0; k < under_way; ++k) all += bits(v[k]);
  }
  for (; i < count; i += step) all += bits(from[i]);
  if (all == 0x5eed1e55) *never = all;
}

/// `from` is aligned to 16 bytes; what is left of `bytes` behind the last 16 is not read.
inline void launch_plain_read(const void* from, std::int64_t bytes, int* never, int multiprocessors,
                              cudaStream_t stream) {
  constexpr int threads = 256;
  const std::int64_t count = bytes / 16;
  const std::int64_t most = resident_blocks(plain_read, threads, 0, multiprocessors);
  const auto blocks = static_cast<unsigned>(std::max<std::int64_t>(1, std::min(most, ceil_div(count, threads))));
  plain_read<<<blocks, threads, 0, stream>>>(static_cast<const int4*>(from), count, never);
  check_launch();
}

}  // namespace multifold::ladder::gpu
