// One run as SVG: a row for each lane, time from left to right.
#pragma once

#include <cstdint>
#include <string>

#include "overlap/timeline.hpp"

namespace multifold::overlap {

/// What a picture is drawn for: a page, or the screen of a telephone.
enum class canvas : std::uint8_t { wide, narrow };

/// The picture of a run that has lanes, of the CSS class "wide" or "narrow". Its colours are classes, too, named like
/// the activities.
std::string drawing_of(const run& r, canvas on);

}  // namespace multifold::overlap
