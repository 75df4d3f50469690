// Results of any rank as text, element by element.
#pragma once

#include <cstdint>

#include "common/standard_output.hpp"
#include "multifold/reduce.hpp"

namespace multifold::app {

enum class notation : std::uint8_t { decimal, hex };

/// Results of more elements than this show the first and last three along each axis.
inline constexpr std::int64_t most_elements_shown = 1000;

std::int64_t elements_of(const reduce_result& result);

/// Prints all elements, in lines without brackets, as numpy.loadtxt reads them: of one axis an element a line, of more
/// a row a line, with a blank line between matrices.
void print_lines(const reduce_result& result, notation how, text_output& out);

/// Prints a single value, or nested rows in brackets as NumPy does; no newline at the end.
void print_array(const reduce_result& result, notation how, text_output& out);

}  // namespace multifold::app
