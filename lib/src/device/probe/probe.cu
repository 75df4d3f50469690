// What only the compiler of kernels knows.
#include "device/probe/probe.hpp"

namespace multifold::inline v0_1::cuda::detail {
namespace {

__global__ void probe() {}

constexpr int architectures[] = {__CUDA_ARCH_LIST__};  // 900 for 9.0

struct as_capabilities {
  constexpr as_capabilities() {
    for (std::size_t i = 0; i < std::size(architectures); ++i) values[i] = architectures[i] / 10;
  }
  int values[std::size(architectures)] = {};
};

constexpr as_capabilities capabilities;

}  // namespace

const void* probe_kernel() { return reinterpret_cast<const void*>(&probe); }

std::span<const int> compiled_architectures() { return capabilities.values; }

}  // namespace multifold::inline v0_1::cuda::detail
