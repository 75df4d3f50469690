// What is wrong with memory that a caller gives.
#pragma once

#include <cstdint>
#include <string>

#include "multifold/error.hpp"

namespace multifold::inline v0_1::cuda {

/// Throws: shape_error, which names `what`, for a null pointer and for one that is not aligned to `boundary` bytes.
inline void check_memory(const char* what, const void* at, std::int64_t boundary) {
  if (at == nullptr) throw shape_error(std::string("the ") + what + " has no address: a null pointer was given");
  if (reinterpret_cast<std::uintptr_t>(at) % static_cast<std::uintptr_t>(boundary) == 0) return;
  throw shape_error(std::string("the ") + what + " is not aligned to " + std::to_string(boundary) + " bytes");
}

}  // namespace multifold::inline v0_1::cuda
