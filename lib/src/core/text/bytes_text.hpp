// Numbers of bytes for people.
#pragma once

#include <string>

#include "multifold/array.hpp"

namespace multifold::inline v0_1 {

/// "4.1 KiB", "16 GiB", "12 B": powers of 1024, with one digit behind the point unless it is 0.
std::string bytes_text(int128_t bytes);

}  // namespace multifold::inline v0_1
