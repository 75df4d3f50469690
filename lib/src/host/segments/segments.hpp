// Segments of an array in host memory, each to results of its own: ragged rows, as many as there are, however long.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/engine.hpp"
#include "host/segments/census.hpp"
#include "multifold/array.hpp"
#include "multifold/reduction.hpp"

namespace multifold::inline v0_1::host {

struct segment_work {
  const reduction* what;
  operands data;
  // Of one segment of `length` elements along the axis, which are those at `data`; element 0 of the axis is `offset`
  // elements from there. The axis is the only reduced run, with an extent of 2 or more whatever there is, and kept runs
  // have their places among the results of a segment as result strides.
  batches form;
  std::int64_t result_step;  // from a segment's first result to the next segment's
  segment_bounds of;
  void* results;
  std::int64_t before = 0;  // segments of the same list that others reduce: errors tell numbers among all

  std::int64_t results_a_segment() const { return form.results(); }
};

/// Reduces every segment of the array at `data`, or of two, whatever its strides and alignment.
/// Shapes:   `census` is of these segments, none of which is bad; `results` holds of.count * results_a_segment().
/// Memory:   accumulators of some segments a thread, and of the parts of those that are so long that several threads
///           share them; 16 bytes for 512 segments.
/// Numerics: the same bits for any number of threads, and any neighbours of a segment.
/// Throws:   overflow_error, shape_error, cancelled_error, out_of_memory; `results` is then unspecified.
/// Cost:     reads each element of each segment once. Threads share elements and segments alike, so it does not matter
///           how long which are.
void run_segments(const segment_work& work, const segment_census& census, const run_options& options = {});

}  // namespace multifold::inline v0_1::host
