// How many elements a source has, where nothing says so before its end.
#pragma once

#include <cstdint>

namespace multifold::inline v0_1 {

inline constexpr std::int64_t unknown_count = -1;

}  // namespace multifold::inline v0_1
