// CUB's sums of floating point that have the same bits on every GPU: reproducible, but not exact. CUB has them from 3.1
// on, and here those are compiled that take an environment for them, from 3.6 on.
#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>

#include "device/peers/peers.hpp"

#if CUB_VERSION >= 300600
#include <cuda/execution.determinism.h>
#include <cuda/execution.require.h>

#include <cuda/std/execution>
#include <cuda/stream>
#endif

namespace bench {

#if CUB_VERSION >= 300600

template <class T>
cudaError_t cub_reproducible_sum(peer_job& job) {
  if (job.temp == nullptr) {  // it allocates by itself, in the order of the stream
    job.temp_bytes = 1;
    return cudaSuccess;
  }
  const auto environment = cuda::std::execution::env{cuda::execution::require(cuda::execution::determinism::gpu_to_gpu),
                                                     cuda::stream_ref{job.stream}};
  return cub::DeviceReduce::Sum(static_cast<const T*>(job.in), static_cast<T*>(job.out), job.length, environment);
}

#else

template <class T>
cudaError_t cub_reproducible_sum(peer_job&) {
  return cudaErrorNotSupported;
}

#endif

template cudaError_t cub_reproducible_sum<double>(peer_job&);

}  // namespace bench
