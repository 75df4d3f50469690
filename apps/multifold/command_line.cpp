// The commands as one parser, and what becomes of the words that it does not understand.
#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <string>

#include "command.hpp"
#include "common/standard_output.hpp"
#include "multifold/version.hpp"
#include "offered_ops.hpp"

namespace multifold::app {
namespace {

constexpr const char* footer =
    "Examples:\n"
    "  multifold sum x.npy                      one value\n"
    "  multifold mean x.npy --axis 0            one value a column\n"
    "  multifold argmax x.bin --dtype i16       raw elements\n"
    "  multifold dot x.npy y.npy                of two arrays\n"
    "  multifold describe x.npy                 counts, extremes, mean, deviation: all at once\n"
    "  multifold plan sum x.npy                 how it would be done\n"
    "  multifold graph sum x.npy                what a GPU would run\n"
    "  multifold sum --help                     every option\n"
    "\n"
    "Exit codes: 0 done, 1 out of memory and the like, 2 usage, 3 input or output that cannot be read or written,\n"
    "4 no such engine, 5 device error, 6 the result does not fit its type, 128 + N ended by signal N, as 130 by "
    "Ctrl-C.\n";

std::string command_names() {
  std::string names;
  for (const op_kind op : offered_ops()) names += std::string(name(op)) + ", ";
  return names + "plan, graph or info";
}

bool is_command(const CLI::App& app, const std::string& word) {
  return !app.get_subcommands([&word](const CLI::App* sub) { return sub->get_name() == word; }).empty();
}

// The parser's own words for this case ("not expected") would not say what is.
void require_command(const CLI::App& app, int argc, const char* const* argv) {
  const std::string expected = "expected " + command_names() + "; see multifold --help";
  if (argc < 2) throw usage("no operation was given; " + expected);
  const std::string first = argv[1];
  if (!first.starts_with("-") && !is_command(app, first)) {
    throw usage("found the operation '" + first + "'; " + expected);
  }
}

exit_code parse(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(app.help());  // of the command that was named, if one was
  } catch (const CLI::CallForVersion&) {
    print("multifold " MULTIFOLD_VERSION "\n");
  } catch (const CLI::ParseError& e) {
    const auto named = app.get_subcommands();
    throw usage(std::string(e.what()) + "; see multifold " + (named.empty() ? "" : named.front()->get_name() + " ") +
                "--help");
  }
  return exit_code::success;
}

}  // namespace

exit_code run_command_line(int argc, const char* const* argv, interrupt_watch& watch) {
  CLI::App app("multifold reduces arrays of any size, in files or from pipes, on the CPU or the GPU.", "multifold");
  command chosen;
  for (const op_kind op : offered_ops()) add_reduce_command(app, op, chosen);
  add_plan_command(app, chosen);
  add_graph_command(app, chosen);
  add_info_command(app, chosen);
  app.require_subcommand(1);
  app.set_version_flag("--version", MULTIFOLD_VERSION);
  app.footer(footer);
  require_command(app, argc, argv);
  const exit_code parsed = parse(app, argc, argv);
  return chosen ? chosen(watch) : parsed;
}

}  // namespace multifold::app
