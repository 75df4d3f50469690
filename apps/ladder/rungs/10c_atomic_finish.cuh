// Rung 10c: one pass, whose blocks add to the result by atomics.
//
// The queue of rung 0 is short now: one addition a block, about a thousand in all, and they come while other blocks
// still read. There are no partial results in memory and no second pass, only a tiny kernel in front that sets the
// result to the identity.
// Defect: blocks come in another order each time, and sums of floating point differ from run to run.
// Next: a fixed order, and still one kernel (10d_last_block.cuh).
#pragma once

#include "00_atomics.cuh"
#include "10a_two_passes.cuh"

namespace multifold::ladder::gpu {

template <class Op, class Source>
__global__ void __launch_bounds__(most_threads)
    atomic_finish(Source in, std::int64_t n, std::int64_t length, typename Op::acc* out) {
  const typename Op::acc all = reduce_block<Op>(fold_row<8, Op>(in, row_of_block(n, length)));
  if (threadIdx.x == 0) Op::atomic(out, all);
}

template <class Op>
void launch_atomic_finish(const run<Op>& r) {
  const shape as = reshape_for_device(r, atomic_finish<Op, elements<Op>>);
  set_identity<Op><<<1, 1, 0, r.stream>>>(r.result);
  check_launch();
  atomic_finish<Op><<<static_cast<unsigned>(as.rows), r.threads, 0, r.stream>>>(r.all(), r.count, as.length, r.result);
  check_launch();
}

}  // namespace multifold::ladder::gpu
