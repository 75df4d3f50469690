// The streams of a pipeline: one for each engine of a GPU that works beside the others.
#pragma once

#include <cuda_runtime_api.h>

#include "multifold/cuda/stream.hpp"

namespace multifold::inline v0_1::stream {

/// What is enqueued uses memory of the pipeline and of the caller, so the destructor waits for it.
struct device_streams {
  device_streams() = default;
  device_streams(device_streams&&) = delete;
  ~device_streams() {
    for (const cuda::stream* each : {&copies, &kernels, &back}) cudaStreamSynchronize(each->get());
  }

  cuda::stream copies, kernels, back;
};

}  // namespace multifold::inline v0_1::stream
