// thrust::reduce as a user calls it: temporary memory, the reduction, and the value on the host.
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include <cstring>

#include "device/peers/peers.hpp"

namespace bench {

template <class In, class Out>
cudaError_t thrust_sum(peer_job& job) {
  const auto* const in = static_cast<const In*>(job.in);
  if (job.temp == nullptr) {
    job.temp_bytes = 256;  // it allocates its own
    return cudaSuccess;
  }
  const Out value = thrust::reduce(thrust::cuda::par.on(job.stream), in, in + job.length, Out{});
  static_assert(sizeof(value) <= sizeof(job.host_result));
  std::memcpy(job.host_result, &value, sizeof(value));
  job.on_host = true;
  return cudaSuccess;
}

template cudaError_t thrust_sum<float, float>(peer_job&);
template cudaError_t thrust_sum<double, double>(peer_job&);
template cudaError_t thrust_sum<std::int32_t, std::int64_t>(peer_job&);
template cudaError_t thrust_sum<std::int64_t, std::int64_t>(peer_job&);

}  // namespace bench
