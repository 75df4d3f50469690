// The vector instructions of the processor that this runs on, for people.
#pragma once

#include <string>

namespace multifold::app {

/// "x86-64 with sse2, avx2, avx512f".
std::string processor_features();

}  // namespace multifold::app
