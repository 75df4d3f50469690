// Allocations of the whole program, counted, of which one can be made to fail.
#pragma once

#include <cstdint>

namespace multifold::testing_memory {

/// From now on, allocation number `n` (1 is the next) of any thread fails, once; 0: none does.
void fail_allocation(std::int64_t n) noexcept;

/// Whether the one that was to fail has come.
bool has_failed() noexcept;

/// Blocks that are there now.
std::int64_t live_blocks() noexcept;

}  // namespace multifold::testing_memory
