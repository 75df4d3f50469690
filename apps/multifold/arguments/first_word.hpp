// The word that stands first: a command, or nothing that could be one.
#pragma once

namespace CLI {
class App;
}

namespace multifold::app {

/// Throws usage unless the first word is a command or an option, with the command that may have been meant.
void require_command(const CLI::App& app, int argc, const char* const* argv);

}  // namespace multifold::app
