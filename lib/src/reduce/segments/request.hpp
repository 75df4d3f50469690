// What the caller wants of segments, checked and completed, for either engine. Private to the API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/segments/segments.hpp"
#include "multifold/segments.hpp"

namespace multifold::inline v0_1::detail {

struct segment_request {
  reduction what;
  accuracy achieved;
  operands data = operands(nullptr);  // where `where` says
  place where;
  segments of;
  std::int64_t axis, extent;  // what segments cut
  // Of one segment that takes the whole axis, and steps from its results to the next one's: see host::segment_work.
  batches form;
  std::int64_t result_step;
  std::vector<std::int64_t> result_extents;
  std::int64_t results;       // of all segments
  std::span<std::byte> into;  // where the caller wants them, or nothing
  bool keep_state = false, only_state = false;

  host::segment_bounds bounds() const {
    return {static_cast<const std::byte*>(of.begins), static_cast<const std::byte*>(of.ends), of.type, of.count};
  }
};

/// Throws shape_error or unsupported_error unless `view` is a list: one axis of i32 or i64, neighbours with an address.
void check_list_view(const char* what, const array_view& view);

/// `y` is null for operations that take one array. Reads no memory.
/// Throws: shape_error for an axis that does not fit, and for a list without an address; unsupported_error for options
/// that have no
///         meaning for segments, or contradict each other.
segment_request make_segment_request(op_kind op, const array_view& x, const array_view* y, const segments& of,
                                     const reduce_options& options);

/// Where segments are in host memory: what there is to do for them, or shape_error for the first that is not within the
/// axis, or has no value.
host::segment_census checked_census(const segment_request& r, int threads);

/// A result that has room for the values, and says all but which engine it was, and how long that took.
reduce_result segment_result(const segment_request& r, const host::segment_census& census);

/// From records in `result` to their state, and to the values, unless the state alone is wanted.
void keep_segments_state(const segment_request& r, reduce_result& result);

}  // namespace multifold::inline v0_1::detail
