// A command line, from its words to what they ask for.
#pragma once

#include "common/failure.hpp"
#include "common/interrupt.hpp"

namespace multifold::app {

/// Parses the words behind argv[0], and runs the command that they name. Throws failure, and what the library throws.
exit_code run_command_line(int argc, const char* const* argv, interrupt_watch& watch);

}  // namespace multifold::app
