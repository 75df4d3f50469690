// CUB's reductions of whole arrays. Lengths are 64-bit, so each job is one kernel chain of one instantiation.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>
#include <type_traits>

#include "device/peers/peers.hpp"
#include "multifold/dtype.hpp"

namespace bench {
namespace {

template <class T>
using native = std::conditional_t<std::is_same_v<T, multifold::f16>, __half,
                                  std::conditional_t<std::is_same_v<T, multifold::bf16>, __nv_bfloat16, T>>;

struct float_plus {
  __host__ __device__ float operator()(float a, float b) const { return a + b; }
};

__global__ void nothing() {}

}  // namespace

cudaError_t launch_nothing(cudaStream_t stream) {
  nothing<<<1, 32, 0, stream>>>();
  return cudaGetLastError();
}

int cub_version() { return CUB_VERSION; }

template <class In, class Out>
cudaError_t cub_sum(peer_job& job) {
  return cub::DeviceReduce::Sum(job.temp, job.temp_bytes, static_cast<const native<In>*>(job.in),
                                static_cast<native<Out>*>(job.out), job.length, job.stream);
}

template <class In>
cudaError_t cub_sum_in_f32(peer_job& job) {
  return cub::DeviceReduce::Reduce(job.temp, job.temp_bytes, static_cast<const native<In>*>(job.in),
                                   static_cast<float*>(job.out), job.length, float_plus{}, 0.0f, job.stream);
}

template <class T>
cudaError_t cub_max(peer_job& job) {
  return cub::DeviceReduce::Max(job.temp, job.temp_bytes, static_cast<const T*>(job.in), static_cast<T*>(job.out),
                                job.length, job.stream);
}

template <class T>
cudaError_t cub_argmax(peer_job& job) {
  auto* const index = static_cast<std::int64_t*>(job.out);
  return cub::DeviceReduce::ArgMax(job.temp, job.temp_bytes, static_cast<const T*>(job.in),
                                   reinterpret_cast<T*>(index + 1), index, job.length, job.stream);
}

template cudaError_t cub_sum<float, float>(peer_job&);
template cudaError_t cub_sum<double, double>(peer_job&);
template cudaError_t cub_sum<std::int32_t, std::int64_t>(peer_job&);
template cudaError_t cub_sum<std::int32_t, std::int32_t>(peer_job&);
template cudaError_t cub_sum<std::int64_t, std::int64_t>(peer_job&);
template cudaError_t cub_sum<std::int8_t, std::int64_t>(peer_job&);
template cudaError_t cub_sum<std::int8_t, std::int32_t>(peer_job&);
template cudaError_t cub_sum<std::uint8_t, std::int64_t>(peer_job&);
template cudaError_t cub_sum<multifold::f16, multifold::f16>(peer_job&);
template cudaError_t cub_sum<multifold::bf16, multifold::bf16>(peer_job&);
template cudaError_t cub_sum_in_f32<multifold::f16>(peer_job&);
template cudaError_t cub_sum_in_f32<multifold::bf16>(peer_job&);
template cudaError_t cub_max<float>(peer_job&);
template cudaError_t cub_max<std::int8_t>(peer_job&);
template cudaError_t cub_argmax<float>(peer_job&);

}  // namespace bench
