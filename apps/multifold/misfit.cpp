// The parser's own words for these cases ("not expected") would not say what is.
#include "misfit.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "command.hpp"
#include "common/suggestion.hpp"

namespace multifold::app {
namespace {

bool is_command(const CLI::App& app, const std::string& word) {
  return !app.get_subcommands([&word](const CLI::App* sub) { return sub->check_name(word); }).empty();
}

std::string expected_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return "expected " + listed(names) + "; see multifold --help";
}

// Without other names for them.
std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    const bool refused = option->get_group().empty();
    if (!refused && !option->get_lnames().empty()) names.push_back("--" + option->get_lnames()[0]);
  }
  return names;
}

std::string see_help(const CLI::App& app) {
  return "; see multifold " + (app.get_parent() == nullptr ? "" : app.get_name() + " ") + "--help";
}

// The option that `app` does not know, or "".
std::string unknown_option(const CLI::App& app) {
  for (const std::string& word : app.remaining()) {
    if (word.size() > 1 && word.starts_with("-")) return word.substr(0, word.find('='));
  }
  return "";
}

}  // namespace

std::vector<std::string> command_words(const CLI::App& program) {
  std::vector<std::string> words;
  for (const CLI::App* sub : program.get_subcommands([](const CLI::App*) { return true; })) {
    words.push_back(sub->get_name());
    words.insert(words.end(), sub->get_aliases().begin(), sub->get_aliases().end());
  }
  return words;
}

void require_command(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2) throw usage("no operation was given; " + expected_commands(app));
  const std::string first = argv[1];
  if (first.starts_with("-") || is_command(app, first)) return;
  const std::string found = "found the operation " + quoted(first, command_words(app));
  if (!similar_words(first, command_words(app)).empty()) throw usage(found + "; see multifold --help");
  // NumPy's way to leave out NaN.
  if (first.starts_with("nan") && is_command(app, first.substr(3))) {
    throw usage(found + "; expected " + first.substr(3) + " with --nan omit");
  }
  std::error_code ignored;
  if (std::filesystem::exists(first, ignored)) {
    throw usage("found the file " + label_of(first) + " in the place of an operation; " + expected_commands(app));
  }
  throw usage(found + "; " + expected_commands(app));
}

failure misfit(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> named = app.get_subcommands();
  const CLI::App& asked = named.empty() ? app : *named.front();
  if (const std::string early = unknown_option(app); !named.empty() && !early.empty()) {
    return usage("found the option '" + early + "' before " + asked.get_name() + "; expected it behind");
  }
  const std::string option = unknown_option(asked);
  if (option.empty()) return usage(error.what() + see_help(asked));
  return usage("found the option " + quoted(option, options_of(asked)) + see_help(asked));
}

}  // namespace multifold::app
