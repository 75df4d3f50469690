// How many threads share a run of a tile.
#pragma once

#include "multifold/plan.hpp"

namespace multifold::inline v0_1::detail {

/// What runs are of: elements of `item` bytes, a tile having all of a batch if `whole`, and columns of a thread being
/// neighbours if `by_words`.
struct dealt_runs {
  std::int64_t item;
  bool whole, by_words;
};

/// Sets `p.group`, `p.vector`, which is the most columns a thread takes, and `p.box.turned`, of boxes of whole batches.
void deal_threads(pass& p, const tiled_array& of, const reduction& what, const dealt_runs& each);

}  // namespace multifold::inline v0_1::detail
