// Rung 10e: a barrier of the whole grid.
//
// A cooperative launch promises that all blocks of the grid are on the GPU at the same time, and is refused where there
// is no room for them. Then blocks can wait for each other: grid.sync() is what __syncthreads() is for a block. After
// it, block 0 adds the partial results. So two passes are one kernel, written one after the other.
// Defect: the barrier is made of a counter and of fences as in rung 10d, and all blocks wait where there only the last
// one had to look. The grid may not be larger than what fits.
// Next: barriers and shared memory of a few blocks, in hardware (10f_clusters.cuh).
#pragma once

#include <cooperative_groups.h>

#include "10a_two_passes.cuh"

namespace multifold::ladder::gpu {

template <class Op>
__global__ void __launch_bounds__(most_threads)
    grid_sync(elements<Op> in, std::int64_t n, shape as, typename Op::acc* parts, typename Op::acc* out) {
  typename Op::acc all = reduce_block<Op>(fold_row<8, Op>(in, row_of_block(n, as.length)));
  if (threadIdx.x == 0) parts[blockIdx.x] = all;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x != 0) return;
  all = reduce_block<Op>(fold_row<8, Op>(partials<Op>{parts}, {0, gridDim.x}));
  if (threadIdx.x == 0) *out = all;
}

template <class Op>
void launch_grid_sync(const run<Op>& r) {
  const shape as = reshape_for_device(r, grid_sync<Op>);
  cudaLaunchAttribute cooperative = {};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t how = {};
  how.gridDim = dim3(static_cast<unsigned>(as.rows));
  how.blockDim = dim3(static_cast<unsigned>(r.threads));
  how.stream = r.stream;
  how.attrs = &cooperative;
  how.numAttrs = 1;
  check(cudaLaunchKernelEx(&how, grid_sync<Op>, r.all(), r.count, as, r.space[0], r.result));
}

}  // namespace multifold::ladder::gpu
