// What the CUDA runtime says of the devices of this machine.
#include "multifold/cuda/traits.hpp"

#include <cuda_runtime_api.h>

#include "multifold/cuda/error.hpp"

namespace multifold::cuda {
namespace {

device_info info_of(int device) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, device));
  device_info info;
  info.name = properties.name;
  info.multiprocessors = properties.multiProcessorCount;
  info.compute_major = properties.major;
  info.compute_minor = properties.minor;
  info.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  info.l2_bytes = properties.l2CacheSize;
  return info;
}

}  // namespace

engine_traits device_traits(int device) {
  if (device < 0) check(cudaGetDevice(&device));
  // A name costs a full property query (tens of microseconds), so devices are asked once.
  engine_traits traits = h200_traits();
  const device_info info = info_of(device);
  traits.name = info.name;
  traits.units = info.multiprocessors;
  return traits;
}

std::vector<device_info> devices(std::string& reason) {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess) {
    cudaGetLastError();
    reason = std::string("CUDA says: ") + cudaGetErrorString(code);
    return {};
  }
  if (count == 0) reason = "there is no CUDA device";
  std::vector<device_info> all;
  for (int i = 0; i < count; ++i) all.push_back(info_of(i));
  return all;
}

}  // namespace multifold::cuda
