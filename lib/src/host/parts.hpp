// Which part of the engine reduces by an operation, and whether it is there.
#pragma once

#include "multifold/engine_parts.hpp"
#include "multifold/reduction.hpp"

namespace multifold::inline v0_1::host {

/// Null if the program is linked without it.
engine_part* part_of(const reduction& what);

}  // namespace multifold::inline v0_1::host
