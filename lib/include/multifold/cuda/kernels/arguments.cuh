// What every pass kernel is told. Plain values: they travel as kernel parameters and are frozen into graphs.
#pragma once

#include <cstdint>

#include "multifold/array.hpp"
#include "multifold/policy.hpp"

namespace multifold::cuda::kernels {

/// A length that another kernel may say: `said` is null, or where in device memory it stands. One that is negative or
/// beyond the `most` that a plan is made for is nobody's: nothing is read then, and outputs say so.
struct device_length {
  std::int64_t most;
  const std::int64_t* said;

  __device__ bool in_range() const { return said == nullptr || (*said >= 0 && *said <= most); }
  __device__ operator std::int64_t() const { return said == nullptr ? most : in_range() ? *said : 0; }
};

/// Where the partial results of a pass go, and who merges them.
template <class Op>
struct partial_results {
  typename Op::accumulator* data;  // (batches, parts), or (batches) for finish::atomic
  unsigned* arrivals;              // one counter a batch (a tile of columns), zero before the pass
  finish how;
};

/// One pass over batches x parts.
template <class Op, class Output>
struct pass_arguments {
  Op op;
  Output output;
  partial_results<Op> partials;
  std::int64_t batches;
  device_length length;
  std::int64_t parts;
  std::int64_t tile;  // elements that a part takes in turn; part_length where parts are contiguous
  std::int64_t part_length;
  std::int64_t first_index;  // of the element at position 0: chunks of longer batches start later
  block_form form;
};

/// One part of one batch: positions [first, end), if parts are contiguous.
struct work_item {
  std::int64_t batch, part, first, end;
};

/// Item `number` of the batches x parts of a pass.
template <class Arguments>
__device__ work_item item_of(const Arguments& args, std::int64_t number) {
  const std::int64_t length = args.length;
  work_item item{number / args.parts, number % args.parts, 0, length};
  item.first = min(item.part * args.part_length, length);  // a resized plan may leave parts empty
  if (length - item.first > args.part_length) item.end = item.first + args.part_length;
  return item;
}

/// Runs of a strided array, fastest last, small enough for kernel parameters.
struct strided_runs {
  static constexpr int most = 8;
  int kept_count;
  int reduced_count;
  std::int64_t kept_extent[most], kept_stride[most];
  std::int64_t reduced_extent[most], reduced_stride[most];
};

}  // namespace multifold::cuda::kernels
