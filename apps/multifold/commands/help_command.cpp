// multifold help and multifold version.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "commands/command.hpp"
#include "common/messages/suggestion.hpp"
#include "common/standard_output.hpp"
#include "multifold/version.hpp"
#include "text/help/help_topics.hpp"

namespace multifold::app {
namespace {

struct help_arguments {
  std::string topic;
  bool all = false;
};

std::string program_help(const CLI::App& program, CLI::AppFormatMode mode) {
  return program.get_formatter()->make_help(&program, program.get_name(), mode);
}

std::string help_about(const CLI::App& program, const help_arguments& arguments) {
  const CLI::AppFormatMode mode = arguments.all ? CLI::AppFormatMode::All : CLI::AppFormatMode::Normal;
  if (arguments.topic.empty()) return arguments.all ? whole_help(program) : program_help(program, mode);
  for (const CLI::App* sub : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->check_name(arguments.topic)) return sub->help(program.get_name(), mode);
  }
  if (std::optional<std::string> text = help_on(arguments.topic)) return *text;
  std::vector<std::string> known = names_of_commands(program);
  for (const std::string& topic : help_topics()) known.push_back(topic);
  throw usage("help: found " + quoted(arguments.topic, known) + "; expected a command, or " + listed(help_topics()));
}

}  // namespace

std::string whole_help(const CLI::App& program) {
  std::string text = program_help(program, CLI::AppFormatMode::All);
  for (const CLI::App* sub : program.get_subcommands([](const CLI::App*) { return true; })) {
    text += "\n\n" + sub->help(program.get_name(), CLI::AppFormatMode::All);
  }
  return text;
}

void add_help_command(CLI::App& app, chosen_command& chosen) {
  const auto arguments = std::make_shared<help_arguments>();
  CLI::App& sub = *app.add_subcommand("help", "Help about a command, or " + listed(help_topics()));
  sub.group(group_of_other_commands);
  sub.add_option("TOPIC", arguments->topic, "A command, or " + listed(help_topics()))->type_name(" ");
  sub.add_flag("--all", arguments->all, "Every option and example, as --help-all");
  sub.footer("Examples:\n  multifold help sum\n  multifold help sum --all\n  multifold help environment\n");
  sub.callback([arguments, &app, &chosen] {
    chosen = [arguments, &app](interrupt_watch&) {
      print(help_about(app, *arguments));
      return exit_code::success;
    };
  });
}

void add_version_command(CLI::App& app, chosen_command& chosen) {
  CLI::App& sub = *app.add_subcommand("version", "The version, as --version");
  sub.group(group_of_other_commands);
  sub.callback([&chosen] {
    chosen = [](interrupt_watch&) {
      print("multifold " MULTIFOLD_VERSION "\n");
      return exit_code::success;
    };
  });
}

}  // namespace multifold::app
