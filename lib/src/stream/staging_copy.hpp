// A copy into memory that a device reads next: it is best left in the cache.
#pragma once

#include <cstdint>

namespace multifold::stream {

/// Copies `bytes` from `from` to `to`, which do not overlap and need no alignment.
/// Cost: one read of memory, and the fetching of the lines that are overwritten. Of a core, 5 to 15 % less than memcpy
///       where neither end is in its cache.
void staging_copy(void* to, const void* from, std::int64_t bytes) noexcept;

}  // namespace multifold::stream
