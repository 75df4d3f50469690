// An array that two engines reduce together, and how it is cut so that results do not show where.
#pragma once

#include <cstdint>

#include "multifold/plan.hpp"
#include "stream/host/slices.hpp"
#include "stream/unit_queue.hpp"

namespace multifold::inline v0_1::stream {

/// Whether nothing is rounded before all parts are merged, so that bits do not tell how an array was cut.
bool same_in_any_order(const reduction& what);

/// Either units are whole slices, and every result is made by one engine alone. Or the array is a single slice that
/// stays open: each engine gathers its part of every result, and the GPU's accumulators are merged with the CPU's in
/// the end.
struct shared_array {
  /// `what` is same_in_any_order; `form` has elements.
  shared_array(const reduction& what, const batches& form);

  bool open;
  slices array;
  std::int64_t least;  // elements of a unit, but for the last one
  unit_queue units;
};

/// Whether accumulators that stay open, if there are any, take no more than a small part of what the array does.
bool merges_cheaply(const reduction& what, const batches& form);

/// Of `threads`, those that stage what is not pinned for the GPU, while the others reduce.
int threads_that_stage(int threads);

/// Elements of the units that engines ask for, if their chunks are no larger.
std::int64_t unit_elements(std::int64_t item);

}  // namespace multifold::inline v0_1::stream
