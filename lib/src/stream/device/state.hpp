// The state of an exact sum that was gathered on the GPU.
#pragma once

#include <cuda_runtime_api.h>

#include "multifold/reduction.hpp"

namespace multifold::inline v0_1::stream {

/// Copies one accumulator of `what`, in device memory, and saves it as a state at `out`. Waits for `stream`.
void save_device_state(const reduction& what, const void* accumulator, void* out, cudaStream_t stream);

}  // namespace multifold::inline v0_1::stream
