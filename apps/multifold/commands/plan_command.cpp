// multifold plan OP: how a reduction would be run. Reads no elements.
#include <CLI/CLI.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "arguments/plan_request.hpp"
#include "commands/command.hpp"
#include "common/standard_output.hpp"
#include "multifold/plan.hpp"
#include "multifold/reduce.hpp"
#include "text/engine_text.hpp"
#include "text/json_text.hpp"
#include "text/plan_dot.hpp"

namespace multifold::app {
namespace {

struct plan_command_arguments {
  plan_arguments plan;
  bool dot = false;
  bool json = false;
};

plan plan_of(const plan_arguments& arguments) {
  const planned wanted = planned_of(arguments);
  if (!arguments.device_model.empty()) return plan_on(wanted, h200_traits());
  return plan_for(wanted.op, wanted.view, wanted.options);
}

// A machine that is not here is planned for as its model says.
void check_model(const plan_arguments& arguments) {
  if (arguments.device_model.empty()) return;
  const engine_arguments& how = arguments.how;
  const char* const idle = how.engine != "auto" && how.engine != "device" ? "--engine"
                           : how.threads                                  ? "--threads"
                           : how.memory                                   ? "--memory"
                           : how.transfer != "auto"                       ? "--transfer"
                                                                          : nullptr;
  if (idle != nullptr) throw usage(std::string(idle) + " is for this machine; found --device-model");
}

exit_code run(const plan_command_arguments& arguments, interrupt_watch&) {
  check_model(arguments.plan);
  if (arguments.dot && arguments.json) throw usage("--dot: --json was given, too; expected one of the two");
  try {
    const plan p = plan_of(arguments.plan);
    std::optional<engine_decision> why;
    if (arguments.plan.device_model.empty())
      why = engine_for(p, p.form.elements(), {arguments.plan.file}, arguments.plan.how);
    print(arguments.json  ? plan_json(p, why ? why->reason : "") + "\n"
          : arguments.dot ? plan_dot(p)
                          : explain(p) + (why ? engine_line(*why) : ""));
  } catch (...) {
    throw failure_of(std::current_exception(), files_of(arguments.plan));
  }
  return exit_code::success;
}

constexpr const char* plan_examples =
    "Examples:\n"
    "  multifold plan sum x.npy                    on this machine\n"
    "  multifold plan sum --dtype f32 --shape 4,268435456 --device-model h200\n"
    "  multifold plan sum x.npy --passes 3 --json  a forced plan, for programs\n"
    "  multifold plan max x.npy --axis 0 --dot | dot -Tsvg -o plan.svg\n";

}  // namespace

void add_plan_command(CLI::App& app, chosen_command& chosen) {
  const auto arguments = std::make_shared<plan_command_arguments>();
  CLI::App& sub = *app.add_subcommand("plan", "How a reduction would be run: its passes, as a table");
  add_plan_options(sub, "For a machine that is not here: h200", arguments->plan);
  add_engine_options(sub, arguments->plan.how);
  sub.group(group_of_other_commands);
  sub.add_flag("--json", arguments->json, "One JSON object on one line; errors, too")->group(group_of_output);
  sub.add_flag("--dot", arguments->dot, "A picture of the passes, for Graphviz")->group(group_of_output);
  sub.footer(plan_examples);
  sub.callback(
      [arguments, &chosen] { chosen = [arguments](interrupt_watch& watch) { return run(*arguments, watch); }; });
}

}  // namespace multifold::app
