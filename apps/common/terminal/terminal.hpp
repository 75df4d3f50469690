// What is known of the terminal that text goes to: whether it has colours, and how wide it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace multifold::app {

enum class colour_choice : std::uint8_t { automatic, always, never };

/// What is_coloured goes by from now on; automatic until then.
void choose_colour(colour_choice choice) noexcept;

/// Whether text at `descriptor` may have colours. Where the choice is automatic, NO_COLOR says no, CLICOLOR_FORCE yes,
/// CLICOLOR=0 no, in this order, and else a terminal has colours that is not a dumb one.
bool is_coloured(int descriptor) noexcept;

/// Columns of the terminal at `descriptor`; 80 where there is none.
int terminal_columns(int descriptor) noexcept;

/// The columns that long texts on standard output are broken to: $COLUMNS, or the terminal's; 40 to 100.
int text_columns() noexcept;

enum class style : std::uint8_t { heading, failure };

/// `text` in the colours of `how`; as it is unless `coloured`.
std::string styled(std::string_view text, style how, bool coloured);

}  // namespace multifold::app
