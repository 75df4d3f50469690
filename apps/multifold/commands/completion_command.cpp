// multifold completion SHELL, and what packages are made with: multifold manual.
#include <CLI/CLI.hpp>

#include <memory>
#include <string>

#include "arguments/arguments.hpp"
#include "commands/command.hpp"
#include "common/misfit.hpp"
#include "common/standard_output.hpp"
#include "text/help/completion_text.hpp"
#include "text/help/manual_page.hpp"

namespace multifold::app {
namespace {

constexpr const char* completion_examples =
    "Examples:\n"
    "  multifold completion bash > multifold.bash  to be sourced in ~/.bashrc\n"
    "  multifold completion zsh > _multifold       for a folder of $fpath\n"
    "  multifold completion fish > multifold.fish  for ~/.config/fish/completions\n";

}  // namespace

void add_completion_command(CLI::App& app, chosen_command& chosen) {
  const auto shell = std::make_shared<std::string>();
  CLI::App& sub = *app.add_subcommand("completion", "A script that completes these commands in a shell");
  sub.add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->type_name("")
      ->transform(one_of(choices_of({"bash", "zsh", "fish"})));
  sub.group(group_of_other_commands);
  sub.footer(completion_examples);
  sub.callback([shell, &app, &chosen] {
    chosen = [shell, &app](interrupt_watch&) {
      const auto commands = commands_of(app);
      print(*shell == "bash"  ? bash_completion(commands)
            : *shell == "zsh" ? zsh_completion(commands)
                              : fish_completion(commands));
      return exit_code::success;
    };
  });
}

void add_manual_command(CLI::App& app, chosen_command& chosen) {
  CLI::App& sub = *app.add_subcommand("manual", "This tool's manual page, for man");
  sub.group("");
  sub.footer("Examples:\n  multifold manual | man -l -\n");
  sub.callback([&app, &chosen] {
    chosen = [&app](interrupt_watch&) {
      print(manual_page(commands_of(app), app.get_description(), app.get_footer()));
      return exit_code::success;
    };
  });
}

}  // namespace multifold::app
