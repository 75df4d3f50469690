// From the arguments of plan and graph to those of the library.
#include "plan_request.hpp"

#include <CLI/CLI.hpp>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "common/failure.hpp"
#include "offered_ops.hpp"
#include "request.hpp"

namespace multifold::app {
namespace {

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

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const op_kind op : offered_ops()) names.emplace_back(name(op));
  return names;
}

}  // namespace

void add_plan_options(CLI::App& command, const std::string& model_help, plan_arguments& to) {
  command.add_option("OP", to.op, "The operation")->required()->type_name("")->check(one_of(op_names()));
  command.add_option("FILE", to.file, "The array, or one of two that are alike; or say --dtype and --shape")
      ->type_name("");
  command.add_option("--device-model", to.device_model, model_help)->type_name("MODEL")->check(one_of({"h200"}));
  add_reduction_options(command, std::nullopt, to.what);
  add_raw_options(command, to.raw);
}

planned planned_of(const plan_arguments& arguments) {
  planned wanted;
  wanted.op = *parse_op(arguments.op);
  wanted.options = reduce_request(wanted.op, arguments.what, arguments.how);
  const array_layout layout = layout_of(arguments);
  fit_to(layout, wanted.op, arguments.what, wanted.options);
  if (has_unknown_length(layout)) {
    throw usage("the length of a stream is known at its end only; expected --shape");
  }
  wanted.view = view_of(layout);
  return wanted;
}

plan plan_on(const planned& wanted, const engine_traits& engine) {
  const reduce_options& options = wanted.options;
  const array_view& view = wanted.view;
  reduction what = make_reduction(wanted.op, view.type, options.nan, options.wanted.value_or(accuracy::exact));
  what.result = result_type(wanted.op, view.type, options);
  what.initial = options.initial;
  what.correction = options.correction;
  const batches form = normalise(view, options.axes.value_or(all_axes(view.rank())), order_of(wanted.op));
  return make_plan(what, form, options.forced, engine);
}

std::string label_of(const plan_arguments& arguments) { return arguments.file.empty() ? "" : label_of(arguments.file); }

}  // namespace multifold::app
