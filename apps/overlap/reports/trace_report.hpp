// The report for Perfetto (ui.perfetto.dev) and chrome://tracing.
#pragma once

#include <string>

#include "overlap/timeline.hpp"

namespace multifold::overlap {

/// Chrome's trace event format: a process a run, a thread a lane.
std::string trace_report(const report& r);

}  // namespace multifold::overlap
