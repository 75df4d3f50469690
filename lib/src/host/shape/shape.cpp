// Choosing blocks and ranges: compact in memory, many enough for any number of cores, long enough to be worth a task.
#include "host/shape/shape.hpp"

#include <algorithm>

#include "host/kernels/columns.hpp"

namespace multifold::inline v0_1::host {
namespace {

// More tasks than this balance no better, and leave more partial results to merge. Columns leave many from each task.
constexpr std::int64_t enough_tasks = 1024;
constexpr std::int64_t enough_column_tasks = 256;
constexpr std::int64_t enough_column_tasks_a_thread = 8;
constexpr std::int64_t least_column_rows = 64;
constexpr std::int64_t most_column_rows = 256;
constexpr std::int64_t most_tiles = 8;
// Elements between two looks at the stop token.
constexpr std::int64_t most_elements = 1 << 22;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

// One tile, or several where there are many: longer runs of memory are read faster.
std::int64_t columns_of_a_block(std::int64_t columns) {
  return std::clamp<std::int64_t>(columns / (column_tile * enough_column_tasks), 1, most_tiles) * column_tile;
}

}  // namespace

work_shape shape_of(const nest& n, std::int64_t item, std::int64_t parts, std::int64_t part_length, int threads) {
  work_shape s{};
  s.results = n.results;
  s.length = n.length;
  s.parts = parts;
  s.part_length = part_length;
  // The loops that fit a task whole, fastest first, so that a task reads neighbouring memory.
  const bool columns = !n.loops.empty() && !n.loops.back().reduced;
  std::int64_t budget = task_bytes / item;
  s.block = s.range = 1;
  for (std::size_t i = n.loops.size(); i-- > 0;) {
    const nest_loop& loop = n.loops[i];
    std::int64_t take = std::min(loop.extent, budget);
    if (i + 1 == n.loops.size() && columns) take = std::min(take, columns_of_a_block(loop.extent));
    (loop.reduced ? s.range : s.block) *= take;
    budget = std::max<std::int64_t>(1, budget / take);
  }
  s.blocks = ceil_div(s.results, s.block);
  std::int64_t enough = columns ? enough_column_tasks : enough_tasks;
  if (!columns && threads == 1) enough = 1;
  if (columns && threads > 0) enough = std::min(enough, enough_column_tasks_a_thread * threads);
  s.split = s.blocks < enough && s.range < s.length;
  const std::int64_t ranges = s.split ? ceil_div(enough, s.blocks) : 1;
  s.range = std::max({s.range, ceil_div(s.length, ranges), columns ? least_column_rows : 1});
  s.range = std::min(s.range, std::max<std::int64_t>(1, most_elements / s.block));
  if (columns && !s.split && threads == 0) s.range = std::min(s.range, most_column_rows);
  s.range = std::min(s.range, part_length);
  s.ranges_a_part = ceil_div(part_length, s.range);
  s.split = s.split && s.ranges() > 1;
  return s;
}

std::int64_t work_shape::ranges_of(std::int64_t part) const {
  return ceil_div(std::min(part_length, length - part * part_length), range);
}

interval work_shape::batches_of(std::int64_t number) const {
  return {number * block, std::min(results, (number + 1) * block)};
}

interval work_shape::elements_of(std::int64_t number) const {
  const std::int64_t part = number / ranges_a_part;
  const std::int64_t first = part * part_length + number % ranges_a_part * range;
  return {first, std::min({first + range, (part + 1) * part_length, length})};
}

}  // namespace multifold::inline v0_1::host
