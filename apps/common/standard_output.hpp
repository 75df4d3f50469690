// Standard output, written to the last byte or not without a word; and standard error, as it comes.
#pragma once

#include <string>
#include <string_view>

namespace multifold::app {

/// Writes all of `text`. Throws failure (exit_code::input) if it cannot; without a message if the reader has gone.
void print(std::string_view text);

/// Text on its way to standard output, in pieces, so that it may be larger than memory.
class text_output {
 public:
  text_output& operator<<(std::string_view text);

  /// Prints what is left. Without it, the last piece is not.
  void flush();

 private:
  std::string piece_;
};

/// Writes `text`, of any number of lines, to standard error, as far as that can be done.
void print_aside(std::string_view text) noexcept;

}  // namespace multifold::app
