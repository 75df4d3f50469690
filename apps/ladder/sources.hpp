// The rungs' own texts, which the build puts into the program.
#pragma once

#include <string_view>

namespace multifold::ladder {

/// The text of a file in this folder, like "cpu/03_kahan.hpp"; empty if it is no rung.
std::string_view source_of(std::string_view file);

}  // namespace multifold::ladder
