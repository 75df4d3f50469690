#include "plan/layouts/lane_walk.hpp"

#include <algorithm>
#include <vector>

#include "plan/layout.hpp"
#include "plan/tuning.hpp"

namespace multifold::detail {
namespace {

// Which reduced run lanes go along, and how many of them share a batch.
struct way {
  std::size_t walk, phase;  // numbers of reduced runs
  std::int64_t phases;
  bool beside;
  bool by_kind = false;  // as of lane_walk
};

std::size_t longest(const std::vector<run>& runs, std::size_t but = SIZE_MAX) {
  std::size_t best = but == 0 ? 1 : 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i != but && runs[i].extent > runs[best].extent) best = i;
  }
  return best;
}

// Batches, or words of them, of which `bytes` lie together.
struct taken {
  batches form;
  std::int64_t bytes, results;     // of one, and how many there are
  std::int64_t elements = 1;       // that one is
  std::int64_t neighbours = 1;     // first elements, or words, of batches that lie together
  std::int64_t line_elements = 0;  // of a line of words
  std::optional<std::size_t> line = {};  // the reduced run that lies together, if none of batches does
};

bool is_odd(const run& r) { return r.stride % 2 != 0; }

// As elements one by one; nothing if no run is contiguous.
std::optional<taken> by_elements(const batches& form, std::int64_t item) {
  taken of{form, item, form.results()};
  if (!form.kept.empty() && form.kept.back().stride == 1 && form.kept.back().extent > 1) {
    for (std::size_t i = form.kept.size(); i-- > 0 && form.kept[i].stride == of.neighbours;)
      of.neighbours *= form.kept[i].extent;
    return of;
  }
  for (std::size_t i = 0; i < form.reduced.size() && !of.line; ++i) {
    if (form.reduced[i].stride == 1) of.line = i;
  }
  return of.line ? std::optional(of) : std::nullopt;
}

// Columns of one lane are those of lines of one kind: if all lines of a batch are, or by lanes of both kinds.
bool by_kind(const batches& form) { return std::any_of(form.reduced.begin(), form.reduced.end(), is_odd); }

// A line of words in place of that of elements.
void take_words(taken& of) {
  batches& form = of.form;
  of.bytes *= 2;
  of.elements = 2;
  if (of.line) {
    run& line = form.reduced[*of.line];
    of.line_elements = line.extent;
    form.length = form.length / line.extent * ceil_div(line.extent, std::int64_t{2});
    line = {ceil_div(line.extent, std::int64_t{2}), 2};
    return;
  }
  const std::int64_t n = of.neighbours;
  for (std::int64_t left = n; left > 1; form.kept.pop_back()) left /= form.kept.back().extent;
  of.line_elements = n;
  // An odd line of an even number would have its last column in its first word, but lanes of both kinds share columns.
  of.neighbours = by_kind(form) ? n / 2 + 1 : ceil_div(n, std::int64_t{2});
  of.results = of.results / n * of.neighbours;
  form.kept.push_back({of.neighbours, 2});
}

// Batches of a block: whole rows of neighbours, or lines of them.
std::int64_t columns_of_block(const taken& of, std::int64_t phases) {
  const std::int64_t width = std::min(part_threads / phases, of.results);
  const std::int64_t all = of.neighbours, neighbours = width > all ? all : std::min<std::int64_t>(all, 32);
  return width > neighbours ? width - width % neighbours : width;
}

// Lanes of a batch: so many, or about so many, as leave few lanes of all blocks without a batch; a multiple of `step`.
std::int64_t lanes_of_column(const taken& of, std::int64_t usual, std::int64_t most, std::int64_t step) {
  std::int64_t best = step;
  double most_busy = 0;
  const auto try_these = [&](std::int64_t phases) {
    const std::int64_t blocks = ceil_div(of.results, columns_of_block(of, phases));
    const double busy = static_cast<double>(phases * of.results) / static_cast<double>(blocks);
    if (busy > most_busy) most_busy = busy, best = phases;
    return busy >= tuning::enough_part_lanes;
  };
  const std::int64_t first = usual - usual % step;
  for (std::int64_t phases = first; phases > 0; phases -= step) {
    if (try_these(phases)) return best;
  }
  for (std::int64_t phases = first + step; phases <= most; phases += step) {
    if (try_these(phases)) return best;
  }
  return best;
}

