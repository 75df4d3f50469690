// What multifold is measured against on the GPU: CUB and Thrust, one function a job. Only the .cu files here see them.
//
// A new peer dtype is one line of explicit instantiation in one of them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace bench {

/// One call of a peer: `rows` rows of `length` contiguous elements.
struct peer_job {
  const void* in = nullptr;
  void* out = nullptr;   // device; a result a row
  void* temp = nullptr;  // device; null asks for temp_bytes
  std::size_t temp_bytes = 0;
  std::int64_t rows = 1;
  std::int64_t length = 0;
  cudaStream_t stream = nullptr;
  bool on_host = false;  // the peer left its result here instead of in `out`
  alignas(8) unsigned char host_result[8] = {};
};

using peer_function = cudaError_t (*)(peer_job& job);

/// A kernel that does nothing: what any launch costs.
cudaError_t launch_nothing(cudaStream_t stream);

/// CUB_VERSION of the headers in use, such as 300001 for 3.0.1.
int cub_version();

/// cub::DeviceReduce::Sum: accumulates in Out.
template <class In, class Out>
cudaError_t cub_sum(peer_job& job);

/// cub::DeviceReduce::Reduce with an operation over float: narrow floats without narrow accumulators.
template <class In>
cudaError_t cub_sum_in_f32(peer_job& job);

/// cub::DeviceReduce::Sum with the same bits on every GPU (gpu_to_gpu); cudaErrorNotSupported where CUB does not have it.
template <class T>
cudaError_t cub_reproducible_sum(peer_job& job);

template <class T>
cudaError_t cub_max(peer_job& job);

/// The index as int64; the maximum behind it.
template <class T>
cudaError_t cub_argmax(peer_job& job);

/// cub::DeviceSegmentedReduce::Sum with computed offsets.
cudaError_t cub_segments_f32(peer_job& job);

/// cub::DeviceSegmentedReduce::Sum for segments of one size; cudaErrorNotSupported where CUB does not have it.
cudaError_t cub_fixed_segments_f32(peer_job& job);

/// thrust::reduce, with the allocation and the copy to the host that belong to it; accumulates in Out, and leaves
/// the result in job.host_result.
template <class In, class Out>
cudaError_t thrust_sum(peer_job& job);

}  // namespace bench
