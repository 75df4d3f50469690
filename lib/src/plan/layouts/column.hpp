// Which batches are wide columns that threads walk down, and how these share them.
#pragma once

#include "multifold/plan.hpp"

namespace multifold::inline v0_1::detail {

/// Makes `p` a first pass of columns over `of`, if that serves the reduction: all but the grid. Returns whether it did.
bool lay_out_columns(pass& p, const tiled_array& of, const reduction& what, const engine_traits& engine);

/// What the blocks of a pass of columns on the GPU take in turn: a part of some columns each.
std::int64_t column_items(const pass& p);

}  // namespace multifold::inline v0_1::detail
