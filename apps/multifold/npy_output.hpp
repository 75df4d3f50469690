// The target of -o, and of every other file that is written in the end, before and during the work.
#pragma once

#include <string>

#include "multifold/dtype.hpp"

namespace multifold::app {

/// Refuses a target that could not be written in the end. "-", standard output, is none.
void check_target(const std::string& path);

/// The same for a .npy file, which does not have every dtype.
void check_output(const std::string& path, dtype type);

/// Removes what an unfinished file at `path` has left beside it. For a forced exit only.
void remove_unfinished(const std::string& path) noexcept;

}  // namespace multifold::app
