// CUB's reductions of many rows.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_segmented_reduce.cuh>
#include <cub/version.cuh>

#include "device/peers/peers.hpp"

namespace bench {
namespace {

struct times {
  std::int64_t length;
  __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * length; }
};

}  // namespace

cudaError_t cub_segments_f32(peer_job& job) {
  const auto begin = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), times{job.length});
  return cub::DeviceSegmentedReduce::Sum(job.temp, job.temp_bytes, static_cast<const float*>(job.in),
                                         static_cast<float*>(job.out), job.rows, begin, begin + 1, job.stream);
}

cudaError_t cub_fixed_segments_f32([[maybe_unused]] peer_job& job) {
#if CUB_VERSION >= 300500
  return cub::DeviceSegmentedReduce::Sum(job.temp, job.temp_bytes, static_cast<const float*>(job.in),
                                         static_cast<float*>(job.out), job.rows, static_cast<int>(job.length),
                                         job.stream);
#else
  return cudaErrorNotSupported;
#endif
}

}  // namespace bench
