// Rung 2: interleaved addressing by neighbouring threads.
//
// The additions of rung 1, done by the first threads of the block: thread t adds the pair that starts at 2 s t. Now
// whole warps are busy, and whole warps have nothing to do, so hardly any of them diverges; and there is no %.
// Defect: shared memory has 32 banks. Neighbouring words of 4 bytes lie in neighbouring banks, and a bank serves one
// word at a time. With a stride of 2 s words, the lanes of a warp ask 32 / (2 s) banks for 2 s words each: a bank
// conflict, and the accesses follow each other. From s = 16 on, all lanes ask one bank.
// Next: an order of additions without strides (03_sequential.cuh).
#pragma once

#include "common.cuh"

namespace multifold::ladder::gpu {

template <class Op, class Source>
__global__ void bank_conflicts(Source in, std::int64_t n, typename Op::acc* out) {
  __shared__ typename Op::acc s[most_threads];
  const unsigned tid = threadIdx.x;
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + tid;
  s[tid] = i < n ? in[i] : Op::identity();
  __syncthreads();
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    const unsigned first = 2 * stride * tid;
    if (first < blockDim.x) s[first] = Op::combine(s[first], s[first + stride]);
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}

/// A block makes one of as many elements as it has threads, of which there are two at least.
template <class Op>
void launch_bank_conflicts(const run<Op>& r) {
  in_passes(r, r.threads, [&](auto in, std::int64_t n, unsigned blocks, typename Op::acc* out) {
    bank_conflicts<Op><<<blocks, r.threads, 0, r.stream>>>(in, n, out);
    check_launch();
  });
}

}  // namespace multifold::ladder::gpu
