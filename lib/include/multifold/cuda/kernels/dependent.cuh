// Programmatic dependent launch: a kernel that is started while the one in front of it still runs, and waits for it
// itself. What it takes to be started is then hidden. Compiled for GPUs before Hopper, none of this does anything, and
// starts_early (work_queue.hpp) sees that no such kernel is started early, whatever GPU it runs on.
#pragma once

namespace multifold::inline v0_1::cuda::kernels {

/// Once every block of this kernel has called it, or ended, the next kernel may be started, if it was launched to be.
__device__ inline void let_next_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Until the kernel in front has ended, and what it wrote can be read. A kernel that may be started early calls it in
/// every thread before anything else, for the kernel behind it counts on both.
__device__ inline void wait_for_previous() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace multifold::inline v0_1::cuda::kernels
