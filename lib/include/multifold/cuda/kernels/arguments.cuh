// What every pass kernel is told. Plain values: they travel as kernel parameters and are frozen into graphs.
#pragma once

#include <cstdint>

#include "multifold/array.hpp"
#include "multifold/cuda/kernels/extremes.cuh"
#include "multifold/plan/policy.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// A length that another kernel may say: `said` is null, or where in device memory it stands. One that is negative or
/// beyond the `most` that a plan is made for is invalid: nothing is read then, and outputs say so.
struct device_length {
  std::int64_t most;
  const std::int64_t* said;

  __device__ bool in_range() const { return said == nullptr || (*said >= 0 && *said <= most); }
  __device__ operator std::int64_t() const { return said == nullptr ? most : in_range() ? *said : 0; }
};

/// Where the partial results of a pass go, and who merges them.
template <class Op>
struct partial_results {
  finish how;
  typename Op::accumulator* data;  // (batches, parts), or (batches) for finish::atomic
  unsigned* arrivals;              // one counter a batch (a tile of columns), zero before the pass
};

/// One pass over batches x parts. Arguments come from memory line by line, so what is asked for first stands in front.
template <class Op, class Output>
struct pass_arguments {
  std::int64_t batches;
  std::int64_t parts;
  device_length length;
  std::int64_t tile;  // elements that a part takes in turn; part_length where parts are contiguous
  std::int64_t part_length;
  block_form form;
  partial_results<Op> partials;
  std::int64_t first_index;  // of the element at position 0: chunks of longer batches start later
  Op op;
  Output output;
};

/// One part of one batch: positions [first, end), if parts are contiguous.
struct work_item {
  std::int64_t batch, part, first, end;
};

/// Item `number` of the batches x parts of a pass whose batches have `length` elements.
template <class Arguments>
__device__ work_item item_of(const Arguments& args, std::int64_t number, std::int64_t length) {
  work_item item{number, 0, 0, length};
  if (args.parts > 1) {
    item = {0, number, 0, length};
    if (args.batches > 1) {  // two divisions are as many instructions as all the rest
      item.batch = number / args.parts;
      item.part = number % args.parts;
    }
  }
  item.first = min(item.part * args.part_length, length);  // a resized plan may leave parts empty
  if (length - item.first > args.part_length) item.end = item.first + args.part_length;
  return item;
}

/// Runs of a strided array, fastest last, small enough for kernel parameters. Runs have two elements or more, so arrays
/// with more of them have 2^33 results, or elements a result.
struct strided_runs {
  static constexpr int most = 32;
  int kept_count;
  int reduced_count;
  std::int64_t kept_extent[most], kept_stride[most];
  std::int64_t reduced_extent[most], reduced_stride[most];
};

}  // namespace multifold::inline v0_1::cuda::kernels
