// A copy into memory that a device reads next: it is best left in the cache.
#pragma once

#include <cstdint>

namespace multifold::inline v0_1::stream {

/// Copies `bytes` from `from` to `to`, which do not overlap and need no alignment.
/// Cost: one read of memory, and the fetching of the lines that are overwritten. Of a core, where neither end is in its
///       cache, 0.90 to 0.97 of what memcpy takes on one Xeon, and 0.66 to 0.83 on another.
void staging_copy(void* to, const void* from, std::int64_t bytes) noexcept;

}  // namespace multifold::inline v0_1::stream
