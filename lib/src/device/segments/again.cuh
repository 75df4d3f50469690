// Segments that the first look has lost, as the batches of groups of lanes: those that are not much longer than the mean,
// and then the others, in parts.
#pragma once

#include "device/exact/lanes/lane_groups.cuh"
#include "device/segments/bounds.cuh"

namespace multifold::inline v0_1::cuda::segments {

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
  args.long_ones = {c.long_ones.list, c.long_ones.longest, c.long_ones.room};
}

/// Of the same arguments: those that were too long for it.
template <storage_type T>
void read_what_was_put_off(exact::grouped_batches<T>& args) {
  args.group = 32;
  args.shape = {args.long_ones.room, {0, nullptr}, parts_of_long, 0};
  args.only = nullptr;
  args.put_off = true;
}

}  // namespace multifold::inline v0_1::cuda::segments
