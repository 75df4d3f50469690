// What the runtime knows of memory that kernels are to read.
#include <cuda_runtime_api.h>

#include <string>

#include "multifold/cuda/error.hpp"
#include "multifold/error.hpp"
#include "reduce/places.hpp"

namespace multifold::inline v0_1::detail {

void check_read_by_device(const char* what, const void* at) {
  const std::string who = what;
  int current = 0;
  cuda::check(cudaGetDevice(&current));
  cudaPointerAttributes found{};
  cuda::check(cudaPointerGetAttributes(&found, at));
  if (found.type == cudaMemoryTypeDevice && found.device != current) {
    throw unsupported_error(who + " on device " + std::to_string(found.device) + ", and the current device is " +
                            std::to_string(current) + ": call cudaSetDevice, or copy it");
  }
  if (found.type != cudaMemoryTypeUnregistered) return;
  int reads_all = 0;
  cuda::check(cudaDeviceGetAttribute(&reads_all, cudaDevAttrPageableMemoryAccess, current));
  if (reads_all != 0) return;
  throw unsupported_error(who +
                          " in memory that this device cannot read, and not in device memory as it is said to: "
                          "say place::host, or copy it to the device");
}

}  // namespace multifold::inline v0_1::detail
