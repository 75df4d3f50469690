// The parser's own words for these cases ("not expected", "1 required FILE missing") would not say what is expected.
#include "common/misfit.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include "common/messages/suggestion.hpp"

namespace multifold::app {
namespace {

// Without other names for them.
std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    const bool refused = option->get_group().empty();
    if (!refused && !option->get_lnames().empty()) names.push_back("--" + option->get_lnames()[0]);
  }
  return names;
}

// The option that `app` does not know, or "".
std::string unknown_option(const CLI::App& app) {
  for (const std::string& word : app.remaining()) {
    if (word.size() > 1 && word.starts_with("-")) return word.substr(0, word.find('='));
  }
  return "";
}

// A value too few, one too many, or a word too many; the parser's own words for anything else.
std::string what_is_wrong(const CLI::App& asked, const CLI::ParseError& error) {
  const std::string said = error.what();
  const auto kind = static_cast<CLI::ExitCodes>(error.get_exit_code());
  const std::vector<std::string> left = asked.remaining();
  if (kind == CLI::ExitCodes::ExtrasError && !left.empty()) return "found '" + left[0] + "'; expected nothing more";
  const std::string name = said.substr(0, said.find(':'));
  const CLI::Option* const option = asked.get_option_no_throw(name);
  if (kind != CLI::ExitCodes::ArgumentMismatch || option == nullptr) return said;
  const bool repeated = option->count() > static_cast<std::size_t>(option->get_items_expected_max());
  return name + (repeated ? ": found more than one; expected one " : ": found nothing; expected ") +
         option->get_type_name();
}

}  // namespace

failure misfit(const CLI::App& program, const CLI::ParseError& error) {
  const std::vector<CLI::App*> named = program.get_subcommands();
  const CLI::App& asked = named.empty() ? program : *named.front();
  if (const std::string early = unknown_option(program); !named.empty() && !early.empty()) {
    return usage("found the option '" + early + "' before " + asked.get_name() + "; expected it behind");
  }
  const std::string see = "; see " + program.get_name() + (named.empty() ? "" : " " + asked.get_name()) + " --help";
  const std::string option = unknown_option(asked);
  if (option.empty()) return usage(what_is_wrong(asked, error) + see);
  return usage("found the option " + quoted(option, options_of(asked)) + see);
}

CLI::Validator one_of(std::vector<choice> choices) {
  std::string name(choices_mark);
  for (const choice& each : choices) name += (name.size() == choices_mark.size() ? "" : "|") + each.word;
  return {[choices = std::move(choices)](std::string& text) { return choose(text, choices); }, "", name};
}

CLI::Validator between(std::int64_t least, std::int64_t greatest) {
  const auto misfit_of = [least, greatest](const std::string& text) -> std::string {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc() && stopped == end && number >= least && number <= greatest) return "";
    const std::string most = greatest == INT64_MAX ? " or more" : " to " + std::to_string(greatest);
    return "found '" + text + "'; expected " + std::to_string(least) + most;
  };
  return {[misfit_of](std::string& text) { return misfit_of(text); }, "", ""};
}

}  // namespace multifold::app
