// The commands of the tool. Each adds itself to the parser and, when it is chosen, leaves behind what is to be done.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/messages/failure.hpp"
#include "common/terminal/interrupt.hpp"
#include "folds/host_fold.hpp"
#include "multifold/ops.hpp"

namespace CLI {
class App;
}

namespace multifold::app {

using chosen_command = std::function<exit_code(interrupt_watch&)>;

/// Commands that compute nothing.
inline constexpr const char* group_of_other_commands = "Other commands";

void add_reduce_command(CLI::App& app, op_kind op, chosen_command& chosen);
/// Of several operations, in the word that names them; no help lists it.
CLI::App& add_several_command(CLI::App& app, const std::string& word, const std::vector<op_kind>& ops,
                              chosen_command& chosen);
void add_host_fold_command(CLI::App& app, const host_fold_words& words, chosen_command& chosen);
void add_plan_command(CLI::App& app, chosen_command& chosen);
void add_graph_command(CLI::App& app, chosen_command& chosen);
void add_info_command(CLI::App& app, chosen_command& chosen);
void add_help_command(CLI::App& app, chosen_command& chosen);
void add_version_command(CLI::App& app, chosen_command& chosen);
/// These two write about all commands of `app`.
void add_completion_command(CLI::App& app, chosen_command& chosen);
void add_manual_command(CLI::App& app, chosen_command& chosen);

/// Names and aliases of all commands of `program`.
std::vector<std::string> names_of_commands(const CLI::App& program);

/// Help of the program and of all commands, with every option.
std::string whole_help(const CLI::App& program);

}  // namespace multifold::app
