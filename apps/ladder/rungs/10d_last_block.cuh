// Rung 10d: one pass, and the last block that is done adds the partial results.
//
// Blocks cannot wait for each other in an ordinary grid: one that waits may keep the place that the other one needs to
// start. But they can count. Each block writes its partial result and then adds 1 to a counter; the one that finds all
// others counted knows that their partial results are there, and adds them, in the order of the rows. So it does not
// matter which block it is, and the result has the same bits in every run.
// __threadfence() keeps the order between the two: who sees the counter's new value then sees the partial result.
// Defect: the partial results of all blocks are read by one, while the others are gone; and a counter has to be zero
// before, and is left so.
// Next: blocks that may wait for each other (10e_grid_sync.cuh).
#pragma once

#include "10a_two_passes.cuh"

namespace multifold::ladder::gpu {

/// The blocks' values become *out. All threads of all blocks have to call; `mine` counts in thread 0.
template <class Op>
__device__ void finish_in_last_block(typename Op::acc mine, typename Op::acc* parts, unsigned* arrivals,
                                     typename Op::acc* out) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = mine;
    __threadfence();
    is_last = atomicAdd(arrivals, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  typename Op::acc all = Op::identity();
  // Past the first-level cache, which is the SM's own and not told of what others write.
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) all = Op::combine(all, __ldcg(parts + i));
  all = reduce_block<Op>(all);
  if (threadIdx.x == 0) {
    *out = all;
    *arrivals = 0;
  }
}

template <class Op>
__global__ void __launch_bounds__(most_threads)
    last_block(elements<Op> in, std::int64_t n, shape as, typename Op::acc* parts, unsigned* arrivals,
               typename Op::acc* out) {
  const typename Op::acc mine = reduce_block<Op>(fold_row<8, Op>(in, row_of_block(n, as.length)));
  finish_in_last_block<Op>(mine, parts, arrivals, out);
}

template <class Op>
void launch_last_block(const run<Op>& r) {
  const shape as = reshape_for_device(r, last_block<Op>);
  last_block<Op><<<static_cast<unsigned>(as.rows), r.threads, 0, r.stream>>>(r.all(), r.count, as, r.space[0],
                                                                             r.arrivals, r.result);
  check_launch();
}

}  // namespace multifold::ladder::gpu
