// Reads a parser. Its options know their choices by the name of a validator, because validators do not tell theirs.
#include "arguments/command_words.hpp"

#include <CLI/CLI.hpp>

#include <string_view>

#include "common/misfit.hpp"

namespace multifold::app {
namespace {

std::vector<std::string> choices_of(CLI::Option& option) {
  std::vector<std::string> choices;
  try {
    for (int i = 0;; ++i) {
      std::string_view name = option.get_validator(i)->get_name();
      if (!name.starts_with(choices_mark)) continue;
      name.remove_prefix(choices_mark.size());
      while (!name.empty()) {
        const std::size_t end = std::min(name.find('|'), name.size());
        choices.emplace_back(name.substr(0, end));
        name.remove_prefix(std::min(end + 1, name.size()));
      }
    }
  } catch (const CLI::OptionNotFound&) {  // how validators end
  }
  return choices;
}

// The parser's defaults and blanks for "nothing" are not for readers.
std::string value_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return option.get_items_expected_max() == 0 || type == " " ? "" : type;
}

option_words words_of(CLI::Option& option) {
  option_words words;
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  words.value = option.get_positional() ? option.get_single_name() : value_of(option);
  words.about = option.get_description();
  words.group = option.get_group();
  words.choices = choices_of(option);
  words.many = option.get_items_expected_max() > 1;
  for (const std::string_view kind : {"FILE", "X", "Y", "STATE", "STATE..."}) {
    words.file = words.file || words.value == kind;
  }
  return words;
}

}  // namespace

std::vector<command_words> commands_of(CLI::App& app) {
  std::vector<command_words> commands;
  for (CLI::App* const sub : app.get_subcommands([](CLI::App*) { return true; })) {
    if (sub->get_group().empty()) continue;
    command_words command{sub->get_name(), sub->get_description(), {}, {}, sub->get_footer()};
    for (CLI::Option* const option : sub->get_options()) {
      if (option->get_positional()) {
        command.words.push_back(words_of(*option));
      } else if (!option->get_group().empty()) {
        command.options.push_back(words_of(*option));
      }
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

}  // namespace multifold::app
