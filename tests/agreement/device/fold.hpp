// Folds of random views by an operation of the user's own, as nvcc compiles them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <span>

#include "agreement/trial/trial.hpp"

namespace multifold::agreement {

/// Memory for a plan: results, and a workspace of so many bytes.
using fold_memory = std::function<std::span<std::byte>(std::int64_t bytes)>;

/// Folds the device array at `data` of 1, 2, 4 or 8 bytes an element on `stream`.
void fold_on_device(const trial& t, const std::byte* data, const fold_memory& results, const fold_memory& workspace,
                    cudaStream_t stream);

}  // namespace multifold::agreement
