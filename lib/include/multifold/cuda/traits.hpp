// The GPUs of this machine, as plans see them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "multifold/export.hpp"
#include "multifold/plan.hpp"

namespace multifold::inline v0_1::cuda {

/// Traits of one device; -1 is the current one. Throws: cuda_error if there is none.
MULTIFOLD_EXPORT engine_traits device_traits(int device = -1);

/// What the driver says of a device.
struct device_info {
  std::string name;
  int multiprocessors = 0;
  int compute_major = 0;
  int compute_minor = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t block_shared_bytes = 0;  // shared memory: of a block at most, and of all blocks of an SM
  std::int64_t unit_shared_bytes = 0;
  int index = 0;                          // CUDA's number for it
  int unit_threads = 0, unit_blocks = 0;  // that an SM holds at most
  double memory_rate = 0;                 // in bytes a second; 0 if it does not tell
};

/// The devices that this build can have kernels for, of the compute capabilities it is built for and newer ones.
/// Returns an empty list, and says why in `reason`, where there is no driver, no device or none of these.
/// Cost: some milliseconds; no device is opened.
MULTIFOLD_EXPORT std::vector<device_info> devices(std::string& reason);

/// Whether kernels of this build do run on the current device. If not, `reason` says why: "NVIDIA A100 has compute
/// capability 8.0, and the kernels of this build are for 9.0: ...".
/// Cost: opens the device, which takes a third of a second the first time.
MULTIFOLD_EXPORT bool has_kernels(std::string& reason);

}  // namespace multifold::inline v0_1::cuda
