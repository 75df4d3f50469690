// One value out of those of parts of an array. Private to the API.
#pragma once

#include <functional>
#include <vector>

#include "multifold/reduce.hpp"

namespace multifold::inline v0_1::detail {

/// Reduces the parts of an array by themselves, and makes one result of theirs.
class joined_parts {
 public:
  /// Throws: unsupported_error if the value of the whole does not follow from those of parts.
  joined_parts(op_kind op, dtype input, const reduce_options& options);

  /// What each part is to be reduced with, over all its axes.
  const reduce_options& options() const noexcept { return for_parts_; }

  /// The whole's result. What tells of the run is the first part's, but for the sums of elements and bytes.
  reduce_result join(const std::vector<reduce_result>& parts) const;

 private:
  op_kind op_;
  reduce_options whole_, for_parts_;
  bool by_states_;
};

/// Runs work(0) to work(count - 1), each in a thread. Throws what the first of them that failed threw; the others are
/// asked to stop by the signal that they are given, which also asks `stop`.
void run_lanes(std::size_t count, const stop_signal& stop,
               const std::function<void(std::size_t lane, const stop_signal& stop)>& work);

/// What describes the run of several parts: elements, bytes and time, and devices by name.
void add_run_of(const std::vector<reduce_result>& parts, reduce_result& to);

}  // namespace multifold::inline v0_1::detail