// Neighbouring lanes have neighbouring batches. Lanes that share one have its rows in turn.
std::optional<way> along_columns(const taken& of, bool kinds) {
  const batches& form = of.form;
  const std::size_t walk = longest(form.reduced);
  const std::int64_t rows = form.reduced[walk].extent;
  const auto most_of = [&](std::int64_t bytes) { return part_threads / std::min(of.neighbours, bytes / of.bytes); };
  const std::int64_t most = most_of(tuning::part_column_bytes);
  const bool narrow = of.neighbours * of.bytes < tuning::least_part_line_bytes;
  if (narrow && of.elements * rows < most * tuning::least_part_lane_rows) return {};
  const std::int64_t enough = narrow ? tuning::least_part_lane_rows : tuning::part_lane_rows;
  const std::int64_t wanted =
      std::min(of.elements * form.length / enough, of.elements * rows / tuning::least_part_lane_rows);
  return way{walk, walk,
             lanes_of_column(of, std::clamp<std::int64_t>(wanted, 1, most),
                             std::min(wanted, most_of(tuning::part_column_bytes / 2)), kinds ? 2 : 1),
             false, kinds};
}

// Lanes for a run, as many at a time as leave few of `threads` without a place, and few places without a lane.
std::int64_t lanes_along(std::int64_t extent, std::int64_t batches, std::int64_t threads) {
  const double least = tuning::least_part_lanes * static_cast<double>(threads) / part_threads;
  const double enough = tuning::enough_part_lanes * static_cast<double>(threads) / part_threads;
  std::int64_t best = 0;
  double most = least;
  for (std::int64_t chunks = ceil_div(extent, threads);; ++chunks) {
    const std::int64_t lanes = ceil_div(extent, chunks), rows = std::min(threads / lanes, batches);
    const double busy = static_cast<double>(rows * extent) / static_cast<double>(chunks);
    if (busy > most) most = busy, best = lanes;
    if (lanes <= 64 || busy >= enough) return best;
  }
}

