// Pictures, by way of Graphviz.
#pragma once

#include <stop_token>
#include <string>

namespace multifold::app {

/// What `dot -Tsvg` makes of `picture`; dot is looked for on PATH, and no shell is asked.
/// Throws: failure (exit_code::other) if dot is not there or fails, (exit_code::interrupted) if `stop` was requested.
std::string svg_of(const std::string& picture, std::stop_token stop);

}  // namespace multifold::app
