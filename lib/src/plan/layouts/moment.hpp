// The passes of norms, dot products, variances and descriptions on the GPU: tiles, or a single pass whose parts meet in
// words, and another look at what those leave.
#pragma once

#include <optional>

#include "multifold/plan.hpp"
#include "multifold/recipe.hpp"

namespace multifold::detail {

/// Whether `what` is planned here.
bool has_moment_layout(const reduction& what, const engine_traits& engine);

/// Gives `p` its passes. Throws: unsupported_error if `options` forces another kind of chain.
void lay_out_moments(plan& p, const plan_options& options);

/// Another look at batches of `form`.
pass moments_again(const reduction& what, const batches& form, const plan_options& options,
                   const engine_traits& engine);

/// How part_sums reads the rows of a plan: by teams of a block's threads, of which each has a row at a time, or by whole
/// blocks, which share rows.
struct moment_parts {
  int team;
  std::int64_t blocks;

  /// Parts of rows that are not whole: of blocks, the first one and the last one.
  std::int64_t meetings() const { return team == part_threads ? 2 * blocks : 0; }
};
/// Nothing if they are read by another kernel.
std::optional<moment_parts> parts_of_moments(const plan& p, recipe_end end);

/// Bytes of a part of part_sums.
std::int64_t moment_part_bytes(const reduction& what);

/// Bytes of what parts of a batch meet in, and of the extremes of a part.
std::int64_t moment_word_bytes(const reduction& what);
std::int64_t extremes_bytes(const reduction& what);

}  // namespace multifold::detail
