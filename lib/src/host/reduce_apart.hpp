// A box of two arrays with strides of their own: of pairs, or of elements and what selects some of them.
#pragma once

#include "host/reduce_box.hpp"

namespace multifold::inline v0_1::host {

/// Copies of a tile of both arrays, and of its marks.
inline constexpr std::int64_t tile_bytes = 128 << 10, apart_space_bytes = 3 * tile_bytes;

/// The same as reduce_box, where memory.second is given, for nests made by joint_nest.
void reduce_apart(const fold& f, const nest& n, const box& b, const box_memory& memory);

}  // namespace multifold::inline v0_1::host
