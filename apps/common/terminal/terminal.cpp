// Environment variables, ioctl and escape sequences.
#include "common/terminal/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace multifold::app {
namespace {

constexpr int usual_columns = 80, least_columns = 40, most_columns = 100;

colour_choice chosen = colour_choice::automatic;

// "" where there is no such variable.
std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_colour_terminal(int descriptor) {
  const std::string_view terminal = variable("TERM");
  return ::isatty(descriptor) != 0 && !terminal.empty() && terminal != "dumb";
}

}  // namespace

void choose_colour(colour_choice choice) noexcept { chosen = choice; }

// https://no-color.org and https://bixense.com/clicolors
bool is_coloured(int descriptor) noexcept {
  if (chosen != colour_choice::automatic) return chosen == colour_choice::always;
  if (!variable("NO_COLOR").empty()) return false;
  if (const std::string_view force = variable("CLICOLOR_FORCE"); !force.empty() && force != "0") return true;
  return variable("CLICOLOR") != "0" && is_colour_terminal(descriptor);
}

int terminal_columns(int descriptor) noexcept {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual_columns;
}

int text_columns() noexcept {
  const std::string_view asked = variable("COLUMNS");
  int columns = 0;
  const auto [end, code] = std::from_chars(asked.data(), asked.data() + asked.size(), columns);
  const bool whole = code == std::errc{} && end == asked.data() + asked.size();
  if (!whole || columns <= 0) columns = terminal_columns(STDOUT_FILENO);
  return std::clamp(columns, least_columns, most_columns);
}

std::string styled(std::string_view text, style how, bool coloured) {
  if (!coloured) return std::string(text);
  return (how == style::heading ? "\x1b[1m" : "\x1b[1;31m") + std::string(text) + "\x1b[0m";
}

}  // namespace multifold::app
