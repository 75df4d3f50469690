// CUDA runtime errors as exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include <source_location>
#include <string>

#include "multifold/error.hpp"

namespace multifold::cuda {

/// Throws cuda_error if `code` is a failure; the message has CUDA's words and the place of the call. Whatever there is
/// no memory for, and be it a stream, is out_of_memory: that leaves no error behind in CUDA.
inline void check(cudaError_t code, std::source_location where = std::source_location::current()) {
  if (code == cudaSuccess) return;
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw out_of_memory(std::string("CUDA has no memory left for what it needs itself, in ") + where.function_name() +
                        ": free some of the device's, or use the host engine");
  }
  throw cuda_error(std::string("CUDA: ") + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ") in " +
                       where.function_name(),
                   static_cast<int>(code));
}

}  // namespace multifold::cuda
