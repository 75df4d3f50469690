// A last look at a pipeline before its result is believed.
#pragma once

#include <cstdint>
#include <string>

#include "multifold/error.hpp"
#include "multifold/source.hpp"

namespace multifold::inline v0_1::stream {

/// Throws: error if the pipeline lost elements, or reduced some twice; nothing that a caller does leads to that.
inline void check_consumed(std::int64_t consumed, std::int64_t expected, const source& input) {
  if (consumed == expected) return;
  throw error(input.name() + ": internal error: " + std::to_string(consumed) + " of " + std::to_string(expected) +
              " elements were reduced; please report this");
}

}  // namespace multifold::inline v0_1::stream
