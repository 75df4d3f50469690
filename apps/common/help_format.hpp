// The help of a program, from the tables of its parser.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace multifold::app {

/// Gives `program`, and the commands that are added to it later, help that fits the terminal: description, commands,
/// positionals, groups of options (the one of --help last), and the footer, in which lines that end with a
/// colon are headings, and indented lines examples with what they do behind two spaces.
/// Without --help-all, options of `rare_groups` are left out, and so are all examples but the first three where a
/// command has such options; options of a program with commands are left out, too. Options of the group "" are never
/// shown.
void use_help_format(CLI::App& program, std::vector<std::string> rare_groups = {});

}  // namespace multifold::app
