// What the library calls its options, in the words of a command line.
#pragma once

#include <string>
#include <string_view>

namespace multifold::app {

/// `message` with "--memory" in place of "reduce_options::memory_bytes", and so on: the library's errors name its own
/// options, as in C++.
std::string in_options(std::string_view message);

}  // namespace multifold::app
