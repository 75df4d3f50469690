// CUDA runtime errors as exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include <source_location>
#include <string>

#include "multifold/error.hpp"

namespace multifold::inline v0_1::cuda {

/// Takes `code`, which a call has just returned, out of CUDA's last error, so that who looks there next does not meet
/// it again. What another call has left there stays, and so does what CUDA does not forget: faults of kernels.
inline void forget(cudaError_t code) noexcept {
  if (code != cudaSuccess && cudaPeekAtLastError() == code) cudaGetLastError();
}

/// Throws cuda_error if `code` is a failure; the message has CUDA's words and the place of the call. Whatever there is
/// no memory for, and be it a stream, is out_of_memory. The exception is all that is left of the error: see forget.
inline void check(cudaError_t code, std::source_location where = std::source_location::current()) {
  if (code == cudaSuccess) return;
  forget(code);
  if (code == cudaErrorMemoryAllocation) {
    throw out_of_memory(std::string("CUDA has no memory left for what it needs itself, in ") + where.function_name() +
                        ": free some of the device's, or use the host engine");
  }
  throw cuda_error(std::string("CUDA: ") + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ") in " +
                       where.function_name(),
                   static_cast<int>(code));
}

}  // namespace multifold::inline v0_1::cuda
