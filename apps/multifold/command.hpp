// The commands of the tool. Each adds itself to the parser and, when it is chosen, leaves behind what is to be done.
#pragma once

#include <functional>

#include "common/failure.hpp"
#include "common/interrupt.hpp"
#include "multifold/ops.hpp"

namespace CLI {
class App;
}

namespace multifold::app {

using command = std::function<exit_code(interrupt_watch&)>;

void add_reduce_command(CLI::App& app, op_kind op, command& chosen);
void add_plan_command(CLI::App& app, command& chosen);
void add_graph_command(CLI::App& app, command& chosen);
void add_info_command(CLI::App& app, command& chosen);

}  // namespace multifold::app
