// Rung 10f: clusters of blocks, which read each other's shared memory.
//
// Since Hopper (compute capability 9.0), a grid can be launched in clusters: neighbouring blocks, eight here, that are
// on the GPU at the same time and near each other. They have a barrier in hardware, and a block can read the shared
// memory of the others. So the partial results of eight blocks become one before anything is written to memory, and the
// second pass has an eighth to read.
// Defect: for a sum, what a block leaves is a single number, and the saving is small beside the array. Clusters show
// their worth where blocks share more. The loads that read the array are still those of rung 4, 4 or 8 bytes each.
// Next: wider loads (11_vectors.cuh).
#pragma once

#include <cooperative_groups.h>

#include "10a_two_passes.cuh"

namespace multifold::ladder::gpu {

inline constexpr unsigned cluster_blocks = 8;  // the most that all GPUs with clusters can have

template <class Op>
__global__ void __launch_bounds__(most_threads)
    clusters(elements<Op> in, std::int64_t n, std::int64_t length, typename Op::acc* out) {
#if __CUDA_ARCH__ >= 900
  const auto cluster = cooperative_groups::this_cluster();
  __shared__ typename Op::acc of_block;
  typename Op::acc all = reduce_block<Op>(fold_row<8, Op>(in, row_of_block(n, length)));
  if (threadIdx.x == 0) of_block = all;
  cluster.sync();  // now all eight are there
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    for (unsigned b = 1; b < cluster_blocks; ++b) all = Op::combine(all, *cluster.map_shared_rank(&of_block, b));
    out[blockIdx.x / cluster_blocks] = all;
  }
  cluster.sync();  // a block that ends takes its shared memory with it, so it waits until that has been read
#endif
}

template <class Op>
void launch_clusters(const run<Op>& r) {
  cudaLaunchAttribute in_clusters = {};
  in_clusters.id = cudaLaunchAttributeClusterDimension;
  in_clusters.val.clusterDim = {cluster_blocks, 1, 1};
  cudaLaunchConfig_t how = {};
  how.gridDim = dim3(cluster_blocks);
  how.blockDim = dim3(static_cast<unsigned>(r.threads));
  how.stream = r.stream;
  how.attrs = &in_clusters;
  how.numAttrs = 1;
  // Fewer than there is room for blocks: those of a cluster are neighbours, in a group of SMs.
  int resident = 0;
  check(cudaOccupancyMaxActiveClusters(&resident, clusters<Op>, &how));
  const shape as = reshape(r.count, std::int64_t{std::max(resident, 1)} * cluster_blocks, std::int64_t{8} * r.threads);
  const std::int64_t wanted = ceil_div(as.rows, cluster_blocks);  // some blocks of the last one may have empty rows
  how.gridDim = dim3(static_cast<unsigned>(wanted) * cluster_blocks);
  check(cudaLaunchKernelEx(&how, clusters<Op>, r.all(), r.count, as.length, r.space[0]));
  launch_last_pass(r, 0, wanted);
}

}  // namespace multifold::ladder::gpu
