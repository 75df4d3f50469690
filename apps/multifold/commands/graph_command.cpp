// multifold graph OP: what a GPU is given to run for a reduction, node by node. Reads no elements, and needs no GPU
// unless its driver shall be asked.
#include <CLI/CLI.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "arguments/plan_request.hpp"
#include "commands/command.hpp"
#include "common/standard_output.hpp"
#include "multifold/graphs/topology.hpp"
#include "multifold/plan.hpp"
#include "multifold/reduce.hpp"
#include "text/graphviz.hpp"
#include "text/json_text.hpp"

namespace multifold::app {
namespace {

struct graph_arguments {
  plan_arguments plan;
  bool dot = false;
  bool svg = false;
  bool json = false;
  bool driver = false;
};

void expect_one_form(const graph_arguments& arguments) {
  std::vector<std::string> given;
  if (arguments.dot) given.emplace_back("--dot");
  if (arguments.svg) given.emplace_back("--svg");
  if (arguments.json) given.emplace_back("--json");
  if (given.size() > 1) throw usage(given[0] + ": " + given[1] + " was given, too; expected one of the two");
}

std::optional<engine_traits> gpu_here() {
  for (const engine_info& engine : engines()) {
    if (engine.supported && engine.traits.engine == engine_kind::device) return engine.traits;
  }
  return std::nullopt;
}

std::string drawn(const graph_arguments& arguments, std::stop_token stop) {
  const bool model = !arguments.plan.device_model.empty();
  const std::optional<engine_traits> here = model ? std::nullopt : gpu_here();
  const plan p = plan_on(planned_of(arguments.plan), here.value_or(h200_traits()));
  if (arguments.driver && model) throw usage("--driver: the driver knows nothing of GPUs that are not here");
  if (arguments.driver && !here) throw engine_error("there is no GPU here whose driver could be asked");
  graphs::topology t = arguments.driver ? graphs::driver_topology_of(p) : graphs::topology_of(p);
  if (!model && !here) t.title += " (there is no GPU here)";
  if (arguments.json) return graph_json(p, t) + "\n";
  if (arguments.dot) return graphs::to_dot(t);
  return arguments.svg ? svg_of(graphs::to_dot(t), stop) : graphs::to_text(t);
}

exit_code run(const graph_arguments& arguments, interrupt_watch& watch) {
  expect_one_form(arguments);
  try {
    print(drawn(arguments, watch.token()));
  } catch (...) {
    throw failure_of(std::current_exception(), files_of(arguments.plan));
  }
  return exit_code::success;
}

constexpr const char* graph_examples =
    "Examples:\n"
    "  multifold graph sum x.npy                    on the GPU here, or an H200\n"
    "  multifold graph mean --dtype f64 --shape 4,1000000 --device-model h200\n"
    "  multifold graph sum x.npy --svg > graph.svg  as a picture\n"
    "  multifold graph sum x.npy --passes 3         a forced plan\n"
    "  multifold graph max x.npy --axis 0 --dot | dot -Tpdf -o graph.pdf\n";

}  // namespace

void add_graph_command(CLI::App& app, chosen_command& chosen) {
  const auto arguments = std::make_shared<graph_arguments>();
  CLI::App& sub = *app.add_subcommand("graph", "What a GPU would run for a reduction: kernels and all, as a table");
  add_plan_options(sub, "h200 (default: the GPU here, or h200)", arguments->plan);
  add_forced_options(sub, arguments->plan.how);
  sub.group(group_of_other_commands);
  const char* const group = group_of_output;
  sub.add_flag("--json", arguments->json, "Nodes and edges, and errors, as JSON")->group(group);
  sub.add_flag("--dot", arguments->dot, "A picture, for Graphviz")->group(group);
  sub.add_flag("--svg", arguments->svg, "A picture, by way of Graphviz's program dot")->group(group);
  sub.add_flag("--driver", arguments->driver, "As CUDA's driver knows it, on a GPU: nothing is run")->group(group);
  sub.footer(graph_examples);
  sub.callback(
      [arguments, &chosen] { chosen = [arguments](interrupt_watch& watch) { return run(*arguments, watch); }; });
}

}  // namespace multifold::app
