// Numbers to reduce, where none were brought.
#pragma once

#include <cstdint>
#include <span>

namespace multifold::overlap {

/// Numbers between -1 and 1, from number `first` of an endless row on that is always the same.
void fill_random(std::span<float> numbers, std::int64_t first);

}  // namespace multifold::overlap
