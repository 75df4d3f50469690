// One element of an array as text: the shortest decimal that reads back as the same value, or its bits.
#pragma once

#include <cstddef>
#include <string>

#include "multifold/dtype.hpp"

namespace multifold::app {

/// "42", "true", "0.1", "1e+300", "nan", "-inf": in the dtype's own precision, so 0.1 for the f32 nearest to it.
std::string value_text(dtype type, const std::byte* element);

/// "0x3dcccccd": as many digits as the dtype has.
std::string hex_text(dtype type, const std::byte* element);

/// The element of any floating dtype, exactly.
double real_value(dtype type, const std::byte* element);

}  // namespace multifold::app
