// Each way in which the GPU can reduce an array in the host's memory, as a function that does it once.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "overlap/device/station.hpp"
#include "overlap/device/trace.hpp"
#include "overlap/timeline.hpp"

namespace multifold::overlap {

/// The array, in chunks of one size.
struct chunked_array {
  const std::byte* data;
  std::int64_t bytes, chunk_bytes;

  std::int64_t chunks() const { return bytes / chunk_bytes; }
  std::int64_t elements() const { return bytes / static_cast<std::int64_t>(sizeof(float)); }
  chunk_of_array operator[](std::int64_t i) const { return {data + i * chunk_bytes, i, chunk_bytes}; }
};

/// Returns the sum, which is in the host's memory then.
using sum_once = std::function<float(device_trace&)>;

struct way {
  std::string name, about;
  part drawn = part::start;
  sum_once sum;
  sum_once traced = {};  // instead of `sum`, where that cannot be looked into
};

/// The ways share the array, which has to be pinned; `times` is a station's.
way one_after_the_other(const chunked_array& array, int times = 1);
way in_streams(const chunked_array& array, int streams, int times = 1);
way in_a_graph(const chunked_array& array);
way without_copies(const chunked_array& array);

/// By the library's engine of that name, with `threads` threads of the CPU.
way by_both_engines(const chunked_array& array, int threads);

/// Of an array that need not be pinned: `threads` threads copy chunks to pinned memory first.
way staged(const chunked_array& array, int threads);

}  // namespace multifold::overlap
