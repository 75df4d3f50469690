// Files of this folder, which the build puts into the program: the rungs' sources, and counters.json.
#pragma once

#include <string_view>

namespace multifold::ladder {

/// The text of a file in this folder, like "cpu/03_kahan.hpp"; empty if it is none of these.
std::string_view source_of(std::string_view file);

}  // namespace multifold::ladder
