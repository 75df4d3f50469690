// One run as SVG: a row for each lane, time from left to right.
#pragma once

#include <string>

#include "timeline.hpp"

namespace multifold::overlap {

/// The picture of a run that has lanes. Its colours are classes of CSS, named like the activities.
std::string drawing_of(const run& r);

}  // namespace multifold::overlap
