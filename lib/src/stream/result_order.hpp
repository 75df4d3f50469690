// Results come back numbered as their batches lie in memory, and go where the result array has them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/shape/nest.hpp"

namespace multifold::inline v0_1::stream {

/// Copies the results numbered `which`, `item` bytes each, from `from` to their places in `results`: by up to `threads`
/// threads if they are many.
void put_in_order(const host::nest& n, host::interval which, const std::byte* from, std::int64_t item,
                  std::byte* results, int threads);

}  // namespace multifold::inline v0_1::stream
