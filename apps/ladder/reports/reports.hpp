// The climb as text, as a page, and as JSON. No clocks, no files.
#pragma once

#include <string>

#include "climb.hpp"

namespace multifold::ladder {

/// A table for a terminal.
std::string text_report(const climb& c);

/// One HTML file that needs nothing else: a staircase under its roof, and each rung's source beside its figures.
std::string html_report(const climb& c);

/// One object on one line; its schema is "multifold.ladder/1".
std::string json_report(const climb& c);

/// "the sum of 67108864 f32 (256 MiB)".
std::string text_of(const problem& what);

/// What theory says of a tree of so many elements: steps, work, and cost by Brent's theorem.
std::string model_text(const problem& what);

}  // namespace multifold::ladder
