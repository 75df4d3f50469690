// multifold OP FILE...: its options, and which of them go together.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command.hpp"
#include "reduce_files.hpp"

namespace multifold::app {
namespace {

void check(const reduce_arguments& arguments) {
  const bool to_file = !arguments.output.empty();
  if (arguments.files.size() > 1 && to_file) throw usage("-o: one file holds one result; expected one FILE");
  if (std::count(arguments.files.begin(), arguments.files.end(), "-") > 1) {
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

std::string examples(op_kind op) {
  const std::string_view o = name(op);
  return fmt::format(
      "Examples:\n"
      "  multifold {0} x.npy                              over all elements\n"
      "  multifold {0} x.npy --axis 0 -o out.npy          down the columns, into a file\n"
      "  multifold {0} x.bin --dtype f32 --shape 1000,64  raw elements\n"
      "  zstd -dc x.npy.zst | multifold {0} -             from a pipe, in bounded memory\n"
      "  multifold {0} x.npy --json                       with engine, plan and seconds\n",
      o);
}

}  // namespace

void add_reduce_command(CLI::App& app, op_kind op, command& chosen) {
  const auto arguments = std::make_shared<reduce_arguments>();
  arguments->op = op;
  const std::string about(description(op));
  CLI::App& sub = *app.add_subcommand(std::string(name(op)), "The " + about);
  sub.add_option("FILE", arguments->files, "A .npy file or raw elements, '-' for standard input; several, one by one")
      ->required()
      ->type_name(" ");
  add_reduction_options(sub, arguments->what);
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
