// Rung 0 again: a thread for every element, and all of them add to one place.
//
// Thread number i of the grid takes element i. The lanes of a warp read 32 neighbours together, which is the way that
// memory likes to be read: their addresses are coalesced into a few wide accesses. The threads add to the same memory,
// and must not do so as "read, add, write", since one would overwrite what another has added meanwhile. An atomic
// operation is carried out as a whole, by the memory itself.
// Defect: the atomic operations on one address follow each other, so all threads wait in one queue. And they come in
// an order that differs from run to run: sums of floating point do, too.
// Next: threads first add among themselves, in a block (01_divergent.cuh).
#pragma once

#include "common.cuh"

namespace multifold::ladder::gpu {

/// The result has to start as the value that changes nothing.
template <class Op>
__global__ void set_identity(typename Op::acc* out) {
  *out = Op::identity();
}

template <class Op, class Source>
__global__ void atomics(Source in, std::int64_t n, typename Op::acc* out) {
  // In 64 bits: the product of two unsigned numbers of 32 would lose what is beyond 2^32.
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) Op::atomic(out, in[i]);  // the last block has threads without an element
}

/// Two kernels in one stream: the second one starts when the first one is done.
template <class Op>
void launch_atomics(const run<Op>& r) {
  set_identity<Op><<<1, 1, 0, r.stream>>>(r.result);
  check_launch();
  atomics<Op><<<blocks_for(r.count, r.threads), r.threads, 0, r.stream>>>(r.all(), r.count, r.result);
  check_launch();
}

}  // namespace multifold::ladder::gpu
