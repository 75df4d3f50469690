// Offsets are random places in order; ranges are random places with lengths of all magnitudes.
#include "agreement/cuts.hpp"

#include <algorithm>
#include <cmath>

#include "agreement/data.hpp"

namespace multifold::agreement {
namespace {

// From 0 to `most`, as the seed has it: evenly, mostly the same few, or mostly small.
std::int64_t place(const cuts& c, std::uint64_t number, std::int64_t most) {
  const std::uint64_t bits = mixed(c.seed, number);
  const double u = static_cast<double>(bits >> 11) * 0x1p-53;
  const std::uint64_t manner = c.seed % 4;
  const double where = manner == 0 ? u : manner == 1 ? std::floor(u * 4) / 4 : manner == 2 ? u * u * u * u : u;
  const auto at = static_cast<std::int64_t>(where * static_cast<double>(most + 1));
  return std::clamp<std::int64_t>(manner == 3 && bits % 8 != 0 ? at % 17 : at, 0, most);
}

}  // namespace

std::size_t cut_axis(const trial& t) {
  if (!t.axes) return 0;
  const std::int64_t axis = t.axes->front();
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(t.extents.size()) : axis);
}

std::vector<std::pair<std::int64_t, std::int64_t>> segments_of(const trial& t) {
  const std::int64_t extent = t.extents[cut_axis(t)];
  std::vector<std::pair<std::int64_t, std::int64_t>> found;
  if (t.cut->ranges) {
    for (std::int64_t i = 0; i < t.cut->count; ++i) {
      const auto number = static_cast<std::uint64_t>(2 * i);
      const std::int64_t begin = place({false, false, 0, t.cut->seed & ~std::uint64_t{3}}, number, extent);
      found.emplace_back(begin, begin + place(*t.cut, number + 1, extent - begin));
    }
    return found;
  }
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i <= t.cut->count; ++i) {
    offsets.push_back(place(*t.cut, static_cast<std::uint64_t>(i), extent));
  }
  std::sort(offsets.begin(), offsets.end());
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) found.emplace_back(offsets[i], offsets[i + 1]);
  return found;
}

std::int64_t cut_elements(const trial& t) {
  std::int64_t along = 0, beside = 1;
  for (const auto& [begin, end] : segments_of(t)) along += end - begin;
  for (std::size_t i = 0; i < t.extents.size(); ++i) beside *= i == cut_axis(t) ? 1 : t.extents[i];
  return along * beside;
}

}  // namespace multifold::agreement
