// Offsets are random places in order; ranges are random places with lengths of all magnitudes; keys are random groups,
// in order, in runs, or mixed.
#include "agreement/trial/cuts.hpp"

#include <algorithm>
#include <cmath>

#include "agreement/trial/data.hpp"

namespace multifold::agreement {
namespace {

// From 0 to `most`, as the seed has it: evenly, mostly the same few, or mostly small.
std::int64_t place(std::uint64_t seed, std::uint64_t number, std::int64_t most) {
  const std::uint64_t bits = mixed(seed, number);
  const double u = static_cast<double>(bits >> 11) * 0x1p-53;
  const std::uint64_t manner = seed % 4;
  const double where = manner == 0 ? u : manner == 1 ? std::floor(u * 4) / 4 : manner == 2 ? u * u * u * u : u;
  const auto at = static_cast<std::int64_t>(where * static_cast<double>(most + 1));
  return std::clamp<std::int64_t>(manner == 3 && bits % 8 != 0 ? at % 17 : at, 0, most);
}

}  // namespace

bool is_cut(const trial& t) { return t.cut || t.keyed; }

std::int64_t cut_count(const trial& t) { return t.cut ? t.cut->count : t.keyed->count; }

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
      const std::int64_t begin = place(t.cut->seed & ~std::uint64_t{3}, number, extent);
      found.emplace_back(begin, begin + place(t.cut->seed, number + 1, extent - begin));
    }
    return found;
  }
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i <= t.cut->count; ++i) {
    places.push_back(place(t.cut->seed, static_cast<std::uint64_t>(i), extent));
  }
  std::sort(places.begin(), places.end());
  for (std::size_t i = 0; i + 1 < places.size(); ++i) found.emplace_back(places[i], places[i + 1]);
  return found;
}

std::vector<std::int64_t> keys_of(const trial& t) {
  const groups& g = *t.keyed;
  std::vector<std::int64_t> keys(static_cast<std::size_t>(t.extents[cut_axis(t)]));
  if (g.count == 0) return keys;  // which are no groups
  const std::uint64_t run = g.kind == groups::order::runs ? 1 + g.seed % 37 : 1;
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = place(g.seed, i / run, g.count - 1);
  if (g.kind == groups::order::ascending) std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<std::vector<range>> ranges_of(const trial& t) {
  std::vector<std::vector<range>> lists(static_cast<std::size_t>(cut_count(t)));
  if (t.cut) {
    const auto segments = segments_of(t);
    for (std::size_t i = 0; i < lists.size(); ++i)
      lists[i] = {{segments[i].first, segments[i].second, segments[i].first}};
    return lists;
  }
  if (lists.empty()) return lists;
  const std::vector<std::int64_t> keys = keys_of(t);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::vector<range>& list = lists[static_cast<std::size_t>(keys[i])];
    const auto at = static_cast<std::int64_t>(i);
    if (!list.empty() && list.back().end == at) ++list.back().end;
    else list.push_back({at, at + 1, 0});
  }
  return lists;
}

std::int64_t cut_elements(const trial& t) {
  std::int64_t along = 0, beside = 1;
  for (const std::vector<range>& list : ranges_of(t)) {
    for (const range& each : list) along += each.end - each.begin;
  }
  for (std::size_t i = 0; i < t.extents.size(); ++i) beside *= i == cut_axis(t) ? 1 : t.extents[i];
  return along * beside;
}

}  // namespace multifold::agreement
