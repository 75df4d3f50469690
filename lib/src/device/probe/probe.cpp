#include "device/probe/probe.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "multifold/cuda/error.hpp"

namespace multifold::inline v0_1::cuda::detail {
namespace {

std::string version(int capability) { return std::to_string(capability / 10) + "." + std::to_string(capability % 10); }

int capability_of(const device_info& device) { return device.compute_major * 10 + device.compute_minor; }

// What CUDA says of a kernel that is in the program, but not in a form for this device.
bool is_lack_of_kernels(cudaError_t code) {
  return code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction ||
         code == cudaErrorInvalidKernelImage || code == cudaErrorInvalidPtx || code == cudaErrorUnsupportedPtxVersion ||
         code == cudaErrorJitCompilerNotFound || code == cudaErrorJitCompilationDisabled;
}

}  // namespace

bool may_run(const device_info& device, std::span<const int> architectures) {
  return std::any_of(architectures.begin(), architectures.end(),
                     [&](int each) { return each <= capability_of(device); });
}

std::string without_kernels(const device_info& device, std::span<const int> architectures) {
  std::string built;
  for (const int each : architectures) built += (built.empty() ? "" : ", ") + version(each);
  return device.name + " has compute capability " + version(capability_of(device)) +
         ", and the kernels of this build are for " + built +
         ": configure it with MULTIFOLD_CUDA_ARCHITECTURES=" + std::to_string(capability_of(device));
}

bool runs(const void* kernel, const device_info& device, std::string& reason) {
  int current = 0;
  check(cudaGetDevice(&current));
  cudaFuncAttributes found{};
  cudaError_t code = current == device.index ? cudaSuccess : cudaSetDevice(device.index);
  if (code == cudaSuccess) code = cudaFuncGetAttributes(&found, kernel);
  forget(code);
  if (current != device.index) check(cudaSetDevice(current));
  if (code == cudaSuccess) return true;
  reason = is_lack_of_kernels(code) ? without_kernels(device, compiled_architectures()) + " (CUDA says: "
                                    : device.name + " cannot be used (CUDA says: ";
  reason += std::string(cudaGetErrorString(code)) + ")";
  return false;
}

}  // namespace multifold::inline v0_1::cuda::detail
