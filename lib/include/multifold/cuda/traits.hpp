// The GPUs of this machine, as plans see them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "multifold/plan.hpp"

namespace multifold::cuda {

/// Traits of one device; -1 is the current one. Throws: cuda_error if there is none.
engine_traits device_traits(int device = -1);

/// What the driver says of a device.
struct device_info {
  std::string name;
  int multiprocessors = 0;
  int compute_major = 0;
  int compute_minor = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;
};

/// Every device that kernels of this build run on, in CUDA's order.
/// Returns an empty list, and says why in `reason`, where there is no driver or no device.
std::vector<device_info> devices(std::string& reason);

}  // namespace multifold::cuda
