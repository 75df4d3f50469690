// The passes of norms, dot products, variances and descriptions on the GPU: tiles and another look at what they are not
// certain of, or a single pass, whose parts meet in words.
#pragma once

#include "multifold/plan.hpp"

namespace multifold::detail {

/// Whether `what` is planned here.
bool has_moment_layout(const reduction& what, const engine_traits& engine);

/// Gives `p` passes of tiles, and one that reads again what those leave. False, and nothing is changed, where others
/// are faster or forced.
bool lay_out_moment_tiles(plan& p, const plan_options& options);

/// The only pass. Throws: unsupported_error if `options` forces another kind of chain.
pass moment_pass(const reduction& what, const batches& form, const plan_options& options, const engine_traits& engine);

/// Bytes of what parts of a batch meet in, and of the extremes of all parts of `first`.
std::int64_t moment_word_bytes(const reduction& what);
std::int64_t moment_mark_bytes(const reduction& what, const pass& first);

}  // namespace multifold::detail