// Neighbouring lanes have neighbours of a batch: each an element of a run beside the walk, or every so many-th of that run
// where it is long itself, or no other is long enough to go along.
std::optional<way> along_rows(const taken& of, bool words) {
  const batches& form = of.form;
  const std::size_t fast = *of.line;
  const std::int64_t extent = form.reduced[fast].extent;
  if (form.reduced.size() == 1) return {};
  const std::size_t other = longest(form.reduced, fast);
  const bool is_long = extent >= part_threads * tuning::least_part_lane_rows;
  if (!is_long && form.reduced[other].extent >= tuning::least_part_column) {
    const bool dense = !form.kept.empty() && form.kept.back().stride == (words ? of.line_elements : extent);
    if (!dense && extent * of.bytes < tuning::least_part_line_bytes) return {};
    const bool kinds = words && is_odd(form.reduced[other]);
    const std::int64_t each = kinds ? 2 : 1, lanes = lanes_along(extent, of.results, part_threads / each);
    return lanes > 0 ? std::optional(way{other, fast, each * lanes, true, kinds}) : std::nullopt;
  }
  const std::int64_t length = of.elements * form.length, step = tuning::part_lane_step / of.elements;
  if (of.elements * extent <= part_threads || length < 32 * tuning::part_row_lane_elements) return {};
  // As few lanes without elements as may be.
  const std::int64_t most = std::min<std::int64_t>(length / tuning::part_row_lane_elements, part_threads);
  std::int64_t best = 0, most_there = 0;
  for (std::int64_t rows = step; ceil_div(extent, rows) >= 32; rows += step) {
    const std::int64_t phases = ceil_div(extent, rows);
    if (phases > most) continue;
    const std::int64_t there = part_threads / phases * extent * step / rows;
    if (there > most_there) most_there = there, best = phases;
    if (rows > 64 * step) break;
  }
  if (best == 0) best = std::min(most, extent / step);
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

// Where lanes of a batch have elements of the walk in turn, and where those that have odd lines do.
void put_turns(lane_walk& of, const way& by) {
  const bool shared = by.walk == by.phase;
  const int turns = of.turns();
  of.walk_phases = shared ? turns : 1;
  if (shared) of.phase_extent = turns, of.turn_rows = 1;
  if (!by.by_kind || of.walk_stride % 2 == 0) return;
  of.walk_phases *= 2;
  if (!shared) return;
  of.turn_rows = 2;
  of.phase_stride *= 2;
  of.phase_index *= 2;
}

// Deals a batch's rows and other runs to blocks, so that few of these wait for others. Those that meet in memory are merged
// one behind the other. `each`: elements that are taken at once.
bool deal(lane_walk& of, std::int64_t rows, std::int64_t others, std::int64_t each, std::int64_t slots) {
  const std::int64_t most = tuning::most_lane_meetings * of.phases, lane_rows = ceil_div(rows, of.walk_phases);
  if (others > INT32_MAX || of.boxes > INT32_MAX / most) return false;
  const auto parts_of = [&](std::int64_t blocks, std::int64_t elements, std::int64_t limit) {
    const double cost = tuning::part_lane_cost / static_cast<double>(elements);
    return parts_for_waves(blocks, slots, std::max<std::int64_t>(limit, 1), cost);
  };
  const std::int64_t pieces =
      parts_of(of.boxes * others, lane_rows, std::min(each * lane_rows / tuning::least_part_lane_rows, most / others));
  std::int64_t share = 1;
  if (pieces == 1 && others > 1) {
    const std::int64_t elements = lane_rows * others;
    share = ceil_div(others,
                     parts_of(of.boxes, elements, std::min({others, most, each * elements / tuning::least_part_lane_rows})));
  }
  of.lane_rows = static_cast<int>(ceil_div(lane_rows, pieces));
  of.pieces = static_cast<int>(pieces);
  of.parts = static_cast<int>(others * pieces);
  of.share = static_cast<int>(share);
  of.shares = static_cast<int>(ceil_div(others * pieces, share));
  return true;
}

}  // namespace

std::optional<lane_walk> lane_walk_of(const batches& form, std::int64_t item, bool words, std::int64_t slots) {
  constexpr std::size_t most = lane_walk::most_runs;
  if (form.reduced.empty() || form.reduced.size() > most || form.kept.size() > most) return {};
  if (form.elements() == 0 || form.results() > INT32_MAX) return {};
  auto all = by_elements(form, item);
  if (!all) return {};
  const bool kinds = words && !all->line && by_kind(form);
  if (words) take_words(*all);
  const auto by = all->line ? along_rows(*all, words) : along_columns(*all, kinds);
  if (!by || all->results > INT32_MAX) return {};
  lane_walk of{};
  put_runs(of, all->form, *by);
  const std::int64_t rows = of.walk_extent;
  if (rows < tuning::least_part_column || rows > INT32_MAX / 2) return {};
  const bool shared = by->walk == by->phase;
  of.words = words;
  of.by_kind = by->by_kind;
  of.beside = by->beside;
  of.line_elements = all->line_elements;
  of.line = static_cast<int>(all->line ? all->form.reduced[*all->line].extent : all->neighbours);
  of.phases = static_cast<int>(by->phases);
  of.width = static_cast<int>(by->beside ? std::min(part_threads / by->phases, all->results)
                                         : columns_of_block(*all, by->phases));
  put_turns(of, *by);
  if (words && by->beside && shared) of.word_step = of.walk_phases;
  of.chunks = static_cast<int>(ceil_div(of.phase_extent, static_cast<std::int64_t>(of.turns())));
  of.batches = static_cast<int>(all->results);
  of.step = of.by_kind && !of.beside && of.width % of.line != 0 ? of.width - 1 : of.width;
  if (of.step == 0) return {};
  of.boxes = static_cast<int>(ceil_div(all->results, of.step));
  const std::int64_t others = all->form.length / (rows * (shared ? 1 : of.phase_extent)) * of.chunks;
  if (!deal(of, rows, others, all->elements, slots)) return {};
  return of;
}

}  // namespace multifold::detail
