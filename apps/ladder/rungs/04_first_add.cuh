// Rung 4: the first additions are done while loading.
//
// A thread reads two elements, or several, and adds them in a register before shared memory is used at all. There are
// fewer blocks and fewer barriers for each element, and a thread has several loads under way at once: they do not
// depend on each other, so the second one need not wait for the first one's several hundred cycles.
// The elements of a thread lie a block's width apart: in each turn, the lanes of a warp still read neighbours.
// Defect: the last steps of the tree have work for one warp only, but all warps go on through the loop and its
// barriers.
// Next: the last warp ends the tree alone (05_last_warp.cuh).
#pragma once

#include "common.cuh"

namespace multifold::ladder::gpu {

/// What a thread of the block makes of its `Elements`, before the tree. A block's part of the input is contiguous.
template <int Elements, class Op, class Source>
__device__ typename Op::acc first_adds(const Source& in, std::int64_t n) {
  typename Op::acc mine = Op::identity();
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x * Elements + threadIdx.x;
#pragma unroll
  for (int k = 0; k < Elements; ++k) {
    const std::int64_t i = first + std::int64_t{k} * blockDim.x;
    if (i < n) mine = Op::combine(mine, in[i]);
  }
  return mine;
}

// The bound tells the compiler to get along with the registers that each of 1024 threads can have.
template <int Elements, class Op, class Source>
__global__ void __launch_bounds__(most_threads) first_add(Source in, std::int64_t n, typename Op::acc* out) {
  __shared__ typename Op::acc s[most_threads];
  const unsigned tid = threadIdx.x;
  s[tid] = first_adds<Elements, Op>(in, n);
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (tid < half) s[tid] = Op::combine(s[tid], s[tid + half]);
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}

template <int Elements, class Op>
void launch_first_add(const run<Op>& r) {
  in_passes(r, std::int64_t{r.threads} * Elements,
            [&](auto in, std::int64_t n, unsigned blocks, typename Op::acc* out) {
              first_add<Elements, Op><<<blocks, r.threads, 0, r.stream>>>(in, n, out);
              check_launch();
            });
}

}  // namespace multifold::ladder::gpu
