// The same reduction in several ways, each measured and traced.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "multifold/ops.hpp"
#include "multifold/source.hpp"
#include "overlap/timeline.hpp"

namespace multifold::overlap {

struct measurement {
  op_kind op = op_kind::sum;
  int threads = 0;  // 0: as many as this process may use
  int repeats = 3;
  std::string label;  // of the file, in the report; empty: its path
  std::stop_token stop;
};

/// Reduces the array in `path` in every way that this machine knows. All have to come to the same bits.
/// Memory: for the first way, all of the array.
/// Throws: what reduce throws, cancelled_error soon after `stop` was requested, unsupported_error for pipes and
///         devices, and std::runtime_error if two ways disagree.
section measure(const std::string& path, const std::optional<raw_options>& raw, const measurement& how);

}  // namespace multifold::overlap
