#include "plan/layouts/lane_walk.hpp"

#include <algorithm>
#include <vector>

#include "plan/layout.hpp"
#include "plan/tuning.hpp"

namespace multifold::inline v0_1::detail {
namespace {

// Which reduced run lanes go along, and how many of them share a batch.
struct way {
  std::size_t walk, phase;  // numbers of reduced runs
  std::int64_t phases;
  bool beside;
};

std::size_t longest(const std::vector<run>& runs, std::size_t but = SIZE_MAX) {
  std::size_t best = but == 0 ? 1 : 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i != but && runs[i].extent > runs[best].extent) best = i;
  }
  return best;
}

// Batches whose first elements are neighbours.
std::int64_t neighbouring_batches(const batches& form) {
  std::int64_t count = 1;
  for (std::size_t i = form.kept.size(); i-- > 0 && form.kept[i].stride == count;) count *= form.kept[i].extent;
  return count;
}

// Batches of a block: whole rows of neighbours, or lines of them.
std::int64_t columns_of_block(const batches& form, std::int64_t phases) {
  const std::int64_t width = std::min(part_threads / phases, form.results());
  const std::int64_t all = neighbouring_batches(form), neighbours = width > all ? all : std::min<std::int64_t>(all, 32);
  return width > neighbours ? width - width % neighbours : width;
}

// Lanes of a batch: so many, or about so many, as leave few lanes of all blocks without a batch.
std::int64_t lanes_of_column(const batches& form, std::int64_t usual, std::int64_t most) {
  std::int64_t best = 1;
  double most_busy = 0;
  const auto try_these = [&](std::int64_t phases) {
    const std::int64_t blocks = ceil_div(form.results(), columns_of_block(form, phases));
    const double busy = static_cast<double>(phases * form.results()) / static_cast<double>(blocks);
    if (busy > most_busy) most_busy = busy, best = phases;
    return busy >= tuning::enough_part_lanes;
  };
  for (std::int64_t phases = usual; phases > 0; --phases) {
    if (try_these(phases)) return best;
  }
  for (std::int64_t phases = usual + 1; phases <= most; ++phases) {
    if (try_these(phases)) return best;
  }
  return best;
}

// Neighbouring lanes have neighbouring batches. Lanes that share one have its rows in turn.
std::optional<way> along_columns(const batches& form, std::int64_t item) {
  const std::size_t walk = longest(form.reduced);
  const std::int64_t rows = form.reduced[walk].extent, neighbours = neighbouring_batches(form);
  const auto most_of = [&](std::int64_t bytes) { return part_threads / std::min(neighbours, bytes / item); };
  const std::int64_t most = most_of(tuning::part_column_bytes);
  const bool narrow = neighbours * item < tuning::least_part_line_bytes;
  if (narrow && rows < most * tuning::least_part_lane_rows) return {};
  const std::int64_t wanted = std::min(form.length / (narrow ? tuning::least_part_lane_rows : tuning::part_lane_rows),
                                       rows / tuning::least_part_lane_rows);
  return way{walk, walk,
             lanes_of_column(form, std::clamp<std::int64_t>(wanted, 1, most),
                             std::min(wanted, most_of(tuning::part_column_bytes / 2))),
             false};
}

// Lanes for a run, as many at a time as leave few lanes of a block without a place, and few places without a lane.
std::int64_t lanes_along(std::int64_t extent, std::int64_t batches) {
  std::int64_t best = 0;
  double most = tuning::least_part_lanes;
  for (std::int64_t chunks = ceil_div(extent, part_threads);; ++chunks) {
    const std::int64_t lanes = ceil_div(extent, chunks), rows = std::min(part_threads / lanes, batches);
    const double busy = static_cast<double>(rows * extent) / static_cast<double>(chunks);
    if (busy > most) most = busy, best = lanes;
    if (lanes <= 64 || busy >= tuning::enough_part_lanes) return best;
  }
}

// Neighbouring lanes have neighbours of a batch: each an element of a run beside the walk, or every so many-th of that run
// where it is long itself, or no other is long enough to go along.
std::optional<way> along_rows(const batches& form, std::size_t fast, std::int64_t item) {
  const std::int64_t extent = form.reduced[fast].extent;
  if (form.reduced.size() == 1) return {};
  const std::size_t other = longest(form.reduced, fast);
  const bool is_long = extent >= part_threads * tuning::least_part_lane_rows;
  if (!is_long && form.reduced[other].extent >= tuning::least_part_column) {
    const bool dense = !form.kept.empty() && form.kept.back().stride == extent;
    if (!dense && extent * item < tuning::least_part_line_bytes) return {};
    const std::int64_t lanes = lanes_along(extent, form.results());
    return lanes > 0 ? std::optional(way{other, fast, lanes, true}) : std::nullopt;
  }
  if (extent <= part_threads || form.length < 32 * tuning::part_row_lane_elements) return {};
  // As few lanes without elements as may be.
  const std::int64_t most = std::min<std::int64_t>(form.length / tuning::part_row_lane_elements, part_threads);
  std::int64_t best = 0, most_there = 0;
  for (std::int64_t rows = tuning::part_lane_step; ceil_div(extent, rows) >= 32; rows += tuning::part_lane_step) {
    const std::int64_t phases = ceil_div(extent, rows);
    if (phases > most) continue;
    const std::int64_t there = part_threads / phases * extent * tuning::part_lane_step / rows;
    if (there > most_there) most_there = there, best = phases;
    if (rows > 64 * tuning::part_lane_step) break;
  }
  if (best == 0) best = std::min(most, extent / tuning::part_lane_step);
  return best >= 32 ? std::optional(way{fast, fast, best, true}) : std::nullopt;
}

