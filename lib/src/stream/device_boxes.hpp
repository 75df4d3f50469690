// Chunks of a dense array as reductions that the GPU engine can plan: one box after the other, in memory order.
#pragma once

#include <cstdint>

#include "host/nest.hpp"
#include "multifold/plan.hpp"

namespace multifold::stream {

/// A box of the array: its own small reduction, and where its results belong.
struct device_box {
  batches form;               // offsets count from the first element of the whole array
  std::int64_t first_result;  // accumulators are numbered like the results of the whole
  std::int64_t first_index;   // in its batch, of the first element
};

/// Whether boxes of `form` keep a pattern that chunks can be cut along: rows and columns do, strided arrays do not.
bool streams_to_device(const batches& form);

device_box box_of(const host::nest& n, const host::box& b);

/// Calls `emit(device_box)` for the boxes that elements `range` (in memory order) consist of.
template <class Emit>
void boxes_of(const host::nest& n, host::interval range, const Emit& emit) {
  if (n.all.empty()) return emit(box_of(n, host::whole(n)));  // a single element
  host::cut(n, n.all, range, host::whole(n), [&](const host::box& b) { emit(box_of(n, b)); });
}

}  // namespace multifold::stream
