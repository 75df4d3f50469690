// What the CUDA runtime says of the devices of this machine.
#include "multifold/cuda/traits.hpp"

#include <cuda_runtime_api.h>

#include <map>
#include <mutex>

#include "multifold/cuda/error.hpp"

namespace multifold::cuda {
namespace {

device_info ask(int device) {
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

// A full property query takes about a millisecond, and devices do not change: each is asked once.
const device_info& info_of(int device) {
  static std::mutex mutex;
  static std::map<int, device_info> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(device);
  return found != known.end() ? found->second : known.emplace(device, ask(device)).first->second;
}

}  // namespace

engine_traits device_traits(int device) {
  if (device < 0) check(cudaGetDevice(&device));
  engine_traits traits = h200_traits();
  const device_info& info = info_of(device);
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
