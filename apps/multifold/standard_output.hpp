// Standard output, written to the last byte or not without a word; and standard error, as it comes.
#pragma once

#include <string_view>

namespace multifold::app {

/// Writes all of `text`. Throws failure (exit_code::input) if it cannot; without a message if the reader has gone.
void print(std::string_view text);

/// Writes `text`, of any number of lines, to standard error, as far as that can be done.
void print_aside(std::string_view text) noexcept;

}  // namespace multifold::app
