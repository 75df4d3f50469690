// Which batches are read in tiles, and in what boxes.
#pragma once

#include "multifold/plan.hpp"

namespace multifold::detail {

/// Whether options leave everything open that tiles decide, and the engine has the memory for them.
bool tiles_are_open(const reduction& what, const plan_options& options, const engine_traits& engine);

/// Makes `p` a pass of tiles over `of`, or over `arrays` arrays of that shape, whose elements, of the input or
/// accumulators, have `item` bytes. All but the grid.
void lay_out_tiles(pass& p, const tiled_array& of, std::int64_t item, int arrays, const reduction& what,
                   const engine_traits& engine);

/// Makes `p`, a first pass, one of tiles, if that serves the reduction better and options leave everything open.
void prefer_tiles(pass& p, const reduction& what, const batches& form, const plan_options& options,
                  const engine_traits& engine);

}  // namespace multifold::detail
