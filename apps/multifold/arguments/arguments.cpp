// The options that several commands share, and their help texts.
#include "arguments/arguments.hpp"

#include <CLI/CLI.hpp>

#include "arguments/offered_ops.hpp"
#include "common/misfit.hpp"
#include "multifold/reduction.hpp"

namespace multifold::app {

namespace {

std::string result_dtype_help(std::optional<op_kind> op) {
  if (op == op_kind::describe) return "Of mean, std and norm2, and of the sum of floats";
  return "Round, once, to this type";
}

std::string accuracy_help(std::optional<op_kind> op) {
  if (op && always_exact(*op, dtype::f64)) return "exact or fast: the result is exact either way";
  return "exact: correctly rounded; fast: doubles inside (default: the best there is)";
}

std::string nan_help(std::optional<op_kind> op) {
  const bool pairs = op && takes_two_arrays(*op), truths = op && takes_truths(*op);
  return std::string(pairs ? "omit: pairs with NaN" : "omit: NaN") + " take no part; propagate (default)" +
         (truths ? ": are not zero" : "");
}

}  // namespace

std::vector<std::string> rare_groups() {
  return {group_of_files,  group_of_details,      group_of_segments,
          group_of_states, group_of_forced_plans, group_of_host_folds};
}

void add_raw_options(CLI::App& command, raw_arguments& to) {
  const char* const group = group_of_raw;
  command.add_option("--dtype", to.dtype, "float32, f32, f4, >f4, ...: see multifold help dtypes")
      ->type_name("TYPE")
      ->group(group);
  command.add_option("--shape", to.shape, "Extents in C order, like 1000,64 (default: one axis)")
      ->type_name("N,N...")
      ->group(group);
  command.add_option("--offset", to.offset, "Where the elements start, like 128 or 4KiB")
      ->type_name("SIZE")
      ->group(group);
}

void add_reduction_options(CLI::App& command, std::optional<op_kind> op, reduction_arguments& to) {
  const char* const group = group_of_reduction;
  command.add_option("--axis,--axes", to.axes, "Axes to reduce, like 0 or 0,-1 (default: all)")
      ->type_name("N,N...")
      ->allow_extra_args(false)
      ->group(group);
  command.add_flag("--keepdims", to.keepdims, "Keep reduced axes as extents of 1")->group(group);
  command.add_option("--result-dtype", to.result_dtype, result_dtype_help(op))->type_name("TYPE")->group(group);
  command.add_option("--accuracy", to.accuracy, accuracy_help(op))
      ->type_name("CLASS")
      ->transform(one_of(choices_of({"exact", "fast"})))
      ->group(group_of_details);
  command.add_option("--nan", to.nan, nan_help(op))
      ->type_name("POLICY")
      ->transform(one_of(choices_of({"propagate", "omit"})))
      ->capture_default_str()
      ->group(group);
  command.add_option("--initial", to.initial, "One more value, unrounded; that of an empty min or max")
      ->type_name("VALUE")
      ->group(!op || takes_initial(*op) ? group : "");
  command.add_option("--correction,--ddof", to.correction, "Comes off the count: 0 (default), 1 for samples, 0.5")
      ->type_name("N")
      ->group(!op || takes_correction(*op) ? group : "");
}

void add_engine_options(CLI::App& command, engine_arguments& to) {
  const char* const group = group_of_engines;
  command.add_option("--engine", to.engine, "auto (default), host (cpu), device (gpu), or both")
      ->type_name("ENGINE")
      ->transform(one_of(engine_choices(true)))
      ->capture_default_str()
      ->group(group);
  command.add_option("--threads", to.threads, "Of the host engine (default: all there are)")
      ->type_name("N")
      ->check(between(1, 65536))
      ->group(group);
  command.add_option("--memory", to.memory, "For buffers, like 64MiB or 4GiB (default: 256MiB)")
      ->type_name("SIZE")
      ->group(group);
  command
      .add_option("--transfer", to.transfer,
                  "auto, staged, copy or mapped: how elements get to the device; files are staged")
      ->type_name("WAY")
      ->transform(one_of(choices_of({"auto", "staged", "copy", "mapped"})))
      ->capture_default_str()
      ->group(group_of_details);
  add_forced_options(command, to);
}

void add_devices_option(CLI::App& command, engine_arguments& to) {
  command.add_option("--devices", to.devices, "GPUs that share the work: all, or numbers like 0,1")
      ->type_name("N,N...|all")
      ->group(group_of_details);
}

void add_forced_options(CLI::App& command, engine_arguments& to) {
  const char* const forced = group_of_forced_plans;
  command.add_option("--passes", to.passes, "Number of passes")->type_name("N")->check(between(1, 64))->group(forced);
  command.add_option("--finish", to.finish, "next-pass, last-block or atomic: how the parts of a batch become one")
      ->type_name("HOW")
      ->transform(one_of(choices_of({"next-pass", "last-block", "atomic"})))
      ->group(forced);
  command.add_option("--parts", to.parts, "Parts that a batch is cut into by the first pass")
      ->type_name("N")
      ->check(between(1, INT64_MAX))
      ->group(forced);
  command.add_option("--block-size", to.block_size, "Threads a block: a multiple of 32 up to 512")
      ->type_name("N")
      ->check(between(1, 1024))
      ->group(forced);
  command.add_option("--form", to.form, "shuffle or shared-tree: how the threads of a block become one value")
      ->type_name("FORM")
      ->transform(one_of(choices_of({"shuffle", "shared-tree"})))
      ->group(forced);
}

}  // namespace multifold::app
