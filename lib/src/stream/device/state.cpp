// The accumulators of exact sums are exact_sum on both sides of the link, so their bits are all that travels.
#include "stream/device/state.hpp"

#include <type_traits>

#include "multifold/cuda/error.hpp"
#include "multifold/exact/blob.hpp"

namespace multifold::inline v0_1::stream {
namespace {

template <floating_storage T>
void save(const void* accumulator, void* out, cudaStream_t stream) {
  exact_sum<T> sum;
  static_assert(std::is_trivially_copyable_v<exact_sum<T>>);
  cuda::check(cudaMemcpyAsync(&sum, accumulator, sizeof sum, cudaMemcpyDeviceToHost, stream));
  cuda::check(cudaStreamSynchronize(stream));
  save_exact(sum, {static_cast<std::byte*>(out), exact_state_bytes<exact_traits<T>>});
}

}  // namespace

void save_device_state(const reduction& what, const void* accumulator, void* out, cudaStream_t stream) {
  visit_floating(what.input, [&]<class T>() { save<T>(accumulator, out, stream); });
}

}  // namespace multifold::inline v0_1::stream
