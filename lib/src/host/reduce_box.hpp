// One box of an array into accumulators.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/fold.hpp"
#include "host/shape/nest.hpp"

namespace multifold::inline v0_1::host {

/// An array beside the first, with strides of its own (nest_loop::second_stride).
struct second_operand {
  const std::byte* data;  // its first element
  std::int64_t item;      // bytes of an element
  bool selects;           // elements are bool8, and those of the first array beside a zero take no part; else a pair
  bool indexed;           // the operation keeps the index of elements
  std::byte* space;       // of the thread: apart_space_bytes, aligned to a cache line
};

/// Where a box is read from and gathered.
struct box_memory {
  const std::byte* data;                   // element `origin`
  std::int64_t origin;                     // elements from the start of the array, whose first element is nest::offset
  std::byte* acc;                          // accumulator `first_acc`
  std::int64_t first_acc;                  // in the numbering of nest::kept
  std::ptrdiff_t other;                    // bytes from the first array to a second one; 0 if there is none
  std::int64_t first_index = 0;            // comes off the numbers of elements within their batches
  const second_operand* second = nullptr;  // instead of `other`, where the nest is a joint one
};

/// Merges every element of `b` into the accumulator of its batch.
void reduce_box(const fold& f, const nest& n, const box& b, const box_memory& memory);

/// How many elements each result is over: all over as many, or result i over `of[i]`.
struct element_counts {
  std::int64_t each;
  const std::int64_t* of = nullptr;
};

/// Accumulators [first, last) of nest::kept order become results at `results`.
outcome lower_range(const fold& f, const nest& n, const reduction& what, const std::byte* acc, interval range,
                    element_counts counts, std::byte* results);

}  // namespace multifold::inline v0_1::host
