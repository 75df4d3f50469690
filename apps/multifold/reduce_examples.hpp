// What --help of an operation ends with.
#pragma once

#include <string>

#include "multifold/ops.hpp"

namespace multifold::app {

std::string reduce_examples(op_kind op);

}  // namespace multifold::app
