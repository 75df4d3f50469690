// Which batches are read in tiles, and in what boxes.
#pragma once

#include "multifold/plan.hpp"

namespace multifold::detail {

/// Makes `p`, a first pass, one of tiles, if that serves the reduction better and options leave everything open.
void prefer_tiles(pass& p, const reduction& what, const batches& form, const plan_options& options,
                  const engine_traits& engine);

}  // namespace multifold::detail
