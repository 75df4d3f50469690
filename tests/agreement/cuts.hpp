// The segments of a trial: each is a function of the seed and of its number, so that smaller trials keep some.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "agreement/trial.hpp"

namespace multifold::agreement {

/// The axis that is cut.
std::size_t cut_axis(const trial& t);
/// Begin and end of every segment of `t.cut`.
std::vector<std::pair<std::int64_t, std::int64_t>> segments_of(const trial& t);
/// Elements of all segments.
std::int64_t cut_elements(const trial& t);

}  // namespace multifold::agreement
