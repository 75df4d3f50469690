// What is wrong with a command before anything is opened.
#pragma once

#include "commands/reduce/files.hpp"

namespace multifold::app {

/// Throws: usage() for options that do not go together, or that this command would make nothing of.
void check(const reduce_arguments& arguments);

}  // namespace multifold::app
