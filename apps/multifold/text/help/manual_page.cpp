// The page, section by section. An option that several commands know alike stands once, with their names.
#include "text/help/manual_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "arguments/environment.hpp"
#include "multifold/version.hpp"
#include "text/help/help_topics.hpp"

namespace multifold::app {
namespace {

constexpr const char* files_section = R"(.SH FILES
.TP
.I $XDG_CACHE_HOME/multifold/rates, ~/.cache/multifold/rates
How fast this machine reads memory, measured once; engines are chosen by it.
)";

// One line or several, none of which is taken for a request.
std::string roff(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = i == 0 || text[i - 1] == '\n';
    if (begins && (text[i] == '.' || text[i] == '\'')) result += "\\&";
    if (text[i] == '\\') {
      result += "\\e";
    } else if (text[i] == '-') {
      result += "\\-";
    } else if (text[i] == '\'') {
      result += "\\(aq";
    } else if (text[i] == '~') {
      result += "\\(ti";
    } else {
      result += text[i];
    }
  }
  return result;
}

// Without blank lines at its ends, and without the headline that --help gives to examples.
std::string_view body(std::string_view text) {
  constexpr std::string_view headline = "Examples:\n";
  if (text.starts_with(headline)) text.remove_prefix(headline.size());
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

std::string as_it_is(std::string_view text) { return fmt::format(".nf\n.ft CR\n{}\n.ft\n.fi\n", roff(text)); }

std::string tagged(std::string_view what, std::string_view about) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}.\n", roff(what), roff(about));
}

struct entry {
  option_words option;
  std::vector<std::string> commands;
};

struct heading {
  std::string name;
  std::vector<std::string> commands;
  std::vector<entry> entries;
};

heading& heading_of(std::vector<heading>& headings, const std::string& name) {
  const auto known =
      std::find_if(headings.begin(), headings.end(), [&](const heading& each) { return each.name == name; });
  return known == headings.end() ? headings.emplace_back(heading{name, {}, {}}) : *known;
}

// Behind the last variant of the same option, if there is one.
void add(std::vector<entry>& entries, const option_words& option, const std::string& command) {
  const auto same =
      std::find_if(entries.begin(), entries.end(), [&](const entry& each) { return each.option == option; });
  if (same != entries.end()) {
    same->commands.push_back(command);
    return;
  }
  const auto variant = std::find_if(entries.rbegin(), entries.rend(),
                                    [&](const entry& each) { return each.option.names == option.names; });
  entries.insert(variant == entries.rend() ? entries.end() : variant.base(), {option, {command}});
}

// In the order of the first command that has each.
std::vector<heading> headings_of(const std::vector<command_words>& commands) {
  std::vector<heading> headings;
  for (const command_words& command : commands) {
    for (const option_words& option : command.options) {
      heading& group = heading_of(headings, option.group);
      if (group.commands.empty() || group.commands.back() != command.name) group.commands.push_back(command.name);
      add(group.entries, option, command.name);
    }
  }
  return headings;
}

// Which commands of the heading an option is of, or is not of, whichever is shorter.
std::string restriction(const heading& group, const entry& each) {
  std::vector<std::string> others;
  for (const std::string& command : group.commands) {
    if (std::find(each.commands.begin(), each.commands.end(), command) == each.commands.end())
      others.push_back(command);
  }
  if (others.empty()) return "";
  if (others.size() < each.commands.size()) return "\n" + roff(fmt::format("Not with: {}.", fmt::join(others, ", ")));
  return "\n" + roff(fmt::format("With: {}.", fmt::join(each.commands, ", ")));
}

std::string option_text(const heading& group, const entry& each) {
  const option_words& option = each.option;
  const std::string names = roff(fmt::format("{}", fmt::join(option.names, ", ")));
  const std::string value = option.value.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(option.value));
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}.{}\n", names, value, roff(option.about), restriction(group, each));
}

std::string words_of(const command_words& command) {
  std::string text;
  for (const option_words& word : command.words)
    text += fmt::format(" \\fI{}\\fR{}", word.value, word.many ? "..." : "");
  return text;
}

}  // namespace

std::string manual_page(const std::vector<command_words>& commands, const std::string& about,
                        const std::string& footer) {
  std::string text = fmt::format(
      ".\\\" Made by: multifold manual\n"
      ".TH MULTIFOLD 1 \"\" \"multifold {}\" \"User Commands\"\n"
      ".SH NAME\nmultifold \\- reduce arrays of any size to correctly rounded results\n"
      ".SH SYNOPSIS\n.B multifold\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIFILE\\fR...]\n"
      ".SH DESCRIPTION\n{}\n.PP\n\\fBmultifold\\fR \\fICOMMAND\\fR \\fB\\-\\-help\\fR shows one command with "
      "examples.\n"
      ".SH COMMANDS\n",
      MULTIFOLD_VERSION, roff(about));
  for (const command_words& command : commands) {
    text += fmt::format(".TP\n\\fB{}\\fR{}\n{}.\n", roff(command.name), words_of(command), roff(command.about));
  }
  text += ".SH OPTIONS\n";
  for (const heading& group : headings_of(commands)) {
    if (group.name != "Options") text += fmt::format(".SS \"{}\"\n", roff(group.name));
    for (const entry& each : group.entries) text += option_text(group, each);
  }
  text += ".SH EXAMPLES\n" + as_it_is(body(footer));
  text += ".SH EXIT STATUS\n";
  for (const help_row& row : exit_code_rows()) text += tagged(row.first, row.second);
  text += ".SH ENVIRONMENT\n";
  for (const environment_variable& variable : environment_variables()) text += tagged(variable.name, variable.about);
  return text + files_section + ".SH SEE ALSO\n.BR multifold (3)\n";
}

}  // namespace multifold::app
