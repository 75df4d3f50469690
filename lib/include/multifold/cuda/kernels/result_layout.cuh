// Where kernels write results that do not wait: batches are numbered along memory, and the axes of the results have
// their own order.
#pragma once

#include <cstdint>
#include <vector>

#include "multifold/array.hpp"
#include "multifold/cuda/kernels/strided.cuh"
#include "multifold/error.hpp"
#include "multifold/placement.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// Runs of results, slowest first.
struct result_layout {
  static constexpr int most = most_result_runs;
  int count;
  std::int64_t extent[most], stride[most];

  /// The place of the result of `batch`.
  __device__ std::int64_t at(std::int64_t batch) const { return offset_in(extent, stride, count, batch); }
};

/// Results in the order of their batches.
inline result_layout layout_in_order(std::int64_t results) { return {1, {results}, {1}}; }

/// The layout of the results of `form`, in as few runs as there can be.
/// Throws: unsupported_error for more runs than kernels take.
inline result_layout layout_of(const batches& form) {
  result_layout layout{};
  for (const run& r : result_runs(form)) {
    if (layout.count == result_layout::most) throw unsupported_error("the kept axes take too many runs of results");
    layout.extent[layout.count] = r.extent;
    layout.stride[layout.count++] = r.result_stride;
  }
  return layout;
}

}  // namespace multifold::inline v0_1::cuda::kernels
