// What a pass makes of its batches, in words.
#pragma once

#include <string>

#include "multifold/plan.hpp"

namespace multifold::inline v0_1 {

/// "(4, 268435456) -> (4 x 66, 4091904)": batches and their length, cut into parts and their length.
inline std::string reshape_text(const pass& at) {
  return "(" + std::to_string(at.batches) + ", " + std::to_string(at.length) + ") -> (" + std::to_string(at.batches) +
         " x " + std::to_string(at.parts) + ", " + std::to_string(at.part_length) + ")";
}

}  // namespace multifold::inline v0_1
