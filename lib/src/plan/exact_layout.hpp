// What exact sums need of a plan beside its passes: long rows of their own, and room for batches to be added again.
#pragma once

#include <cstdint>

#include "multifold/plan.hpp"

namespace multifold::detail {

/// Makes `p`, a pass of block rows, one of exact rows or exact blocks, if that serves the reduction better and options
/// leave it open.
void prefer_exact_kernels(pass& p, const reduction& what, const plan_options& options, const engine_traits& engine);

/// Bytes of a partial result of `first`, in the workspace.
std::int64_t partial_bytes(const reduction& what, const pass& first);

/// Workspace for what the first pass of `p` may leave to be added again.
std::int64_t again_bytes(const plan& p);

/// Adds the pass over batches that the first one of `p` may lose, and what either needs.
void prepare_again(plan& p);

}  // namespace multifold::detail
