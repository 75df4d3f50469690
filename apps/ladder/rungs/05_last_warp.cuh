// Rung 5: the last warp ends the tree alone.
//
// When 32 threads are left that add, they are one warp. It needs no barrier of the block, and its steps are written out
// one after the other: the loop is unrolled. The other warps are done and leave room for other blocks.
//
// The warp still needs a barrier of its own. Older programs had none: they marked shared memory `volatile`, so that
// values were not kept in registers, and relied on the lanes of a warp doing each instruction together. Since Volta
// (2017), every lane has a program counter of its own, and lanes may run ahead of others. __syncwarp() waits for the
// lanes in its mask and makes what they wrote visible to them. The kernel at the end of this file goes without, as a
// warning: it may well give right results, and it is wrong.
// Defect: how many steps the block's part of the tree has is found out while it runs.
// Next: the compiler is told the size of the block (06_unrolled.cuh).
#pragma once

#include "04_first_add.cuh"

namespace multifold::ladder::gpu {

/// The lanes of the calling warp: all 32, unless the block is smaller than that. Blocks are powers of two.
__device__ inline unsigned lanes() { return blockDim.x >= 32 ? 0xffffffffu : (1u << blockDim.x) - 1; }

/// The values s[0] to s[blockDim.x - 1] become one in s[0], which thread 0 may read then. All threads have to come.
template <class Op>
__device__ void tree(typename Op::acc* s) {
  const unsigned tid = threadIdx.x;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 32; half /= 2) {
    if (tid < half) s[tid] = Op::combine(s[tid], s[tid + half]);
    __syncthreads();
  }
  if (tid >= 32) return;
#pragma unroll
  for (unsigned half = 32; half > 0; half /= 2) {
    // What is read is not written in this step, so one barrier a step is enough.
    if (tid < half && 2 * half <= blockDim.x) s[tid] = Op::combine(s[tid], s[tid + half]);
    __syncwarp(lanes());
  }
}

template <int Elements, class Op, class Source>
__global__ void __launch_bounds__(most_threads) last_warp(Source in, std::int64_t n, typename Op::acc* out) {
  __shared__ typename Op::acc s[most_threads];
  s[threadIdx.x] = first_adds<Elements, Op>(in, n);
  tree<Op>(s);
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

template <class Op>
void launch_last_warp(const run<Op>& r) {
  constexpr int elements = 8;
  in_passes(r, std::int64_t{r.threads} * elements,
            [&](auto in, std::int64_t n, unsigned blocks, typename Op::acc* out) {
              last_warp<elements, Op><<<blocks, r.threads, 0, r.stream>>>(in, n, out);
              check_launch();
            });
}

/// WRONG, and no rung: what lanes read may be what others are just writing. compute-sanitizer --tool racecheck says so.
/// Blocks have 64 threads at least.
template <class Op, class Source>
__global__ void last_warp_without_barriers(Source in, std::int64_t n, typename Op::acc* out) {
  __shared__ typename Op::acc s[most_threads];
  const unsigned tid = threadIdx.x;
  s[tid] = first_adds<1, Op>(in, n);
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 32; half /= 2) {
    if (tid < half) s[tid] = Op::combine(s[tid], s[tid + half]);
    __syncthreads();
  }
  if (tid < 32) {
    volatile typename Op::acc* v = s;
#pragma unroll
    for (unsigned half = 32; half > 0; half /= 2) v[tid] = Op::combine(v[tid], v[tid + half]);
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}

template <class Op>
void launch_last_warp_without_barriers(const run<Op>& r) {
  in_passes(r, r.threads, [&](auto in, std::int64_t n, unsigned blocks, typename Op::acc* out) {
    last_warp_without_barriers<Op><<<blocks, r.threads, 0, r.stream>>>(in, n, out);
    check_launch();
  });
}

}  // namespace multifold::ladder::gpu
