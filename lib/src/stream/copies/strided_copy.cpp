// Loops are merged where they follow each other. Then lines are read as they lie in memory; where they are written
// across, as many at a time as fill a line there.
#include "stream/copies/strided_copy.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <span>

#include "multifold/dtype.hpp"
#include "stream/copies/staging_copy.hpp"

namespace multifold::inline v0_1::stream {
namespace {

constexpr std::int64_t line_bytes = 64;

// The innermost loop.
template <int Item>
void copy_line(std::byte* to, const std::byte* from, const copy_loop& loop) {
  if (loop.to == 1 && loop.from == 1) return staging_copy(to, from, loop.extent * Item);
  using element = std::array<std::byte, Item>;
  for (std::int64_t i = 0; i < loop.extent; ++i) {
    element x;
    std::memcpy(&x, from + i * loop.from * Item, Item);
    std::memcpy(to + i * loop.to * Item, &x, Item);
  }
}

template <int Item>
void copy_loops(std::byte* to, const std::byte* from, std::span<const copy_loop> loops) {
  if (loops.size() == 1) return copy_line<Item>(to, from, loops[0]);
  const copy_loop& outer = loops[0];
  for (std::int64_t i = 0; i < outer.extent; ++i) {
    copy_loops<Item>(to + i * outer.to * Item, from + i * outer.from * Item, loops.subspan(1));
  }
}

// The two inner loops in blocks of the innermost, whose elements are written to as many lines.
template <int Item>
void copy_across(std::byte* to, const std::byte* from, std::span<const copy_loop> loops) {
  if (loops.size() > 2) {
    for (std::int64_t i = 0; i < loops[0].extent; ++i) {
      copy_across<Item>(to + i * loops[0].to * Item, from + i * loops[0].from * Item, loops.subspan(1));
    }
    return;
  }
  constexpr std::int64_t block = line_bytes / Item;
  std::array<copy_loop, 2> both{loops[0], loops[1]};
  for (std::int64_t first = 0; first < loops[1].extent; first += block) {
    both[1].extent = std::min(block, loops[1].extent - first);
    copy_loops<Item>(to + first * loops[1].to * Item, from + first * loops[1].from * Item, both);
  }
}

bool follows(const copy_loop& slow, const copy_loop& fast) {
  const auto extent = static_cast<int128_t>(fast.extent);
  return slow.from == fast.from * extent && slow.to == fast.to * extent;
}

std::vector<copy_loop> merged(const std::vector<copy_loop>& loops) {
  std::vector<copy_loop> made;
  for (const copy_loop& next : loops) {
    if (next.extent == 1) continue;
    if (!made.empty() && follows(made.back(), next))
      made.back() = {made.back().extent * next.extent, next.to, next.from};
    else made.push_back(next);
  }
  if (made.empty()) made.push_back({1, 1, 1});
  return made;
}

template <int Item>
void copy(std::byte* to, const std::byte* from, const std::vector<copy_loop>& loops) {
  const bool across = loops.size() > 1 && loops.back().to != 1;
  if (across) copy_across<Item>(to, from, loops);
  else copy_loops<Item>(to, from, loops);
}

// The loop that reads the shortest steps innermost, or the one that writes neighbours where it repeats an element.
void put_in_order(std::vector<copy_loop>& loops) {
  const auto step = [](const copy_loop& l) {
    if (l.from == 0) return l.to == 1 ? INT64_C(0) : INT64_MAX;
    return static_cast<std::int64_t>(std::llabs(l.from));
  };
  std::stable_sort(loops.begin(), loops.end(),
                   [&](const copy_loop& a, const copy_loop& b) { return step(a) > step(b); });
  const auto line = std::find_if(loops.begin(), loops.end(), [](const copy_loop& l) { return l.to == 1; });
  if (line < loops.end() - 1) std::rotate(line, line + 1, loops.end() - 1);
}

}  // namespace

void strided_copy(std::byte* to, const std::byte* from, std::int64_t item, std::vector<copy_loop> loops) {
  if (std::any_of(loops.begin(), loops.end(), [](const copy_loop& l) { return l.extent <= 0; })) return;
  std::stable_sort(loops.begin(), loops.end(), [](const copy_loop& a, const copy_loop& b) { return a.to > b.to; });
  loops = merged(loops);
  put_in_order(loops);
  if (item == 1) copy<1>(to, from, loops);
  else if (item == 2) copy<2>(to, from, loops);
  else if (item == 4) copy<4>(to, from, loops);
  else copy<8>(to, from, loops);
}

}  // namespace multifold::inline v0_1::stream
