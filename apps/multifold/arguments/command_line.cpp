// The commands as one parser, and what is done with the words.
#include "arguments/command_line.hpp"

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "arguments/arguments.hpp"
#include "arguments/first_word.hpp"
#include "arguments/offered_ops.hpp"
#include "commands/command.hpp"
#include "commands/several_ops.hpp"
#include "common/complaint.hpp"
#include "common/help_format.hpp"
#include "common/misfit.hpp"
#include "common/standard_output.hpp"
#include "common/terminal/terminal.hpp"
#include "multifold/version.hpp"

namespace multifold::app {
namespace {

constexpr const char* footer =
    "Examples:\n"
    "  multifold sum x.npy            one value\n"
    "  multifold mean x.npy --axis 0  one value a column\n"
    "  multifold sum,max x.npy        several values of one read\n"
    "  multifold plan sum x.npy       how it would be done\n"
    "  multifold help sum --all       every option of sum\n";

constexpr const char* group_of_help = "Help";

colour_choice colour_of(std::string_view word) {
  return word == "always" ? colour_choice::always : word == "never" ? colour_choice::never : colour_choice::automatic;
}

// Errors in the words before or behind these are to be told as they want it.
void heed_manners(int argc, const char* const* argv) {
  complain_as_json(false);
  choose_colour(colour_choice::automatic);
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") return;
    if (word == "--json") complain_as_json(true);
    for (const std::string_view option : {"--color", "--colour"}) {
      if (word == option && i + 1 < argc) choose_colour(colour_of(argv[i + 1]));
      if (word.starts_with(option) && word.substr(option.size()).starts_with("=")) {
        choose_colour(colour_of(word.substr(option.size() + 1)));
      }
    }
  }
}

void add_colour_option(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "--color,--colour", [](const std::string& word) { choose_colour(colour_of(word)); },
          "auto (default): on terminals; always, or never")
      ->type_name("WHEN")
      ->transform(one_of(choices_of({"auto", "always", "never"})))
      ->default_str("auto")
      ->group(group_of_help);
}

void add_help_options(CLI::App& command) {
  command.get_help_ptr()->group(group_of_help);
  command.set_help_all_flag("--help-all", "Every option and example")->group(group_of_help);
  add_colour_option(command);
}

exit_code parse(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(app.help());  // of the command that was named, if one was
  } catch (const CLI::CallForAllHelp&) {
    print(app.get_subcommands().empty() ? whole_help(app) : app.help("", CLI::AppFormatMode::All));
  } catch (const CLI::CallForVersion&) {
    print("multifold " MULTIFOLD_VERSION "\n");
  } catch (const CLI::ParseError& e) {
    throw misfit(app, e);
  }
  return exit_code::success;
}

}  // namespace

void add_commands(CLI::App& app, chosen_command& chosen) {
  use_help_format(app, rare_groups());
  app.set_help_flag("-h,--help", "This text")->group(group_of_help);
  app.set_help_all_flag("--help-all", "Every option and example")->group(group_of_help);
  for (const op_kind op : offered_ops()) add_reduce_command(app, op, chosen);
  for (const host_fold_words& words : host_folds()) add_host_fold_command(app, words, chosen);
  add_plan_command(app, chosen);
  add_graph_command(app, chosen);
  add_info_command(app, chosen);
  add_help_command(app, chosen);
  add_version_command(app, chosen);
  add_completion_command(app, chosen);
  add_manual_command(app, chosen);
  app.require_subcommand(1);
  app.set_version_flag("--version", MULTIFOLD_VERSION, "The version")->group(group_of_help);
  add_colour_option(app);
  for (CLI::App* const sub : app.get_subcommands([](CLI::App*) { return true; })) add_help_options(*sub);
  app.footer(footer);
}

exit_code run_command_line(int argc, const char* const* argv, interrupt_watch& watch) {
  heed_manners(argc, argv);
  CLI::App app("Reduces arrays of any size, in files or from pipes, on the CPU or the GPU.", "multifold");
  chosen_command chosen;
  add_commands(app, chosen);
  if (const std::string word = word_of_command(argc, argv); const auto ops = several_ops(word)) {
    add_help_options(add_several_command(app, word, *ops, chosen));
  }
  require_command(app, argc, argv);
  const exit_code parsed = parse(app, argc, argv);
  return chosen ? chosen(watch) : parsed;
}

}  // namespace multifold::app
