// Completions of the command line: scripts for the shells, made of the parser's own tables.
#pragma once

#include <string>
#include <vector>

#include "arguments/command_words.hpp"

namespace multifold::app {

/// Needs nothing but bash itself.
std::string bash_completion(const std::vector<command_words>& commands);
std::string zsh_completion(const std::vector<command_words>& commands);
std::string fish_completion(const std::vector<command_words>& commands);

}  // namespace multifold::app
