// A thread that has nothing to do with the captures of others.
#pragma once

#include <cuda_runtime_api.h>

#include "multifold/cuda/error.hpp"

namespace multifold::inline v0_1::cuda {

/// While it lives, this thread may allocate memory and ask for events whatever other threads capture. Otherwise CUDA
/// refuses that while any thread captures in global mode, and breaks its capture. The destructor is silent.
class relaxed_capture_mode {
 public:
  relaxed_capture_mode() { check(cudaThreadExchangeStreamCaptureMode(&other_)); }
  relaxed_capture_mode(const relaxed_capture_mode&) = delete;
  relaxed_capture_mode& operator=(const relaxed_capture_mode&) = delete;
  ~relaxed_capture_mode() { cudaThreadExchangeStreamCaptureMode(&other_); }

 private:
  cudaStreamCaptureMode other_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace multifold::inline v0_1::cuda
