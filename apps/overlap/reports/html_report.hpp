// The report as one HTML file that needs nothing else: drawn as SVG, for light and dark screens, wide and narrow.
#pragma once

#include <string>

#include "overlap/timeline.hpp"

namespace multifold::overlap {

std::string html_report(const report& r);

}  // namespace multifold::overlap
