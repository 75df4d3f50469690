// The environment variables that the programs and the library read.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace multifold::app {

struct environment_variable {
  const char* name;
  const char* about;
  void (*use)() =
      nullptr;  // reads it as commands do, and throws what they refuse it with; null where any value is taken
};

std::span<const environment_variable> environment_variables();

/// What it is set to; nothing if it is not.
std::optional<std::string> value_of(const environment_variable& variable);

/// Why commands refuse what it is set to, in their words; nothing if they do not.
std::optional<std::string> complaint_about(const environment_variable& variable);

}  // namespace multifold::app
