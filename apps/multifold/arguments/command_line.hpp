// A command line, from its words to what they ask for.
#pragma once

#include "commands/command.hpp"
#include "common/messages/failure.hpp"
#include "common/terminal/interrupt.hpp"

namespace multifold::app {

/// Gives `app` every command and option, with what help, manual and completion say of them. A parsed line leaves what
/// is to be done in `chosen`. Both have to live until that is done.
void add_commands(CLI::App& app, chosen_command& chosen);

/// Parses the words behind argv[0], and runs the command that they name. Throws failure, and what the library throws.
exit_code run_command_line(int argc, const char* const* argv, interrupt_watch& watch);

}  // namespace multifold::app
