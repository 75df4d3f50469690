// Which indices of a long axis are shown in text.
#pragma once

#include <cstdint>

namespace multifold::app {

inline constexpr std::int64_t edge_indices = 3;

/// Calls `shown(index)` for the indices of an axis that are shown, and `gap()` where some are not: in a shortened text
/// only the first and last three of an axis are.
template <class Shown, class Gap>
void for_shown(std::int64_t extent, bool shortened, const Shown& shown, const Gap& gap) {
  const bool is_cut = shortened && extent > 2 * edge_indices;
  const std::int64_t first = is_cut ? edge_indices : extent;
  for (std::int64_t i = 0; i < first; ++i) shown(i);
  if (!is_cut) return;
  gap();
  for (std::int64_t i = extent - edge_indices; i < extent; ++i) shown(i);
}

}  // namespace multifold::app
