// multifold plan OP: how a reduction would be run. Reads no elements.
#include <memory>
#include <optional>
#include <string>

#include "arguments.hpp"
#include "command.hpp"
#include "json_text.hpp"
#include "multifold/plan.hpp"
#include "multifold/reduce.hpp"
#include "offered_ops.hpp"
#include "plan_dot.hpp"
#include "request.hpp"
#include "standard_output.hpp"

namespace multifold::app {
namespace {

struct plan_arguments {
  std::string op;
  std::string file;
  raw_arguments raw;
  reduction_arguments what;
  engine_arguments how;
  std::string device_model;
  bool dot = false;
  bool json = false;
};

array_layout layout_of(const plan_arguments& arguments) {
  const std::optional<raw_options> raw = raw_request(arguments.raw);
  if (arguments.file.empty()) {
    if (!raw || !raw->has_extents) throw usage("expected a FILE, or --dtype and --shape");
    return {raw->type, raw->extents, false};
  }
  try {
    return open_source(arguments.file, raw)->layout();
  } catch (...) {
    throw input_failure_of(std::current_exception(), label_of(arguments.file));
  }
}

// A plan for a machine that is not here.
plan plan_for_model(op_kind op, const array_view& view, const reduce_options& options) {
  reduction what = make_reduction(op, view.type, options.nan, options.wanted.value_or(accuracy::exact));
  what.result = result_type(op, view.type, options);
  what.initial = options.initial;
  what.correction = options.correction;
  const batches form = normalise(view, options.axes.value_or(all_axes(view.rank())), order_of(op));
  return make_plan(what, form, options.forced, h200_traits());
}

plan plan_of(const plan_arguments& arguments) {
  const op_kind op = *parse_op(arguments.op);
  reduce_options options = reduce_request(op, arguments.what, arguments.how);
  const array_layout layout = layout_of(arguments);
  fit_to(layout, op, arguments.what, options);
  if (layout.extents.size() == 1 && layout.extents[0] < 0) {
    throw usage("the length of a stream is known at its end only; expected --shape");
  }
  const array_view view = view_of(layout);
  return arguments.device_model.empty() ? plan_for(op, view, options) : plan_for_model(op, view, options);
}

exit_code run(const plan_arguments& arguments, interrupt_watch&) {
  if (arguments.dot && arguments.json) throw usage("--dot: --json was given, too; expected one of the two");
  const std::string label = arguments.file.empty() ? "" : label_of(arguments.file);
  try {
    const plan p = plan_of(arguments);
    print(arguments.json ? plan_json(p) + "\n" : arguments.dot ? plan_dot(p) : explain(p));
  } catch (...) {
    throw failure_of(std::current_exception(), label);
  }
  return exit_code::success;
}

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const op_kind op : offered_ops()) names.emplace_back(name(op));
  return names;
}

constexpr const char* examples =
    "Examples:\n"
    "  multifold plan sum x.npy                                    on this machine\n"
    "  multifold plan sum --dtype f32 --shape 4,268435456 --device-model h200\n"
    "  multifold plan sum x.npy --passes 3 --json                  a forced plan, for programs\n"
    "  multifold plan max x.npy --axis 0 --dot | dot -Tsvg -o plan.svg\n";

}  // namespace

void add_plan_command(CLI::App& app, command& chosen) {
  const auto arguments = std::make_shared<plan_arguments>();
  CLI::App& sub = *app.add_subcommand("plan", "How a reduction would be run: its passes, as a table");
  sub.add_option("OP", arguments->op, "The operation")->required()->type_name("")->check(one_of(op_names()));
  sub.add_option("FILE", arguments->file, "The array, or one of two that are alike; or say --dtype and --shape")
      ->type_name("");
  sub.add_flag("--json", arguments->json, "One JSON object on one line");
  sub.add_flag("--dot", arguments->dot, "A picture of the passes, for Graphviz");
  sub.add_option("--device-model", arguments->device_model, "Plan for a machine that is not here: h200")
      ->type_name("MODEL")
      ->check(one_of({"h200"}));
  add_reduction_options(sub, std::nullopt, arguments->what);
  add_raw_options(sub, arguments->raw);
  add_engine_options(sub, arguments->how);
  sub.footer(examples);
  sub.callback(
      [arguments, &chosen] { chosen = [arguments](interrupt_watch& watch) { return run(*arguments, watch); }; });
}

}  // namespace multifold::app
