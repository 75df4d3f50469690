// What people put first that is no command: slips, files, and names of NumPy's.
#include "arguments/first_word.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "commands/command.hpp"
#include "common/messages/failure.hpp"
#include "common/messages/suggestion.hpp"
#include "folds/host_fold.hpp"

namespace multifold::app {
namespace {

bool is_command(const CLI::App& app, const std::string& word) {
  return !app.get_subcommands([&word](const CLI::App* sub) { return sub->check_name(word); }).empty();
}

std::string expected_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_group().empty()) continue;
    names.push_back(sub->get_name());
  }
  return "expected " + listed(names) + "; see multifold --help";
}

}  // namespace

std::vector<std::string> names_of_commands(const CLI::App& program) {
  std::vector<std::string> words;
  for (const CLI::App* sub : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_group().empty()) continue;
    words.push_back(sub->get_name());
    words.insert(words.end(), sub->get_aliases().begin(), sub->get_aliases().end());
  }
  return words;
}

void require_command(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2) throw usage("no operation was given; " + expected_commands(app));
  const std::string first = argv[1];
  if (first.starts_with("-") || is_command(app, first)) return;
  const std::string found = "found the operation " + quoted(first, names_of_commands(app));
  if (!similar_words(first, names_of_commands(app)).empty()) throw usage(found + "; see multifold --help");
  // NumPy's way to leave out NaN.
  if (first.starts_with("nan") && is_command(app, first.substr(3)) && !is_host_fold(first.substr(3))) {
    throw usage(found + "; expected " + first.substr(3) + " with --nan omit");
  }
  std::error_code ignored;
  if (std::filesystem::exists(first, ignored)) {
    throw usage("found the file " + label_of(first) + " in the place of an operation; " + expected_commands(app));
  }
  throw usage(found + "; " + expected_commands(app));
}

}  // namespace multifold::app
