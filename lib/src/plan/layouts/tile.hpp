// Which batches are read in tiles, and in what boxes.
#pragma once

#include "multifold/plan.hpp"

namespace multifold::inline v0_1::detail {

/// Whether options leave everything open that tiles decide, and the engine has the memory for them.
bool tiles_are_open(const reduction& what, const plan_options& options, const engine_traits& engine);

/// What tiles are made of: elements of `item` bytes, of one or two arrays, of which a thread takes so many columns
/// together; only of whole runs, and alone, if `whole`; neighbours in words if `by_words` (as in word_lanes.cuh).
struct tile_input {
  std::int64_t item;
  int arrays, columns;
  bool whole = false, by_words = false;
};
tile_input input_of_tiles(const reduction& what);

/// Makes `p` a pass of tiles over `of`. All but the grid.
void lay_out_tiles(pass& p, const tiled_array& of, const tile_input& from, const reduction& what,
                   const engine_traits& engine);

/// Makes `p` a first pass over `of`, of columns where those serve it, else of tiles. All but the grid.
void lay_out_first(pass& p, const tiled_array& of, const reduction& what, const plan_options& options,
                   const engine_traits& engine);

/// Makes `p`, a first pass, one of tiles or columns, if that serves the reduction better and options leave everything open.
void prefer_tiles(pass& p, const reduction& what, const batches& form, const plan_options& options,
                  const engine_traits& engine);

}  // namespace multifold::inline v0_1::detail
