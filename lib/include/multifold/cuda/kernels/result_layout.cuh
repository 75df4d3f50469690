// Where results stand: kernels number batches along memory, and the axes of the results have their own order.
#pragma once

#include <cstdint>

#include "multifold/array.hpp"
#include "multifold/cuda/kernels/strided.cuh"
#include "multifold/error.hpp"

namespace multifold::cuda::kernels {

/// Runs of results, slowest first.
struct result_layout {
  static constexpr int most = 8;
  int count;
  std::int64_t extent[most], stride[most];

  /// The place of the result of `batch`.
  __device__ std::int64_t at(std::int64_t batch) const { return offset_in(extent, stride, count, batch); }
};

/// The layout of the results of `form`, in as few runs as there can be.
/// Throws: unsupported_error for more runs than kernels take.
inline result_layout layout_of(const batches& form) {
  result_layout layout{};
  for (const run& r : form.kept) {
    const int last = layout.count - 1;
    if (layout.count > 0 && layout.stride[last] == r.result_stride * r.extent) {
      layout.extent[last] *= r.extent;
      layout.stride[last] = r.result_stride;
      continue;
    }
    if (layout.count == result_layout::most) throw unsupported_error("the kept axes take too many runs of results");
    layout.extent[layout.count] = r.extent;
    layout.stride[layout.count++] = r.result_stride;
  }
  return layout;
}

}  // namespace multifold::cuda::kernels
