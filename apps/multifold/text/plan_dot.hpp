// A plan as a picture.
#pragma once

#include <string>

#include "multifold/plan.hpp"

namespace multifold::app {

/// Graphviz DOT: the array, a node for each pass with its reshape, grid and bytes, and the result.
std::string plan_dot(const plan& p);

}  // namespace multifold::app
