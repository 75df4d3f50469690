// Words that the parser does not understand, and what was meant by them.
#pragma once

#include "common/failure.hpp"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace multifold::app {

/// Throws usage unless the first word is a command or an option, with the command that may have been meant.
void require_command(const CLI::App& app, int argc, const char* const* argv);

/// What `error`, thrown by app.parse, stands for: with the option that may have been meant in place of an unknown one.
failure misfit(const CLI::App& app, const CLI::ParseError& error);

}  // namespace multifold::app
