// How many elements a source has, where nothing says so before its end.
#pragma once

#include <cstdint>

namespace multifold {

inline constexpr std::int64_t unknown_count = -1;

}  // namespace multifold
