// The passes of norms, dot products, variances and descriptions on the GPU: tiles, or a single pass whose parts meet in
// words, and another look at what those leave.
#pragma once

#include "multifold/plan.hpp"

namespace multifold::detail {

/// Whether `what` is planned here.
bool has_moment_layout(const reduction& what, const engine_traits& engine);

/// Gives `p` its passes. Throws: unsupported_error if `options` forces another kind of chain.
void lay_out_moments(plan& p, const plan_options& options);

/// Another look at batches of `form`.
pass moments_again(const reduction& what, const batches& form, const plan_options& options,
                   const engine_traits& engine);

/// Bytes of what parts of a batch meet in, and of the extremes of a part.
std::int64_t moment_word_bytes(const reduction& what);
std::int64_t extremes_bytes(const reduction& what);

}  // namespace multifold::detail
