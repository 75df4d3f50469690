// The environment variables that the programs and the library read.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace multifold::app {

struct environment_variable {
  const char* name;
  const char* about;
};

std::span<const environment_variable> environment_variables();

/// What it is set to; nothing if it is not.
std::optional<std::string> value_of(const environment_variable& variable);

}  // namespace multifold::app
