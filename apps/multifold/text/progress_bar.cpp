// Drawing one line over and over.
#include "text/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "common/terminal/terminal.hpp"
#include "text/size_text.hpp"

namespace multifold::app {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view erase = "\r\x1b[K";
constexpr std::size_t bar_cells = 24;

void put(std::string_view text) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

bool progress_bar::wanted() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

// Runs that are over in no time draw nothing: the first line is due after a third of a second.
progress_bar::progress_bar(std::string label, std::optional<std::int64_t> total_bytes)
    : label_(std::move(label)),
      total_bytes_(total_bytes),
      colour_(is_coloured(STDERR_FILENO)),
      visible_(wanted()),
      next_(start_ + 333ms) {}

void progress_bar::update(std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto now = clock::now();
  if (!visible_ || now < next_) return;
  next_ = now + 100ms;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  put(std::string(erase) + line(bytes, seconds));
  drawn_ = true;
}

void progress_bar::clear() {
  const std::lock_guard lock(mutex_);
  visible_ = false;
  if (drawn_) put(erase);
  drawn_ = false;
}

std::string progress_bar::line(std::int64_t bytes, double seconds) const {
  const double rate = static_cast<double>(bytes) / seconds;
  std::string figures;
  std::string bar;
  if (total_bytes_ && *total_bytes_ > 0) {
    const double done = std::min(1.0, static_cast<double>(bytes) / static_cast<double>(*total_bytes_));
    const auto cells = static_cast<std::size_t>(done * static_cast<double>(bar_cells));
    bar = std::string(cells, '#') + std::string(bar_cells - cells, '.');
    figures = fmt::format(" {:3.0f} %  {}", done * 100, rate_text(rate));
    if (bytes > 0) figures += "  " + duration_text(static_cast<double>(*total_bytes_ - bytes) / rate) + " left";
  } else {
    figures = fmt::format(" {}  {}", size_text(bytes), rate_text(rate));
  }
  // What does not fit is left away, first the name, then the bar: a line that wraps could not be erased.
  const auto columns = static_cast<std::size_t>(terminal_columns(STDERR_FILENO) - 1);
  std::string text = figures;
  if (bar.size() + figures.size() <= columns) text = (colour_ ? "\x1b[32m" + bar + "\x1b[0m" : bar) + figures;
  if (label_.size() + 1 + bar.size() + figures.size() <= columns) text = label_ + " " + text;
  return figures.size() <= columns ? text : "";
}

}  // namespace multifold::app
