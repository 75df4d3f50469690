// From the arguments of plan and graph to those of the library.
#include "arguments/plan_request.hpp"

#include <CLI/CLI.hpp>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "arguments/offered_ops.hpp"
#include "arguments/request.hpp"
#include "common/messages/failure.hpp"
#include "common/misfit.hpp"

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
    throw input_failure_of(std::current_exception(), arguments.file);
  }
}

}  // namespace

void add_plan_options(CLI::App& command, const std::string& model_help, plan_arguments& to) {
  command.add_option("OP", to.op, "The operation")
      ->required()
      ->type_name("")
      ->transform(one_of(op_choices(offered_ops())));
  command.add_option("FILE", to.file, "An array like it; or say --dtype and --shape")->type_name("");
  command.add_option("--device-model", to.device_model, model_help)
      ->type_name("MODEL")
      ->group(group_of_engines)
      ->transform(one_of(choices_of({"h200"})));
  add_reduction_options(command, std::nullopt, to.what);
  add_raw_options(command, to.raw);
}

planned planned_of(const plan_arguments& arguments) {
  planned wanted;
  wanted.op = *parse_op(arguments.op);
  wanted.options = reduce_request({&wanted.op, 1}, arguments.what, arguments.how);
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
  what.correction = options.correction.held();
  const batches form = normalise(view, options.axes.of(view.rank()), order_of(wanted.op));
  return make_plan(what, form, options.forced, engine);
}

std::vector<std::string> files_of(const plan_arguments& arguments) {
  if (arguments.file.empty()) return {};
  return {arguments.file};
}

}  // namespace multifold::app
