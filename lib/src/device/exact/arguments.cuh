// What the kernels of exact sums over long rows are told.
#pragma once

#include <cstdint>

#include "multifold/cuda/kernels/arguments.cuh"
#include "multifold/ops.hpp"

namespace multifold::inline v0_1::cuda::exact {

/// Rows of contiguous elements, cut into tiles that are dealt to the parts in turn.
template <class Output>
struct row_arguments {
  Output output;        // deliver(batch, exact_sum) once a batch
  std::int64_t* words;  // words<T>::count a part; of f64 a batch, zero before the pass; unused where parts == 1
  unsigned* claims;  // tiles of a batch that parts have asked for, zero before the pass; null if all are dealt in turn
  unsigned* arrivals;  // f64: one counter a batch, zero before the pass
  unsigned* marked;    // f64: parts of a batch with marked tiles, then two more counters; zero as well
  std::int64_t batches;
  kernels::device_length length;
  std::int64_t parts;
  std::int64_t row_stride;  // elements
  nan_policy nan;
  int steps;  // of vectors_in_flight vectors a thread, that a tile consists of
};

}  // namespace multifold::inline v0_1::cuda::exact
