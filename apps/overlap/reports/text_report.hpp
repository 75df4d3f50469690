// The report for a terminal.
#pragma once

#include <string>

#include "overlap/timeline.hpp"

namespace multifold::overlap {

/// A table of the runs of each section, and a line of letters for each lane: r reads, # reduces, . waits.
std::string text_report(const report& r);

}  // namespace multifold::overlap
