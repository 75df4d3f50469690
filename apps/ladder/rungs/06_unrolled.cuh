// Rung 6: the whole tree is unrolled.
//
// The size of the block is a template parameter, so the compiler knows every step. It writes out those there are, and
// the conditions that depend on the size alone are gone. A kernel for each of the eleven sizes is compiled, and the
// host picks one.
// Defect: a block reads a fixed number of elements and then goes through a tree, in which most threads wait. The tree
// has log2(threads) steps however little was read for it.
// Next: threads add much more before the tree begins (07_cascading.cuh).
#pragma once

#include "05_last_warp.cuh"

namespace multifold::ladder::gpu {

template <int Threads, int Elements, class Op, class Source>
__global__ void __launch_bounds__(Threads) unrolled(Source in, std::int64_t n, typename Op::acc* out) {
  __shared__ typename Op::acc s[Threads];
  const unsigned tid = threadIdx.x;
  s[tid] = first_adds<Elements, Op>(in, n);
  __syncthreads();
#pragma unroll
  for (unsigned half = Threads / 2; half > 32; half /= 2) {
    if (tid < half) s[tid] = Op::combine(s[tid], s[tid + half]);
    __syncthreads();
  }
  if (tid < 32) {
#pragma unroll
    for (unsigned half = Threads < 64 ? Threads / 2 : 32; half > 0; half /= 2) {
      if (tid < half) s[tid] = Op::combine(s[tid], s[tid + half]);
      __syncwarp(lanes());
    }
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}

template <int Threads, class Op>
void launch_unrolled_by(const run<Op>& r) {
  constexpr int elements = 8;
  in_passes(r, std::int64_t{Threads} * elements, [&](auto in, std::int64_t n, unsigned blocks, typename Op::acc* out) {
    unrolled<Threads, elements, Op><<<blocks, Threads, 0, r.stream>>>(in, n, out);
    check_launch();
  });
}

template <class Op>
void launch_unrolled(const run<Op>& r) {
  switch (r.threads) {
    case 1: return launch_unrolled_by<1>(r);
    case 2: return launch_unrolled_by<2>(r);
    case 4: return launch_unrolled_by<4>(r);
    case 8: return launch_unrolled_by<8>(r);
    case 16: return launch_unrolled_by<16>(r);
    case 32: return launch_unrolled_by<32>(r);
    case 64: return launch_unrolled_by<64>(r);
    case 128: return launch_unrolled_by<128>(r);
    case 256: return launch_unrolled_by<256>(r);
    case 512: return launch_unrolled_by<512>(r);
    case 1024: return launch_unrolled_by<1024>(r);
  }
  throw unsupported_error("blocks have 1, 2, 4, ... or 1024 threads, and " + std::to_string(r.threads) +
                          " were asked for");
}

}  // namespace multifold::ladder::gpu
