// What exact sums need of a plan: passes of their own over long rows, and one over batches that others lose.
#pragma once

#include <cstdint>

#include "multifold/plan.hpp"
#include "plan/layouts/moment.hpp"

namespace multifold::inline v0_1::detail {

/// Makes `p`, a pass of block rows, one of exact rows or exact blocks, if that serves the reduction better and options
/// leave it open.
void prefer_exact_kernels(pass& p, const reduction& what, const plan_options& options, const engine_traits& engine);

/// How the parts of long rows that have kernels of their own come together.
finish finish_of_rows(const reduction& what);

/// Whether parts of such rows, but of f64, take some of their tiles from counters.
bool claims_tiles(const reduction& what, const pass& p);

/// Bytes of what parts of a batch meet in.
std::int64_t exact_word_bytes(const reduction& what);

/// Bytes of a partial result of `first`, in the workspace.
std::int64_t partial_bytes(const reduction& what, const pass& first);

/// A pass over batches of `form` that others lose.
pass sums_again(const reduction& what, const batches& form, const engine_traits& engine);

/// How lanes take sums in one look, up to plain results; nothing if they are taken by other kernels.
std::optional<moment_parts> parts_of_sums(const plan& p, recipe_end end);

/// Adds the pass over batches that the first one of `p` may lose.
void add_again(plan& p);

}  // namespace multifold::inline v0_1::detail
