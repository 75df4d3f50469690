// Results of any rank as text.
#pragma once

#include <cstdint>
#include <string>

#include "multifold/reduce.hpp"

namespace multifold::app {

enum class notation : std::uint8_t { decimal, hex };

/// Results of more elements than this show the first and last three along each axis.
inline constexpr std::int64_t most_elements_shown = 1000;

std::int64_t elements_of(const reduce_result& result);

/// A single value, or nested rows in brackets as NumPy prints them; no newline at the end.
std::string array_text(const reduce_result& result, notation how);

}  // namespace multifold::app
