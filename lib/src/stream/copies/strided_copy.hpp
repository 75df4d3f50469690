// Elements that lie anywhere, copied to where they are wanted: how arrays with gaps or repeats become dense.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace multifold::inline v0_1::stream {

/// One loop over elements. Steps count elements and have any sign; `from` may be 0.
struct copy_loop {
  std::int64_t extent, to, from;
};

/// Copies an element of `item` bytes (1, 2, 4 or 8) for every turn of `loops`, from `from` to `to`, which do not
/// overlap and need no alignment. The order of the loops does not matter. Cost: of a transposition, one read of each
/// cache line as long as a few KB for every line of `to` stay in the cache.
void strided_copy(std::byte* to, const std::byte* from, std::int64_t item, std::vector<copy_loop> loops);

}  // namespace multifold::inline v0_1::stream
