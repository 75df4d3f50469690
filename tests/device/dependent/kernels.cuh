// A kernel that writes late, and lets the next one start at once; and kernels that read what it wrote, compiled for
// this project's architectures and for an older one, whose code has no wait in it.
#pragma once

#include "multifold/cuda/kernels/dependent.cuh"

namespace multifold::device_tests {

using reader = void (*)(const int* written, int* seen);

/// What a reader sees, and the architecture that it was compiled for.
__device__ inline void read_behind(const int* written, int* seen) {
  cuda::kernels::wait_for_previous();
  seen[0] = *reinterpret_cast<const volatile int*>(written);
#if defined(__CUDA_ARCH__)
  seen[1] = __CUDA_ARCH__;
#endif
}

/// From older/reader.cu.
reader older_reader();

}  // namespace multifold::device_tests
