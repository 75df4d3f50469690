// How code that runs on the CPU and on the GPU refuses: an exception there, a trap here.
#pragma once

#include "multifold/dtype.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::detail {

/// Throws Error on the CPU. A kernel stops with a launch failure: no engine gets there, and no wrong bits come out.
template <class Error>
MULTIFOLD_HD inline void refuse([[maybe_unused]] const char* message) {
#if defined(__CUDA_ARCH__)
  __trap();
#else
  throw Error(message);
#endif
}

}  // namespace multifold::inline v0_1::detail
