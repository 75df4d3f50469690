// The segments and groups of a trial: each is a function of the seed and of its number, so that smaller trials keep
// some.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "agreement/trial/trial.hpp"

namespace multifold::agreement {

/// Whether one axis has segments or groups, and which.
bool is_cut(const trial& t);
std::size_t cut_axis(const trial& t);
/// How many there are.
std::int64_t cut_count(const trial& t);

/// Begin and end of every segment of `t.cut`.
std::vector<std::pair<std::int64_t, std::int64_t>> segments_of(const trial& t);
/// The key of every element along the axis of `t.keyed`; none if there are no groups.
std::vector<std::int64_t> keys_of(const trial& t);

/// Neighbours of one segment or group, and the place from which their indices count.
struct range {
  std::int64_t begin, end, origin;
};
std::vector<std::vector<range>> ranges_of(const trial& t);

/// Elements of all segments or groups.
std::int64_t cut_elements(const trial& t);

}  // namespace multifold::agreement
