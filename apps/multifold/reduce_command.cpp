// multifold OP FILE...: its options, and which of them go together.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command.hpp"
#include "multifold/reduction.hpp"
#include "reduce_files.hpp"

namespace multifold::app {
namespace {

void check_without_file(const reduce_arguments& arguments) {
  const std::string op(name(arguments.op));
  if (!arguments.states.used()) throw usage("FILE is required; see multifold " + op + " --help");
  if (arguments.states.merge.empty()) throw usage("--save-state: found nothing to add; expected a FILE or --merge");
  const raw_arguments& raw = arguments.raw;
  const bool about_a_file =
      raw.dtype || raw.shape || raw.offset || !arguments.what.axes.empty() || arguments.what.keepdims;
  if (!about_a_file) return;
  throw usage("--merge: --dtype, --shape, --offset, --axis and --keepdims are about a FILE; found none");
}

void check_states(const reduce_arguments& arguments) {
  const state_arguments& states = arguments.states;
  const std::string option = states.save ? "--save-state: " : "--merge: ";
  if (!has_exact_form(arguments.op)) {
    throw usage(option + std::string(name(arguments.op)) + " has no state; expected sum or mean");
  }
  if (arguments.files.size() > 1) throw usage(option + "a state goes with one value; expected one FILE");
  if (arguments.what.accuracy == "fast") throw usage(option + "states are exact sums; expected --accuracy exact");
  if (arguments.what.initial) throw usage(option + "found --initial, which takes no part in a state; expected none");
  if (states.save && states.save->empty()) throw usage("--save-state: found an empty name; expected a file");
  if (states.save == "-") throw usage("--save-state: standard output is for the value; expected a file");
  if (states.save == arguments.output) throw usage("--save-state: -o names the same file; expected another one");
}

void check(const reduce_arguments& arguments) {
  const bool to_file = !arguments.output.empty();
  if (arguments.states.used()) check_states(arguments);
  if (arguments.files.empty()) check_without_file(arguments);
  if (arguments.files.size() > 1 && to_file) throw usage("-o: one file holds one result; expected one FILE");
  const auto standard_inputs = [](const auto& names) { return std::count(names.begin(), names.end(), "-"); };
  if (standard_inputs(arguments.files) + standard_inputs(arguments.states.merge) > 1) {
    throw usage("'-' was given twice; standard input can be read once");
  }
  if (arguments.json && arguments.hex) throw usage("--hex: --json has value_hex already; expected one of the two");
  if (to_file && arguments.hex) throw usage("--hex: with -o nothing is printed; expected one of the two");
  if (arguments.json && arguments.output == "-") {
    throw usage("-o: standard output is taken by --json; expected another file");
  }
}

void add_output_options(CLI::App& command, reduce_arguments& to) {
  const char* const group = "What is printed";
  command.add_flag("--json", to.json, "One JSON object a file, on one line: value, bits, dtype, engine, plan, seconds")
      ->group(group);
  command.add_flag("--hex", to.hex, "The bits of the result, like 0x3f800000")->group(group);
  command.add_flag("--explain", to.explain, "The passes that were run, on standard error")->group(group);
  command.add_option("-o,--output", to.output, "Write the result as .npy instead ('-': to standard output)")
      ->type_name("OUT.npy")
      ->group(group);
}

// Other operations know the options, too, so that they can say why not.
void add_state_options(CLI::App& command, op_kind op, state_arguments& to) {
  const char* const group = has_exact_form(op) ? "States: exact sums that other runs and machines add to" : "";
  command
      .add_option("--merge", to.merge,
                  "Add the states in these files, '-' for standard input; FILE stands before, or is left out")
      ->type_name("STATE...")
      ->group(group);
  command.add_option("--save-state", to.save, "Write the sum itself, of all that was added, for a later --merge")
      ->type_name("STATE")
      ->group(group);
}

constexpr const char* state_examples =
    "  multifold {0} x.npy --save-state x.state         leave the exact sum, too\n"
    "  multifold {0} --merge x.state y.state            and add it to another machine's\n"
    "  multifold {0} z.npy --merge x.state --save-state x.state  go on where a run has ended\n";

std::string examples(op_kind op) {
  const std::string_view o = name(op);
  return fmt::format(
             "Examples:\n"
             "  multifold {0} x.npy                              over all elements\n"
             "  multifold {0} x.npy --axis 0 -o out.npy          down the columns, into a file\n"
             "  multifold {0} x.bin --dtype f32 --shape 1000,64  raw elements\n"
             "  zstd -dc x.npy.zst | multifold {0} -             from a pipe, in bounded memory\n"
             "  multifold {0} x.npy --json                       with engine, plan and seconds\n",
             o) +
         (has_exact_form(op) ? fmt::format(state_examples, o) : "");
}

}  // namespace

void add_reduce_command(CLI::App& app, op_kind op, command& chosen) {
  const auto arguments = std::make_shared<reduce_arguments>();
  arguments->op = op;
  const std::string about(description(op));
  CLI::App& sub = *app.add_subcommand(std::string(name(op)), "The " + about);
  sub.add_option("FILE", arguments->files, "A .npy file or raw elements, '-' for standard input; several, one by one")
      ->required(!has_exact_form(op))
      ->type_name(" ");
  add_reduction_options(sub, arguments->what);
  add_state_options(sub, op, arguments->states);
  add_raw_options(sub, arguments->raw);
  add_output_options(sub, *arguments);
  add_engine_options(sub, arguments->how);
  sub.footer(examples(op));
  sub.callback([arguments, &chosen] {
    chosen = [arguments](interrupt_watch& watch) {
      check(*arguments);
      return reduce_files(*arguments, watch);
    };
  });
}

}  // namespace multifold::app
