// The commands and their options as the parser has them, for what is written about them: completions and the manual.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace multifold::app {

/// An option, or a word that a command takes without one.
struct option_words {
  std::vector<std::string> names;  // "-o", "--output"; none of a word without
  std::string value;               // what follows, like "N,N..."; empty if nothing does
  std::string about;
  std::string group;  // the heading in --help
  std::vector<std::string> choices;
  bool many = false;  // may be repeated
  bool file = false;
  bool operator==(const option_words&) const = default;
};

struct command_words {
  std::string name;
  std::string about;
  std::vector<option_words> options;  // what --help shows
  std::vector<option_words> words;    // what stands without an option, in order
  std::string examples;               // lines
};

/// Every command that --help shows, in its order. Options tell their validators only where they could be changed.
std::vector<command_words> commands_of(CLI::App& app);

}  // namespace multifold::app
