// Standard output, written to the last byte or not without a word; and standard error, as it comes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace multifold::app {

/// Writes all of `text`. Throws failure (exit_code::input) if it cannot; without a message if the reader has gone.
void print(std::string_view text);

/// Text on its way to standard output, or elsewhere, in chunks, so that it may be larger than memory.
class text_output {
 public:
  explicit text_output(std::function<void(std::string_view)> sink = print) : sink_(std::move(sink)) {}

  text_output& operator<<(std::string_view text);

  /// Hands on what is left. Without it, the last chunk is lost.
  void flush();

 private:
  std::function<void(std::string_view)> sink_;
  std::string chunk_;
};

/// Writes `text`, of any number of lines, to standard error, as far as that can be done.
void print_aside(std::string_view text) noexcept;

}  // namespace multifold::app
