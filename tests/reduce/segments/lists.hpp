// Random lists of segments for tests, and what reduce makes of each of them alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "multifold/multifold.hpp"
#include "random_bits.hpp"

namespace test {

using multifold::array_view, multifold::dtype, multifold::op_kind;

/// Offsets or ranges, with the memory they live in.
struct segment_list {
  std::vector<std::int64_t> begins, ends;
  bool adjacent = true;
  std::vector<std::int32_t> narrow;
  std::vector<std::int64_t> wide;

  std::int64_t count() const { return static_cast<std::int64_t>(begins.size()); }

  /// As offsets if segments are adjacent, else as ranges.
  multifold::segments list(dtype type) {
    const std::int64_t k = count(), numbers = adjacent ? k + 1 : 2 * k;
    std::vector<std::int64_t> all(begins);
    if (adjacent) all.push_back(ends.empty() ? 0 : ends.back());
    else all.insert(all.end(), ends.begin(), ends.end());
    wide = all;
    narrow.assign(all.begin(), all.end());
    const void* const at = type == dtype::i32 ? static_cast<const void*>(narrow.data()) : wide.data();
    if (adjacent) return multifold::segments::from_offsets(multifold::make_view(at, type, {numbers}));
    const auto* const second = static_cast<const std::byte*>(at) + k * multifold::item_bytes(type);
    return multifold::segments::from_ranges(multifold::make_view(at, type, {k}),
                                            multifold::make_view(second, type, {k}));
  }
};

enum class lengths { tiny, power_law, one_huge, equal };

/// `count` adjacent segments of `extent` elements, some of them empty if that is allowed.
inline segment_list adjacent_segments(std::int64_t extent, std::int64_t count, lengths how, test::random_bits& random) {
  std::vector<double> weight(static_cast<std::size_t>(count));
  for (double& w : weight) {
    const double u = static_cast<double>(random() % 1000 + 1) / 1000;
    w = how == lengths::tiny ? static_cast<double>(random() % 4) : how == lengths::equal ? 1 : std::pow(u, -1.5) - 1;
  }
  if (how == lengths::one_huge && count > 0) weight[random() % weight.size()] = 1e6;
  double sum = 1e-9;
  for (const double w : weight) sum += w;
  segment_list s;
  const std::int64_t first =
      extent > 0 ? static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(extent)) / 8 : 0;
  double before = 0;
  std::int64_t begin = first;
  for (const double w : weight) {
    before += w;
    const std::int64_t end =
        std::min(extent, first + static_cast<std::int64_t>(before / sum * static_cast<double>(extent - first)));
    s.begins.push_back(begin);
    s.ends.push_back(begin = std::max(begin, end));
  }
  return s;
}

/// Segments anywhere in `extent` elements.
inline segment_list scattered_segments(std::int64_t extent, std::int64_t count, std::int64_t longest,
                                       test::random_bits& random) {
  segment_list s;
  s.adjacent = false;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto length = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(std::min(longest, extent) + 1));
    const auto begin = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(extent - length + 1));
    s.begins.push_back(begin);
    s.ends.push_back(begin + length);
  }
  return s;
}

/// Without those that are empty.
inline segment_list without_empty(const segment_list& from) {
  segment_list s;
  s.adjacent = false;
  for (std::size_t i = 0; i < from.begins.size(); ++i) {
    if (from.begins[i] == from.ends[i]) continue;
    s.begins.push_back(from.begins[i]);
    s.ends.push_back(from.ends[i]);
  }
  return s;
}

inline array_view part_of(const array_view& array, std::size_t axis, std::int64_t begin, std::int64_t end) {
  array_view part = array;
  if (array.elements() > 0 && begin < end) {
    part.data =
        static_cast<const std::byte*>(array.data) + begin * array.strides[axis] * multifold::item_bytes(array.type);
  }
  part.extents[axis] = end - begin;
  return part;
}

/// Segment by segment, each by a reduce of its own: the bytes of all results. Throws what the first to fail throws.
inline std::vector<std::byte> one_by_one(op_kind op, const array_view& x, const array_view* y, const segment_list& of,
                                         std::size_t axis, multifold::reduce_options options) {
  options.axes = {static_cast<std::int64_t>(axis)};
  std::int64_t outer = 1;
  for (std::size_t i = 0; i < axis; ++i) outer *= x.extents[i];
  std::vector<std::byte> all;
  const std::int64_t k = of.count();
  for (std::int64_t s = 0; s < k; ++s) {
    const auto at = static_cast<std::size_t>(s);
    const array_view part = part_of(x, axis, of.begins[at], of.ends[at]);
    const multifold::reduce_result r = y != nullptr
                                           ? reduce(op, part, part_of(*y, axis, of.begins[at], of.ends[at]), options)
                                           : reduce(op, part, options);
    const std::size_t run = outer > 0 ? r.data.size() / static_cast<std::size_t>(outer) : 0;
    all.resize(static_cast<std::size_t>(outer * k) * run);
    for (std::int64_t o = 0; o < outer; ++o) {
      std::memcpy(all.data() + static_cast<std::size_t>(o * k + s) * run,
                  r.data.data() + static_cast<std::size_t>(o) * run, run);
    }
  }
  return all;
}

}  // namespace test
