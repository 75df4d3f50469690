// The GPU's ways of reducing an array in the host's memory, whether or not this build and this machine have any.
#pragma once

#include <cstdint>
#include <vector>

#include "overlap/timeline.hpp"

namespace multifold::overlap {

struct device_measurement {
  std::int64_t bytes = INT64_C(1) << 30;  // of random f32 in pinned memory; whole chunks, and two at least
  std::int64_t chunk_bytes = INT64_C(16) << 20;
  std::vector<int> streams{2, 4};
  int threads = 0;  // of the CPU; 0: as many as this process may use
  int repeats = 3;
};

/// Sums the same numbers in every way, all to the same bits: copies and reductions one after the other, in streams, in
/// a graph, and without copies; then again with a reduction that takes as long as the copy. Empty without a GPU.
/// Memory: bytes of pinned memory and as many of ordinary memory; some chunks on the device.
/// Throws: cuda_error, out_of_memory, and std::runtime_error if two ways disagree.
std::vector<section> device_sections(const device_measurement& how);

}  // namespace multifold::overlap
