// multifold OP FILE...: which options go together, and what they are about.
#include "commands/reduce/checks.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "commands/files/result_file.hpp"
#include "commands/files/segment_files.hpp"
#include "common/file_identity.hpp"
#include "common/words/words.hpp"
#include "multifold/reduction.hpp"

namespace multifold::app {
namespace {

// Those of `options` that were given, of which this command would make nothing.
std::string idle(const std::vector<std::pair<bool, const char*>>& options) {
  for (const auto& [given, option] : options) {
    if (given) return option;
  }
  return "";
}

bool forces_plan(const engine_arguments& how) {
  return how.passes || how.finish || how.parts || how.block_size || how.form;
}

// Options that do nothing with the states alone.
std::string idle_without_file(const reduce_arguments& arguments) {
  const raw_arguments& raw = arguments.raw;
  const engine_arguments& how = arguments.how;
  return idle({{raw.dtype.has_value(), "--dtype"},
               {raw.shape.has_value(), "--shape"},
               {raw.offset.has_value(), "--offset"},
               {!arguments.what.axes.empty(), "--axis"},
               {arguments.what.keepdims, "--keepdims"},
               {arguments.what.nan != "propagate", "--nan"},
               {arguments.concatenate, "--concatenate"},
               {arguments.states.first_index.has_value(), "--first-index"},
               {arguments.segments.used(), "a list of segments"},
               {arguments.explain, "--explain"},
               {how.engine != "auto", "--engine"},
               {how.devices.has_value(), "--devices"},
               {how.threads.has_value(), "--threads"},
               {how.memory.has_value(), "--memory"},
               {how.transfer != "auto", "--transfer"},
               {how.passes.has_value(), "--passes"},
               {how.finish.has_value(), "--finish"},
               {how.parts.has_value(), "--parts"},
               {how.block_size.has_value(), "--block-size"},
               {how.form.has_value(), "--form"}});
}

void check_idle(const reduce_arguments& arguments) {
  if (arguments.states.checkpoint_seconds && !arguments.states.checkpoint) {
    throw usage("--checkpoint-every: found no --checkpoint; expected one beside it");
  }
  if (arguments.how.engine == "host" && arguments.how.transfer != "auto") {
    throw usage("--transfer: --engine host sends nothing to a device; expected one of the two");
  }
}

// Neither of two arrays is missing.
void check_pair(const reduce_arguments& arguments) {
  if (arguments.files.size() == 1) throw usage("Y is required; see multifold " + arguments.word + " --help");
}

void check_without_file(const reduce_arguments& arguments) {
  const std::string op = arguments.word;
  if (!arguments.states.used())
    throw usage(std::string(takes_two_arrays(arguments.op) ? "X" : "FILE") + " is required; see multifold " + op +
                " --help");
  if (arguments.states.merge.empty()) throw usage("--save-state: found nothing to add; expected a FILE or --merge");
  const std::string option = idle_without_file(arguments);
  if (!option.empty()) throw usage(option + " is about a FILE; found none beside --merge");
}

// What `option` does is done with the state of one array.
void check_state_of_one(const std::string& option, const reduce_arguments& arguments) {
  if (arguments.files.size() > 1 && !takes_two_arrays(arguments.op) && !arguments.concatenate) {
    throw usage(option + "a state is of one result; expected one FILE, or --concatenate");
  }
  if (arguments.what.accuracy == "fast") throw usage(option + "states are exact; expected --accuracy exact");
}

void check_states(const reduce_arguments& arguments) {
  const state_arguments& states = arguments.states;
  check_state_of_one(states.save ? "--save-state: " : "--merge: ", arguments);
  if (states.save && states.save->empty()) throw usage("--save-state: found an empty name; expected a file");
  if (states.save == "-") throw usage("--save-state: standard output is for the value; expected a file");
  if (states.save && arguments.what.initial) {
    throw usage("--save-state: found --initial, which takes no part in a state; expected it beside the last --merge");
  }
}

void check_first_index(const reduce_arguments& arguments) {
  if (!arguments.states.first_index) return;
  if (order_of(arguments.op) != element_order::indexed) {
    throw usage("--first-index: " + std::string(name(arguments.op)) +
                " keeps no indices; argmin, argmax and describe do");
  }
  if (!arguments.states.used())
    throw usage("--first-index: found no state; expected --save-state or --merge beside it");
}

void check_checkpoint(const reduce_arguments& arguments) {
  const state_arguments& states = arguments.states;
  const std::string option = "--checkpoint: ";
  if (!has_exact_form(arguments.op)) {
    throw usage(option + std::string(name(arguments.op)) + " leaves none; sum and mean do");
  }
  check_state_of_one(option, arguments);
  if (arguments.what.initial)
    throw usage(option + "found --initial, which takes no part in a sum so far; expected none");
  if (arguments.files.empty()) throw usage(option + "found nothing to read; expected a FILE");
  if (*states.checkpoint == "-" || states.checkpoint->empty()) throw usage(option + "expected a file");
  const engine_arguments& how = arguments.how;
  if (forces_plan(how)) {
    throw usage(option + "a plan cannot be forced on a sum with checkpoints");
  }
}

void check_with_segments(const reduce_arguments& arguments) {
  const engine_arguments& how = arguments.how;
  const bool on_device = arguments.segments.groups && !arguments.states.used();
  const bool elsewhere = how.engine == "both" || (how.engine == "device" && !on_device);
  const std::string option = idle({{arguments.what.keepdims, "--keepdims"},
                                   {arguments.states.checkpoint.has_value(), "--checkpoint"},
                                   {arguments.explain, "--explain"},
                                   {forces_plan(how), "a forced plan"},
                                   {elsewhere, "--engine"}});
  if (!option.empty())
    throw usage(option +
                " does not go with segments, which the host engine reduces, or groups, which either does without "
                "states; expected one of the two");
}

void check_difference(const reduce_arguments& arguments) {
  if (!arguments.what.result_dtype) return;
  throw usage("--result-dtype: " + arguments.word + " has the dtype of a sum of the elements; expected none");
}

// Several GPUs take shares of one array, and the host no part.
void check_devices(const reduce_arguments& arguments) {
  const engine_arguments& how = arguments.how;
  const state_arguments& states = arguments.states;
  const std::string option = idle({{how.engine == "host" || how.engine == "both", "--engine"},
                                   {arguments.ops.size() > 1 || arguments.difference, "more than one operation"},
                                   {takes_two_arrays(arguments.op), "an operation of two arrays"},
                                   {states.used(), states.save ? "--save-state" : "--merge"},
                                   {states.checkpoint.has_value(), "--checkpoint"},
                                   {arguments.segments.used(), "a list of segments or keys"},
                                   {arguments.where.has_value(), "--where"},
                                   {arguments.weights.has_value(), "--weights"},
                                   {arguments.explain, "--explain"},
                                   {forces_plan(how), "a forced plan"}});
  if (!option.empty()) throw usage("--devices does not go with " + option + "; expected one of the two");
}

// What is for one operation at a time.
void check_several(const reduce_arguments& arguments) {
  const state_arguments& states = arguments.states;
  const segment_arguments& segments = arguments.segments;
  const engine_arguments& how = arguments.how;
  const std::string option = idle({{states.save.has_value(), "--save-state"},
                                   {!states.merge.empty(), "--merge"},
                                   {states.first_index.has_value(), "--first-index"},
                                   {states.checkpoint.has_value(), "--checkpoint"},
                                   {states.checkpoint_seconds.has_value(), "--checkpoint-every"},
                                   {segments.keys || segments.groups, "--keys"},
                                   {segments.used(), "a list of segments"},
                                   {forces_plan(how), "a forced plan"}});
  if (!option.empty()) throw usage(option + " does not go with several operations; expected one of them at a time");
}

// What marks or weights, which `name` gives, do not go with.
void check_whole(const reduce_arguments& arguments, const std::string& name) {
  const std::string option = name + ": ";
  if (arguments.where && takes_two_arrays(arguments.op)) {
    throw usage(option + arguments.word + " takes none; operations of one array do");
  }
  if (arguments.weights && arguments.ops != std::vector{op_kind::mean}) {
    throw usage(option + arguments.word + " takes none; mean does");
  }
  if (arguments.files.empty()) throw usage(option + "found nothing to read; expected a FILE");
  const state_arguments& states = arguments.states;
  const engine_arguments& how = arguments.how;
  const std::string other = idle({{states.save.has_value(), "--save-state"},
                                  {!states.merge.empty(), "--merge"},
                                  {states.checkpoint.has_value(), "--checkpoint"},
                                  {arguments.segments.used(), "a list of segments or keys"},
                                  {how.engine == "device" || how.engine == "both", "--engine"},
                                  {how.memory.has_value(), "--memory"},
                                  {forces_plan(how), "a forced plan"}});
  if (arguments.weights) {
    if (arguments.where) throw usage("--weights: found --where, too; expected weights of 0 instead");
    if (arguments.what.nan != "propagate") throw usage("--weights: found --nan omit; expected one of the two");
    if (arguments.what.accuracy == "fast") throw usage("--weights: found --accuracy fast, but it is exact");
  }
  if (other.empty()) return;
  throw usage(other + " does not go with " + name +
              ", for which the host engine holds an array in memory; expected one of the two");
}

// A state that --save-state replaces may be one that --merge reads: that is how a run goes on.
void check_files(const reduce_arguments& arguments) {
  std::vector<named_file> inputs, states, outputs;
  for (const std::string& file : arguments.files) inputs.push_back({"FILE", file});
  for (const std::string& file : arguments.states.merge) states.push_back({"--merge", file});
  for (const std::string& file : arguments.segments.files()) inputs.push_back({"a list of segments", file});
  if (arguments.where) inputs.push_back({"--where", *arguments.where});
  if (arguments.weights) inputs.push_back({"--weights", *arguments.weights});
  if (!arguments.output.empty() && arguments.output != "-") outputs.push_back({"-o", arguments.output});
  if (arguments.states.save) outputs.push_back({"--save-state", *arguments.states.save});
  if (arguments.states.checkpoint) outputs.push_back({"--checkpoint", *arguments.states.checkpoint});
  check_outputs(inputs, outputs);
  std::erase_if(outputs, [](const named_file& out) { return out.option == "--save-state"; });
  check_outputs(states, outputs);
  check_outputs(inputs, {{"", "-"}});
}

}  // namespace

void check(const reduce_arguments& arguments) {
  const bool to_file = !arguments.output.empty();
  if (arguments.ops.size() > 1) check_several(arguments);
  if (arguments.difference) check_difference(arguments);
  if (takes_two_arrays(arguments.op)) check_pair(arguments);
  if (arguments.weights || arguments.where) check_whole(arguments, arguments.weights ? "--weights" : "--where");
  if (arguments.how.devices) check_devices(arguments);
  check_first_index(arguments);
  if (arguments.states.used()) check_states(arguments);
  if (arguments.states.checkpoint) check_checkpoint(arguments);
  if (arguments.files.empty()) check_without_file(arguments);
  check_idle(arguments);
  check_segments(arguments.segments);
  if (arguments.segments.used()) check_with_segments(arguments);
  if (to_file) check_output_name(arguments.output, arguments.result_ops());
  const bool several = arguments.files.size() > 1 && !takes_two_arrays(arguments.op) && !arguments.concatenate;
  if (several && to_file) throw usage("-o: one file holds one result; expected one FILE, or --concatenate");
  const auto standard_inputs = [](const auto& names) { return std::count(names.begin(), names.end(), "-"); };
  const std::vector<std::string> lists = arguments.segments.files();
  const bool second = arguments.where == "-" || arguments.weights == "-";
  if (second + standard_inputs(arguments.files) + standard_inputs(arguments.states.merge) + standard_inputs(lists) >
      1) {
    throw usage("'-' was given twice; standard input can be read once");
  }
  if (arguments.json && arguments.hex) throw usage("--hex: --json has value_hex already; expected one of the two");
  if (to_file && arguments.hex && !is_text_file(arguments.output)) {
    throw usage("--hex: nothing is printed in hexadecimal with -o; expected one of the two, or a .txt");
  }
  if (arguments.json && arguments.output == "-") {
    throw usage("-o: standard output is taken by --json; expected another file");
  }
  check_files(arguments);
}

}  // namespace multifold::app
