// Passes whose batches are read by groups of neighbouring lanes.
#pragma once

#include <cstdint>

#include "multifold/plan.hpp"

namespace multifold::inline v0_1::detail {

/// What a group is worth, and takes.
struct group_needs {
  std::int64_t warp_bytes;               // of shared memory; 0 for groups that gather in registers
  std::int64_t least_lanes, most_lanes;  // for a batch: more than the least only if SMs would be idle
  std::int64_t elements_a_lane;          // that a part is worth, at least
  std::int64_t most_blocks = 32;         // of an SM: what it has registers for
};

/// A pass over the batches of `form` that is not laid out yet.
pass blank_pass(const batches& form, const plan_options& options, const engine_traits& engine);

/// Gives `p` its groups, parts and grid.
void lay_out_groups(pass& p, const group_needs& needs, const plan_options& options, const engine_traits& engine);

}  // namespace multifold::inline v0_1::detail
