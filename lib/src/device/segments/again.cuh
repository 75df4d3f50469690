// Segments that the first look has lost, as the batches of groups of lanes.
#pragma once

#include "device/exact/lane_groups.cuh"
#include "device/segments/bounds.cuh"

namespace multifold::cuda::segments {

template <storage_type T>
void read_again(exact::grouped_batches<T>& args, const segment_call& c) {
  args.x = static_cast<const std::byte*>(c.data.x);
  args.y = takes_two_arrays(c.what.op) ? static_cast<const std::byte*>(c.data.y) : args.x;
  args.element = c.what.input;
  args.group = c.again.group;
  args.runs.reduced_count = 1;
  args.runs.reduced_stride[0] = 1;
  args.shape = {c.count, {0, nullptr}, c.again.parts, 0};
  args.only = c.lost;
  args.bounds = bounds_of(c);
}

}  // namespace multifold::cuda::segments
