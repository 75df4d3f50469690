// What the commands of operations take, and how it is described.
#include "commands/reduce/options.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <string>
#include <system_error>
#include <vector>

#include "commands/files/result_file.hpp"
#include "common/misfit.hpp"
#include "multifold/reduction.hpp"

namespace multifold::app {
namespace {

constexpr double most_checkpoint_seconds = 1e9;

// Nothing to complain of, or the complaint.
std::string checked_seconds(std::string& text) {
  double seconds = -1;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool whole = code == std::errc{} && end == text.data() + text.size();
  if (whole && seconds >= 0 && seconds <= most_checkpoint_seconds) return "";
  return "found '" + text + "'; expected seconds from 0 to 1e9";
}

void add_file_arguments(CLI::App& command, reduce_arguments& to) {
  if (takes_two_arrays(to.op)) {
    command.add_option("X", to.x, "A .npy file or raw elements; '-' is standard input")->type_name(" ");
    command.add_option("Y", to.y, "Another one of the same dtype, shape and order")->type_name(" ");
    return;
  }
  command
      .add_option("FILE", to.files,
                  ".npy, .npz (x.npz:NAME), safetensors or raw; '-' is standard input. Several: one by one")
      ->type_name(" ");
  command
      .add_flag("--concatenate", to.concatenate,
                "The FILEs are one array, joined along the first axis (in Fortran order: the last)")
      ->group(group_of_files);
}

void add_second_options(CLI::App& command, reduce_arguments& to) {
  command
      .add_option("--where", to.where,
                  "Reduce elements where this array of bool, broadcast to FILE's, is true; FILE is held in memory")
      ->type_name("FILE")
      ->group(takes_two_arrays(to.op) ? "" : group_of_details);
  command
      .add_option("--weights", to.weights,
                  "Of each element, from an array of the same dtype, broadcast to FILE's, which is held in memory")
      ->type_name("FILE")
      ->group(to.ops == std::vector{op_kind::mean} ? group_of_details : "");
}

void add_output_options(CLI::App& command, reduce_arguments& to) {
  const char* const group = group_of_output;
  const bool described = to.op == op_kind::describe;
  command
      .add_option("-o,--output,--out", to.output,
                  "To a " + std::string(output_endings(to.result_ops())) + " file" +
                      (to.result_ops().size() > 1 || described ? "" : "; '-': .npy to a pipe"))
      ->type_name("FILE")
      ->group(group);
  command.add_flag("--json", to.json, "Value, bits, engine, plan, seconds, and errors as JSON")->group(group);
  command
      .add_flag("--hex", to.hex,
                std::string("The bits of ") + (described ? "values" : "the result") + ", like 0x3f800000")
      ->group(group);
  command.add_flag("--explain", to.explain, "The passes that were run, and why on this engine; on standard error")
      ->group(group_of_details);
}

void add_state_options(CLI::App& command, op_kind op, state_arguments& to) {
  const char* const group = group_of_states;
  const char* const files =
      takes_two_arrays(op)
          ? "Add the states in these files, '-' for standard input; X and Y stand before, or are left out"
          : "Add the states in these files, '-' for standard input; FILE stands before, or is left out";
  command.add_option("--merge", to.merge, files)->type_name("STATE...")->group(group);
  command.add_option("--save-state", to.save, "Write the state of all that was added, for a later --merge")
      ->type_name("STATE")
      ->group(group);
  command
      .add_option("--first-index", to.first_index,
                  "Where FILE begins in its batches (default: behind what is merged, or 0)")
      ->type_name("N")
      ->check(between(0, INT64_MAX))
      ->group(order_of(op) == element_order::indexed ? group : "");
  command
      .add_option("--checkpoint", to.checkpoint,
                  "Leave the sum so far here, and go on from it when started again; removed in the end")
      ->type_name("FILE")
      ->group(has_exact_form(op) ? group : "");
  command.add_option("--checkpoint-every", to.checkpoint_seconds, "Seconds between two of them (default: 10)")
      ->type_name("SECONDS")
      ->check(CLI::Validator(checked_seconds, ""))
      ->group(has_exact_form(op) ? group : "");
}

void add_segment_options(CLI::App& command, segment_arguments& to) {
  const char* const group = group_of_segments;
  command
      .add_option("--offsets", to.offsets, "Segment i is [offset i, offset i + 1): a list of int32 or int64, as of CSR")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--begins", to.begins, "Where segments begin, in any order; with --ends")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--ends", to.ends, "The places behind their last elements")->type_name("FILE")->group(group);
  command.add_option("--keys", to.keys, "A group for each element, from 0 to N - 1 in any order; with --groups")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--groups", to.groups, "How many groups there are")
      ->type_name("N")
      ->check(between(0, INT64_MAX))
      ->group(group);
}

}  // namespace

void add_reduce_options(CLI::App& command, std::optional<op_kind> op, reduce_arguments& to) {
  add_file_arguments(command, to);
  add_reduction_options(command, op, to.what);
  add_second_options(command, to);
  add_raw_options(command, to.raw);
  add_output_options(command, to);
  add_engine_options(command, to.how);
  add_devices_option(command, to.how);
  add_segment_options(command, to.segments);
  add_state_options(command, to.op, to.states);
}

}  // namespace multifold::app
