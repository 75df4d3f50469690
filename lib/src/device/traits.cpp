// What the CUDA runtime says of the devices of this machine.
#include "multifold/cuda/traits.hpp"

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>

#include "device/probe/probe.hpp"
#include "multifold/cuda/error.hpp"
#include "plan/tuning.hpp"

namespace multifold::inline v0_1::cuda {
namespace {

// What the pins can bring: a rate of transfers, two of them a cycle, and a width in bits. Some virtual GPUs do not
// tell.
double memory_rate(int device) {
  int kilohertz = 0, bits = 0;
  cudaError_t code = cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, device);
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device);
  forget(code);
  return code == cudaSuccess ? 2e3 * kilohertz * bits / 8 : 0;
}

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
  info.block_shared_bytes = static_cast<std::int64_t>(properties.sharedMemPerBlockOptin);
  info.unit_shared_bytes = static_cast<std::int64_t>(properties.sharedMemPerMultiprocessor);
  info.unit_threads = properties.maxThreadsPerMultiProcessor;
  info.unit_blocks = properties.maxBlocksPerMultiProcessor;
  info.memory_rate = memory_rate(device);
  info.index = device;
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
  const device_info& info = info_of(device);
  engine_traits traits = multifold::detail::tuning::traits_of_gpu(info.multiprocessors, info.unit_threads);
  traits.name = info.name;
  traits.block_shared_bytes = info.block_shared_bytes;
  traits.unit_shared_bytes = info.unit_shared_bytes;
  traits.unit_blocks = info.unit_blocks;
  traits.memory_rate = info.memory_rate;
  return traits;
}

std::vector<device_info> devices(std::string& reason) {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  forget(code);
  if (code != cudaSuccess) {
    reason = std::string("CUDA says: ") + cudaGetErrorString(code);
    return {};
  }
  if (count == 0) reason = "there is no CUDA device";
  std::vector<device_info> all;
  for (int i = 0; i < count; ++i) {
    const device_info& info = info_of(i);
    if (detail::may_run(info, detail::compiled_architectures())) all.push_back(info);
    else reason = detail::without_kernels(info, detail::compiled_architectures());
  }
  if (!all.empty()) reason.clear();
  return all;
}

bool has_kernels(std::string& reason) {
  // Asked in front of every reduction: what is known costs no lock.
  static std::atomic<std::uint64_t> known{0};
  int device = 0;
  const cudaError_t code = cudaGetDevice(&device);
  const std::uint64_t bit = code == cudaSuccess && device < 64 ? UINT64_C(1) << device : 0;
  if ((known.load(std::memory_order_relaxed) & bit) != 0) return true;
  forget(code);
  if (devices(reason).empty()) return false;
  check(cudaGetDevice(&device));
  if (!detail::runs(detail::probe_kernel(), info_of(device), reason)) return false;
  known |= bit;
  return true;
}

}  // namespace multifold::inline v0_1::cuda
