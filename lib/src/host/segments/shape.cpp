// Ranges and parts: many enough for all threads, and long enough to be worth a task.
#include "host/segments/shape.hpp"

#include <algorithm>
#include <string>

#include "host/engine.hpp"
#include "host/kernels/columns.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::host {
namespace {

// Accumulators that a task gathers at once, and those of a batch of segments: within L2, and within L1.
constexpr std::int64_t block_bytes = 256 << 10, batch_bytes = 32 << 10, most_batch = 1024;
// Of a range, if there is enough for all threads, and of a thread at all.
constexpr std::int64_t least_task_work = 1 << 16, least_thread_work = 1 << 18;
constexpr std::int64_t tasks_a_thread = 64, shares_a_thread = 32;
// Of one segment.
constexpr std::int64_t least_part_work = 1 << 18, least_part_rows = 64, parts_a_segment = 256;
// Between two looks at the stop token.
constexpr std::int64_t most_work = 1 << 22;

std::int64_t block_of(const fold& f, std::int64_t results) {
  const std::int64_t most = std::max<std::int64_t>(1, block_bytes / f.acc_bytes());
  return std::min(results, most > column_tile ? most / column_tile * column_tile : most);
}

// For all blocks.
std::int64_t total_work(const segment_work& work, const segment_census& census, const segment_shape& s) {
  const int128_t elements = static_cast<int128_t>(census.elements) * s.results;
  const int128_t rest = static_cast<int128_t>(s.work_of(1, 0)) * work.of.count * s.blocks;
  if (census.elements < INT64_MAX && elements + rest + s.block <= INT64_MAX)
    return static_cast<std::int64_t>(elements + rest);
  throw shape_error("the " + std::to_string(work.of.count) + " segments have more than 2^63 elements together");
}

}  // namespace

std::int64_t segment_shape::part_length(std::int64_t length) const {
  return any_order ? least_part : std::clamp(length / parts_a_segment + 1, least_part, most_part);
}

segment_shape shape_of_segments(const segment_work& work, const segment_census& census, const fold& f,
                                std::int64_t results, int threads) {
  segment_shape s{};
  s.results = results;
  s.block = block_of(f, results);
  s.blocks = (results - 1) / s.block + 1;
  s.batch = std::clamp<std::int64_t>(batch_bytes / (s.block * f.acc_bytes()), 1, most_batch);
  s.batch = std::min(s.batch, work.of.count);
  s.any_order = f.any_order;
  const std::int64_t total = total_work(work, census, s);
  const std::int64_t useful = total / least_thread_work;
  s.threads =
      useful < 2 ? 1 : static_cast<int>(std::min<std::int64_t>(threads > 0 ? threads : usable_threads(), useful));
  s.task_work = std::clamp(total / (tasks_a_thread * s.threads), least_task_work, most_work);
  const std::int64_t share = std::max(total / (shares_a_thread * s.threads), least_part_work);
  s.most_part = std::max<std::int64_t>(1, most_work / s.block);
  s.least_part = std::min(std::max(least_part_rows, least_part_work / s.block), s.most_part);
  if (s.any_order) s.least_part = std::clamp(share / s.block, s.least_part, s.most_part);
  s.share_above = s.threads == 1 ? INT64_MAX : std::max(share / s.block, s.least_part);
  return s;
}

segment_order::segment_order(std::int64_t segments, const segment_census& census, const segment_shape& shape)
    : shape_(shape) {
  before_.reserve(census.blocks.size());
  for (const segment_census::block& b : census.blocks) {
    before_.push_back(total_);
    total_ += shape.work_of(std::min(segments, segment_census::block_segments), b.elements);
    segments -= segment_census::block_segments;
  }
}

std::int64_t segment_order::block_of(std::int64_t work) const {
  return std::upper_bound(before_.begin(), before_.end(), work) - before_.begin() - 1;
}

const shared_segment& shared_list::of_part(std::int64_t number) const {
  const auto behind = std::upper_bound(list.begin(), list.end(), number,
                                       [](std::int64_t n, const shared_segment& s) { return n < s.first_part; });
  return *(behind - 1);
}

shared_list shared_segments(const segment_bounds& of, const segment_census& census, const segment_shape& shape) {
  constexpr std::int64_t neighbours = segment_census::block_segments;
  shared_list found;
  for (std::size_t b = 0; b < census.blocks.size(); ++b) {
    if (!shape.is_shared(census.blocks[b].longest)) continue;
    const std::int64_t first = static_cast<std::int64_t>(b) * neighbours;
    for (std::int64_t i = first; i < std::min(of.count, first + neighbours); ++i) {
      const interval segment = of.at(i);
      const std::int64_t length = segment.end - segment.begin;
      if (!shape.is_shared(length)) continue;
      const std::int64_t each = shape.part_length(length), parts = (length - 1) / each + 1;
      found.list.push_back({i, each, found.parts, parts});
      found.parts += parts;
    }
  }
  return found;
}

block_boxes::block_boxes(const nest& n, const segment_shape& s)
    : from(n), shape(s), along(static_cast<std::size_t>(n.reduced.front())) {}

void block_boxes::go_to(std::int64_t number) {
  if (number == block) return;
  block = number;
  numbers = {number * shape.block, std::min(shape.results, (number + 1) * shape.block)};
  list.clear();
  cut(from, from.kept, numbers, whole(from), [this](const box& b) { list.push_back(b); });
}

}  // namespace multifold::inline v0_1::host
