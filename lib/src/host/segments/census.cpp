// Block by block, on several threads where there are many.
#include "host/segments/census.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "host/engine.hpp"
#include "host/threads/tasks.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::host {
namespace {

constexpr std::int64_t task_blocks = 128;

struct block_findings {
  segment_census::block sums{0, 0};
  bool bad = false, empty = false;
};

template <class Offset>
block_findings look_at(const packed<Offset>* begins, const packed<Offset>* ends, std::int64_t count,
                       std::int64_t extent) {
  block_findings found;
  int bad = 0, empty = 0;
  std::int64_t elements = 0, longest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t begin = begins[i].value, end = ends[i].value;
    bad |= static_cast<int>(begin < 0) | static_cast<int>(end < begin) | static_cast<int>(end > extent);
    empty |= static_cast<int>(begin == end);
    const std::int64_t length = bad != 0 ? 0 : end - begin;
    if (__builtin_add_overflow(elements, length, &elements)) elements = INT64_MAX;
    longest = std::max(longest, length);
  }
  found.sums = {elements, longest};
  found.bad = bad != 0;
  found.empty = empty != 0;
  return found;
}

block_findings look_at(const segment_bounds& of, interval segments, std::int64_t extent) {
  const auto in = [&]<class Offset>(Offset) {
    return look_at(packed_at<Offset>(of.begins) + segments.begin, packed_at<Offset>(of.ends) + segments.begin,
                   segments.end - segments.begin, extent);
  };
  return of.type == dtype::i32 ? in(std::int32_t{}) : in(std::int64_t{});
}

// The first segment from `from` on for which `is` holds, and which is there.
template <class Is>
std::int64_t first_where(const segment_bounds& of, std::int64_t from, const Is& is) {
  while (!is(of.at(from))) ++from;
  return from;
}

}  // namespace

segment_census take_census(const segment_bounds& of, std::int64_t extent, int threads) try {
  constexpr std::int64_t block_segments = segment_census::block_segments;
  segment_census census;
  const std::int64_t blocks = of.count / block_segments + (of.count % block_segments != 0 ? 1 : 0);
  census.blocks.resize(static_cast<std::size_t>(blocks));
  least_number bad_block, empty_block;
  const auto look = [&](std::int64_t block) {
    const std::int64_t first = block * block_segments;
    const block_findings found = look_at(of, {first, std::min(of.count, first + block_segments)}, extent);
    census.blocks[static_cast<std::size_t>(block)] = found.sums;
    if (found.bad) bad_block.note(block);
    if (found.empty) empty_block.note(block);
  };
  if (threads <= 0) threads = blocks > task_blocks ? usable_threads() : 1;
  share_out(
      threads, (blocks + task_blocks - 1) / task_blocks, [] { return 0; },
      [&](std::int64_t task, int) {
        const std::int64_t end = std::min(blocks, (task + 1) * task_blocks);
        for (std::int64_t block = task * task_blocks; block < end; ++block) look(block);
      });
  if (bad_block.found()) {
    census.first_bad = first_where(of, bad_block.get() * block_segments,
                                   [extent](interval s) { return s.begin < 0 || s.end < s.begin || s.end > extent; });
    return census;
  }
  if (empty_block.found()) {
    census.first_empty =
        first_where(of, empty_block.get() * block_segments, [](interval s) { return s.begin == s.end; });
  }
  for (const segment_census::block& b : census.blocks) {
    if (__builtin_add_overflow(census.elements, b.elements, &census.elements)) census.elements = INT64_MAX;
  }
  return census;
} catch (const std::bad_alloc&) {
  throw out_of_memory("there is no memory to count the elements of " + std::to_string(of.count) + " segments");
}

}  // namespace multifold::inline v0_1::host
