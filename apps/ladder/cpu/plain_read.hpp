// The roof of the CPU's ladder: how fast its threads read an array, and do next to nothing with it.
#pragma once

#include <cstdint>

namespace multifold::ladder::cpu {

/// Reads `bytes` at `data`, a multiple of 8, by `threads` threads. Returns something that is made of all of it.
std::uint64_t plain_read(const void* data, std::int64_t bytes, int threads);

}  // namespace multifold::ladder::cpu
