// The manual page multifold(1), made of the parser's own tables.
#pragma once

#include <string>
#include <vector>

#include "arguments/command_words.hpp"

namespace multifold::app {

/// In the man macros. `about` is a sentence on the tool, `footer` what its --help ends with: examples.
std::string manual_page(const std::vector<command_words>& commands, const std::string& about,
                        const std::string& footer);

}  // namespace multifold::app
