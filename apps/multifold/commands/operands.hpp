// Which files, or arrays in files, each result is made of.
#pragma once

#include <string>
#include <vector>

#include "commands/reduce/files.hpp"

namespace multifold::app {

/// The operands of each result, in the order in which they were named. Each array of an archive is one of its own; what
/// is wrong with a file is said when its turn comes. Throws: failure where results are to be one, and an archive has
/// several arrays.
std::vector<operand_files> operands_of(const reduce_arguments& arguments);

}  // namespace multifold::app
