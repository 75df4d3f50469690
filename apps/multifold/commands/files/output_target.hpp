// The target of -o, and of every other file that is written in the end, before and during the work.
#pragma once

#include <string>

namespace multifold::app {

/// Refuses a target that could not be written in the end. "-", standard output, is none.
void check_target(const std::string& path);

/// Refuses a terminal, "-" included, as the target of bytes that are no text.
void refuse_terminal(const std::string& path);

/// Removes what an unfinished file at `path` has left beside it. For a forced exit only.
void remove_unfinished(const std::string& path) noexcept;

}  // namespace multifold::app
