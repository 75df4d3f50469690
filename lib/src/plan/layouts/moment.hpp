// The passes of norms, dot products, variances and descriptions on the GPU: tiles, or a single pass whose parts meet in
// words, and another look at what those leave.
#pragma once

#include <optional>

#include "multifold/plan.hpp"
#include "multifold/plan/recipe.hpp"
#include "plan/layouts/lane_walk.hpp"
#include "plan/tuning.hpp"

namespace multifold::inline v0_1::detail {

/// Whether `what` is planned here.
bool has_moment_layout(const reduction& what, const engine_traits& engine);

/// Gives `p` its passes. Throws: unsupported_error if `options` forces another kind of chain.
void lay_out_moments(plan& p, const plan_options& options);

/// Another look at batches of `form`.
pass moments_again(const reduction& what, const batches& form, const plan_options& options,
                   const engine_traits& engine);

/// How moments are taken in one look, up to results, whatever the passes are: rows by part_sums, anything else, and exact sums,
/// by part_lanes.
struct moment_parts {
  step_kind kind;
  std::int64_t blocks;
  std::int64_t meetings = 0, counters = 0;  // parts that meet in memory, and what counts them
  int team = 0;         // part_sums: a block's threads that have a row at a time; all, where blocks share rows
  lane_walk walk = {};  // part_lanes
};
/// Nothing if they are read by other kernels.
std::optional<moment_parts> parts_of_moments(const plan& p, recipe_end end);

/// Whether lanes take moments of so many arrays, of elements of `item` bytes, by kernels that there are then.
constexpr bool has_lanes(bool floating_point, std::int64_t arrays, std::int64_t item) noexcept {
  return floating_point || arrays * item >= tuning::least_integer_lane_bytes;
}

/// Of lanes that go through batches.
moment_parts parts_of(const lane_walk& walk, const engine_traits& engine);

/// Bytes of a part, of moments or of an exact sum.
std::int64_t moment_part_bytes(const reduction& what);

/// Bytes of what parts of a batch meet in, and of the extremes of a part.
std::int64_t moment_word_bytes(const reduction& what);
std::int64_t extremes_bytes(const reduction& what);

}  // namespace multifold::inline v0_1::detail
