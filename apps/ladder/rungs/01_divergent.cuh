// Rung 1: a tree in shared memory, by interleaved addressing.
//
// Shared memory is a small, fast memory that belongs to one block and ends with it. Each thread puts its element there.
// Then pairs are added, pairs of pairs, and so on: log2(threads) steps instead of one queue. A step reads what other
// threads wrote in the step before. __syncthreads() makes that right: no thread of the block goes on before all of them
// have come there, and what they wrote is then visible to all. Every thread of the block has to come, so it never
// stands in a branch that only some of them take.
//
// A block leaves one partial result. There is no such barrier between blocks, but kernels in one stream follow each
// other: the same kernel is launched again for the partial results until one is left. Those are the passes.
// Defect: in step s, one thread of 2 s works. These threads are spread over all warps, and a warp takes as long with
// one busy lane as with 32: it goes through both sides of the branch. That is divergence; and % is a slow operation.
// Next: the same additions by threads that are neighbours (02_bank_conflicts.cuh).
#pragma once

#include "common.cuh"

namespace multifold::ladder::gpu {

template <class Op, class Source>
__global__ void divergent(Source in, std::int64_t n, typename Op::acc* out) {
  __shared__ typename Op::acc s[most_threads];
  const unsigned tid = threadIdx.x;
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + tid;
  s[tid] = i < n ? in[i] : Op::identity();
  __syncthreads();
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    if (tid % (2 * stride) == 0) s[tid] = Op::combine(s[tid], s[tid + stride]);
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}

/// A block makes one of as many elements as it has threads, of which there are two at least.
template <class Op>
void launch_divergent(const run<Op>& r) {
  in_passes(r, r.threads, [&](auto in, std::int64_t n, unsigned blocks, typename Op::acc* out) {
    divergent<Op><<<blocks, r.threads, 0, r.stream>>>(in, n, out);
    check_launch();
  });
}

}  // namespace multifold::ladder::gpu
