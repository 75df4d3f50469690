#include "places.hpp"

#include <cuda_runtime_api.h>

#include <string>

#include "multifold/cuda/error.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::graphs {

using cuda::check;

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device));
  return device;
}

// Memory of this device, or of the host if the device can read it.
void check_place(const char* what, const void* at, int device) {
  cudaPointerAttributes found{};
  check(cudaPointerGetAttributes(&found, at));
  if (found.type == cudaMemoryTypeUnregistered) {
    throw unsupported_error(std::string("the ") + what +
                            " lies in memory that CUDA does not know: a graph takes device memory, or pinned memory");
  }
  if (found.type == cudaMemoryTypeDevice && found.device != device) {
    throw unsupported_error(std::string("the ") + what + " lies on device " + std::to_string(found.device) +
                            ", and the graph is made on device " + std::to_string(device) +
                            ": copy it, or make the graph there");
  }
}

void check_places(const plan& p, const operands& data, const void* results, int device) {
  if (p.form.results() == 0) return;
  if (p.form.elements() > 0) {
    check_place("array", data.x, device);
    if (takes_two_arrays(p.what.op)) check_place("second array", data.y, device);
  }
  check_place("result", results, device);
}

}  // namespace multifold::inline v0_1::graphs
