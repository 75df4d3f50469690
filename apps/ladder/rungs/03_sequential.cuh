// Rung 3: sequential addressing.
//
// Each step adds the upper half of the values to the lower half: thread t adds the value that lies `half` further on.
// The lanes of a warp read neighbouring words, which lie in different banks, and write neighbouring words.
// Addition is commutative, so the result is as good as before, though the sum of floating point has other roundings.
// Defect: half of the threads add nothing at all but put an element into shared memory and wait for the others. And
// for its one element a thread goes through the whole kernel.
// Next: threads add before they put anything there (04_first_add.cuh).
#pragma once

#include "common.cuh"

namespace multifold::ladder::gpu {

template <class Op, class Source>
__global__ void sequential(Source in, std::int64_t n, typename Op::acc* out) {
  __shared__ typename Op::acc s[most_threads];
  const unsigned tid = threadIdx.x;
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + tid;
  s[tid] = i < n ? in[i] : Op::identity();
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (tid < half) s[tid] = Op::combine(s[tid], s[tid + half]);
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}

/// A block makes one of as many elements as it has threads, of which there are two at least.
template <class Op>
void launch_sequential(const run<Op>& r) {
  in_passes(r, r.threads, [&](auto in, std::int64_t n, unsigned blocks, typename Op::acc* out) {
    sequential<Op><<<blocks, r.threads, 0, r.stream>>>(in, n, out);
    check_launch();
  });
}

}  // namespace multifold::ladder::gpu
