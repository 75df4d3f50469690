// Three dialects of the same tables. What several commands share stands once.
#include "text/help/completion_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

namespace multifold::app {
namespace {

constexpr const char* options_of_all = "--help --version";

std::string names_of(const std::vector<command_words>& commands) {
  std::vector<std::string> names;
  for (const command_words& command : commands) names.push_back(command.name);
  return fmt::format("{}", fmt::join(names, " "));
}

// `text` with `by` in front of each of the characters `marks`.
std::string escaped(const std::string& text, std::string_view marks, std::string_view by = "\\") {
  std::string result;
  for (const char c : text) {
    if (marks.find(c) != std::string_view::npos) result += by;
    result += c;
  }
  return result;
}

// Commands by what is said of them, in the order of the first of each.
using shared_text = std::vector<std::pair<std::string, std::vector<std::string>>>;

void share(shared_text& texts, const std::string& text, const std::string& command) {
  const auto known = std::find_if(texts.begin(), texts.end(), [&](const auto& each) { return each.first == text; });
  if (known == texts.end()) {
    texts.push_back({text, {command}});
  } else {
    known->second.push_back(command);
  }
}

// --- bash ---

std::string bash_options(const command_words& command) {
  std::vector<std::string> names;
  for (const option_words& option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return fmt::format("options='{}'", fmt::join(names, " "));
}

// What may stand where no option's value does: choices, else files.
std::string bash_words(const command_words& command) {
  std::vector<std::string> choices;
  bool files = false;
  for (const option_words& word : command.words) {
    choices.insert(choices.end(), word.choices.begin(), word.choices.end());
    files = files || word.choices.empty();
  }
  return fmt::format(" words='{}' files={}", fmt::join(choices, " "), files ? 1 : 0);
}

void share_bash_values(shared_text& values, const option_words& option) {
  if (option.value.empty()) return;
  const std::string words = fmt::format("words='{}' files={}", fmt::join(option.choices, " "), option.file ? 1 : 0);
  for (const std::string& name : option.names) share(values, words, name);
}

std::string bash_cases(const shared_text& cases) {
  std::string text;
  for (auto [what, names] : cases) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    text += fmt::format("    {})\n      {}\n      ;;\n", fmt::join(names, " | "), what);
  }
  return text;
}

// --- zsh ---

std::string zsh_action(const option_words& option) {
  if (!option.choices.empty()) return fmt::format("({})", fmt::join(option.choices, " "));
  return option.file ? "_files" : " ";
}

std::string zsh_option(const option_words& option) {
  const std::string about = escaped(escaped(option.about, "[]:\\"), "'", "'\\'");
  std::string value;
  if (!option.value.empty()) value = fmt::format(":{}:{}", escaped(option.value, ":"), zsh_action(option));
  std::string text;
  for (const std::string& name : option.names) {
    const std::string others = option.many ? "*" : fmt::format("({})", fmt::join(option.names, " "));
    text += fmt::format("        '{}{}[{}]{}' \\\n", others, name, about, value);
  }
  return text;
}

std::string zsh_arguments(const command_words& command) {
  std::string text;
  for (const option_words& option : command.options) text += zsh_option(option);
  for (const option_words& word : command.words) {
    text += fmt::format("        '{}:{}:{}' \\\n", word.many ? "*" : "", word.value,
                        word.choices.empty() ? "_files" : zsh_action(word));
  }
  return text;
}

// --- fish ---

std::string fish_quoted(const std::string& text) { return "'" + escaped(text, "\\'") + "'"; }

std::string fish_value(const option_words& option) {
  if (option.value.empty()) return "";
  if (!option.choices.empty()) return fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
  return option.file ? " -r -F" : " -x";
}

std::string fish_option(const option_words& option) {
  std::string text;
  for (const std::string& name : option.names) {
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return text + fish_value(option) + " -d " + fish_quoted(option.about);
}

std::string fish_word(const option_words& word) {
  return word.choices.empty() ? " -F" : fmt::format(" -f -a '{}'", fmt::join(word.choices, " "));
}

}  // namespace

std::string bash_completion(const std::vector<command_words>& commands) {
  shared_text options, values;
  for (const command_words& command : commands) {
    share(options, bash_options(command) + bash_words(command), command.name);
    for (const option_words& option : command.options) share_bash_values(values, option);
  }
  return fmt::format(R"(# bash completion for multifold; made by: multifold completion bash

_multifold() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} options words='' files=0
  if [[ $word == '=' ]]; then
    word=''
  elif [[ $before == '=' ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W '{0} {1}' -- "$word")
    return
  fi
  case ${{COMP_WORDS[1]}} in
{2}    *) return ;;
  esac
  case $before in
{3}    *) if [[ $word == -* ]]; then words=$options files=0; fi ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  if ((files)); then
    compopt -o filenames 2>/dev/null
    mapfile -t -O ${{#COMPREPLY[@]}} COMPREPLY < <(compgen -f -- "$word")
  fi
}}
complete -F _multifold multifold
)",
                     names_of(commands), options_of_all, bash_cases(options), bash_cases(values));
}

std::string zsh_completion(const std::vector<command_words>& commands) {
  shared_text arguments;
  std::string names;
  for (const command_words& command : commands) {
    share(arguments, zsh_arguments(command), command.name);
    names += fmt::format("    '{}:{}'\n", command.name, escaped(escaped(command.about, ":\\"), "'", "'\\'"));
  }
  std::string cases;
  for (const auto& [text, of] : arguments) {
    cases +=
        fmt::format("    ({})\n      _arguments -s -S \\\n{}        && return 0\n      ;;\n", fmt::join(of, "|"), text);
  }
  return fmt::format(R"(#compdef multifold
# zsh completion for multifold; made by: multifold completion zsh

_multifold() {{
  local -a commands
  commands=(
{0}  )
  if ((CURRENT == 2)); then
    _describe command commands && return 0
    compadd -- {1}
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
{2}  esac
  return 1
}}

if [[ $funcstack[1] == _multifold ]]; then
  _multifold "$@"
else
  compdef _multifold multifold
fi
)",
                     names, options_of_all, cases);
}

std::string fish_completion(const std::vector<command_words>& commands) {
  shared_text lines;
  std::string text = R"(# fish completion for multifold; made by: multifold completion fish

function __multifold_is
    set -l words (commandline -opc)
    test (count $words) -ge 2; and contains -- $words[2] $argv
end

complete -c multifold -f
complete -c multifold -n 'test (count (commandline -opc)) -eq 1' -l version -d 'The version'
)";
  for (const command_words& command : commands) {
    text += fmt::format("complete -c multifold -n 'test (count (commandline -opc)) -eq 1' -a {} -d {}\n", command.name,
                        fish_quoted(command.about));
    for (const option_words& option : command.options) share(lines, fish_option(option), command.name);
    for (const option_words& word : command.words) share(lines, fish_word(word), command.name);
  }
  for (auto [line, of] : lines) {
    of.erase(std::unique(of.begin(), of.end()), of.end());
    text += fmt::format("complete -c multifold -n '__multifold_is {}'{}\n", fmt::join(of, " "), line);
  }
  return text;
}

}  // namespace multifold::app
