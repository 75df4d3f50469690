// The target of -o, before and during the work.
#pragma once

#include <string>

#include "multifold/dtype.hpp"

namespace multifold::app {

/// Refuses a target that could not be written in the end: a wrong place, or a dtype that .npy does not have.
void check_output(const std::string& path, dtype type);

/// Removes what an unfinished write_npy to `path` has left beside it. For a forced exit only.
void remove_unfinished(const std::string& path) noexcept;

}  // namespace multifold::app