void put_runs(lane_walk& of, const batches& form, const way& by) {
  for (const run& r : form.kept) {
    of.kept_extent[of.kept_count] = r.extent;
    of.kept_stride[of.kept_count++] = r.stride;
  }
  std::int64_t index[lane_walk::most_runs];
  const std::size_t count = form.reduced.size();
  index[count - 1] = 1;
  for (std::size_t i = count - 1; i-- > 0;) index[i] = index[i + 1] * form.reduced[i + 1].extent;
  for (std::size_t i = 0; i < count; ++i) {
    const run& r = form.reduced[i];
    if (i == by.phase) of.phase_stride = r.stride, of.phase_index = index[i], of.phase_extent = r.extent;
    if (i == by.walk) of.walk_extent = r.extent, of.walk_stride = r.stride, of.walk_index = index[i];
    if (i == by.phase || i == by.walk) continue;
    of.other_extent[of.other_count] = r.extent;
    of.other_stride[of.other_count] = r.stride;
    of.other_index[of.other_count++] = index[i];
  }
}

std::optional<way> way_through(const batches& form, std::int64_t item) {
  if (!form.kept.empty() && form.kept.back().stride == 1 && form.kept.back().extent > 1)
    return along_columns(form, item);
  for (std::size_t i = 0; i < form.reduced.size(); ++i) {
    if (form.reduced[i].stride == 1) return along_rows(form, i, item);
  }
  return {};
}

// Deals a batch's rows and other runs to blocks, so that few of these wait for others. Those that meet in memory are merged
// one behind the other.
bool deal(lane_walk& of, std::int64_t rows, std::int64_t others, std::int64_t slots) {
  const std::int64_t most = tuning::most_lane_meetings * of.phases, lane_rows = ceil_div(rows, of.walk_phases);
  if (others > INT32_MAX || of.boxes > INT32_MAX / most) return false;
  const auto parts_of = [&](std::int64_t blocks, std::int64_t elements, std::int64_t limit) {
    const double cost = tuning::part_lane_cost / static_cast<double>(elements);
    return parts_for_waves(blocks, slots, std::max<std::int64_t>(limit, 1), cost);
  };
  const std::int64_t ranges =
      parts_of(of.boxes * others, lane_rows, std::min(lane_rows / tuning::least_part_lane_rows, most / others));
  std::int64_t share = 1;
  if (ranges == 1 && others > 1) {
    const std::int64_t elements = lane_rows * others;
    share = ceil_div(others,
                     parts_of(of.boxes, elements, std::min({others, most, elements / tuning::least_part_lane_rows})));
  }
  of.lane_rows = static_cast<int>(ceil_div(lane_rows, ranges));
  of.ranges = static_cast<int>(ranges);
  of.parts = static_cast<int>(others * ranges);
  of.share = static_cast<int>(share);
  of.shares = static_cast<int>(ceil_div(others * ranges, share));
  return true;
}

}  // namespace

std::optional<lane_walk> lane_walk_of(const batches& form, std::int64_t item, std::int64_t slots) {
  constexpr std::size_t most = lane_walk::most_runs;
  if (form.reduced.empty() || form.reduced.size() > most || form.kept.size() > most) return {};
  if (form.elements() == 0 || form.results() > INT32_MAX) return {};
  const auto by = way_through(form, item);
  if (!by) return {};
  lane_walk of{};
  put_runs(of, form, *by);
  const std::int64_t rows = of.walk_extent;
  if (rows < tuning::least_part_column || rows > INT32_MAX / 2) return {};
  const bool shared = by->walk == by->phase;
  of.width = static_cast<int>(by->beside ? std::min(part_threads / by->phases, form.results())
                                         : columns_of_block(form, by->phases));
  of.phases = static_cast<int>(by->phases);
  of.walk_phases = shared ? of.phases : 1;
  if (shared) of.phase_extent = of.phases;
  of.chunks = static_cast<int>(ceil_div(of.phase_extent, by->phases));
  of.beside = by->beside;
  of.batches = static_cast<int>(form.results());
  of.boxes = static_cast<int>(ceil_div(form.results(), of.width));
  const std::int64_t others = form.length / (rows * (shared ? 1 : of.phase_extent)) * of.chunks;
  if (!deal(of, rows, others, slots)) return {};
  return of;
}

}  // namespace multifold::inline v0_1::detail
