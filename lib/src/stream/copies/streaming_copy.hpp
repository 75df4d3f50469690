// A copy whose stores go past the cache: for what is not read soon. What a device reads next is better left in the
// cache.
#pragma once

#include <cstdint>

namespace multifold::inline v0_1::stream {

/// Copies `bytes` from `from` to `to`, which do not overlap and need no alignment. Other threads, and devices, see them
/// when it returns.
/// Cost: one read and one write of memory, where memcpy also fetches the lines that it overwrites; plain memcpy for
///       short copies, and where the processor has no such stores.
/// Throws: unsupported_error as simd_in_use.
void streaming_copy(void* to, const void* from, std::int64_t bytes);

}  // namespace multifold::inline v0_1::stream
