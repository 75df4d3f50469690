// Reduced axes that have kept ones between them: a pass of tiles for each of them.
#pragma once

#include "multifold/plan.hpp"

namespace multifold::inline v0_1::detail {

/// Whether batches lie in memory in another order than in (outer, length, inner).
bool is_for_chains(const batches& form);

/// Gives `p` the passes for its form, and the form the order in which they number its batches: along memory. False,
/// and nothing is changed, where options or the gaps of the array leave no such passes.
bool lay_out_chain(plan& p, const plan_options& options);

/// Appends passes of tiles that merge the parts of the last one.
void append_merges(plan& p);

}  // namespace multifold::inline v0_1::detail
