// One box of an array into accumulators.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/fold.hpp"
#include "host/nest.hpp"

namespace multifold::host {

/// Where a box is read from and gathered.
struct box_memory {
  const std::byte* data;         // element `origin`
  std::int64_t origin;           // elements from the start of the array, whose first element is nest::offset
  std::byte* acc;                // accumulator `first_acc`
  std::int64_t first_acc;        // in the numbering of nest::kept
  std::ptrdiff_t other;          // bytes from the first array to a second one; 0 if there is none
  std::int64_t first_index = 0;  // comes off the numbers of elements within their batches
};

/// Merges every element of `b` into the accumulator of its batch.
void reduce_box(const fold& f, const nest& n, const box& b, const box_memory& memory);

/// Accumulators [first, last) of nest::kept order become results at `results`, each over `count` elements.
outcome lower_range(const fold& f, const nest& n, const reduction& what, const std::byte* acc, interval range,
                    std::int64_t count, std::byte* results);

}  // namespace multifold::host
