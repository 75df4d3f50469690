// Help about what several commands share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/terminal/help_page.hpp"

namespace multifold::app {

/// Each exit code, and what it means.
std::vector<help_row> exit_code_rows();

/// environment, exit-codes, dtypes.
std::vector<std::string> help_topics();

/// The text of a topic, for the terminal that standard output goes to; nothing if there is none of this name.
std::optional<std::string> help_on(const std::string& topic);

}  // namespace multifold::app
