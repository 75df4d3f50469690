// Which runs of results are the columns and the rows of tiles.
#include "multifold/placement.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "multifold/error.hpp"

namespace multifold::inline v0_1 {
namespace {

constexpr std::int64_t sector_bytes = 32, neighbours = 32;
// Results wait where they touch so many times the sectors that they fill. On an H200, results of 1 and of 4 bytes that
// are written one by one take 23 to 40 ps each, in which 100 bytes are read or written in whole sectors.
constexpr std::int64_t scattered = 3;
// What this many of them lose is what one more kernel takes, two to three microseconds.
constexpr std::int64_t least_results = INT64_C(1) << 17;
// Runs up to this size are moved together; longer ones are columns of their own.
constexpr std::int64_t most_run_bytes = 64;
// Lines of tiles are this long, if there are so many neighbours; several runs are put together for it.
constexpr std::int64_t least_line_bytes = 128;
constexpr std::int64_t tile_payload_bytes = INT64_C(16) << 10;

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

struct placed_run {
  std::int64_t extent, batch_stride, place_stride;
};
using placed_runs = std::vector<placed_run>;  // slowest first

placed_runs placed_runs_of(const batches& form) {
  placed_runs runs;
  for (const run& r : result_runs(form)) runs.push_back({r.extent, 0, r.result_stride});
  if (runs.size() > most_result_runs) throw unsupported_error("the kept axes take too many runs of results");
  std::int64_t stride = 1;
  for (std::size_t i = runs.size(); i-- > 0; stride *= runs[i].extent) runs[i].batch_stride = stride;
  return runs;
}

placed_runs::iterator fastest_in_place(placed_runs& runs) {
  return std::min_element(runs.begin(), runs.end(),
                          [](const auto& a, const auto& b) { return a.place_stride < b.place_stride; });
}

void put_in_front(placed_axis& axis, const placed_run& r) {
  for (int i = axis.count++; i > 0; --i) {
    axis.extent[i] = axis.extent[i - 1];
    axis.batch_stride[i] = axis.batch_stride[i - 1];
    axis.place_stride[i] = axis.place_stride[i - 1];
  }
  axis.extent[0] = r.extent;
  axis.batch_stride[0] = r.batch_stride;
  axis.place_stride[0] = r.place_stride;
}

// Takes the run out of `runs`, where the fastest run is the same in both orders, and there is something around it.
std::int64_t take_run(placed_runs& runs, std::int64_t item) {
  if (runs.size() < 3 || fastest_in_place(runs) != runs.end() - 1) return 1;
  const std::int64_t length = runs.back().extent;
  if (length > most_run_bytes / item || runs.back().place_stride != 1) return 1;
  placed_runs others(runs.begin(), runs.end() - 1);
  if (fastest_in_place(others)->place_stride != length) return 1;
  runs = std::move(others);
  return length;
}

// The fastest runs in the order of batches, without the one that is fastest in place unless it comes first.
void take_columns(placement& p, placed_runs& runs, std::int64_t enough) {
  p.column_count = 1;
  while (!runs.empty() && p.column_count < enough) {
    if (p.columns.count > 0 && fastest_in_place(runs) == runs.end() - 1) return;
    put_in_front(p.columns, runs.back());
    p.column_count *= runs.back().extent;
    runs.pop_back();
  }
}

// The fastest runs in place, as far as they follow each other there.
void take_rows(placement& p, placed_runs& runs, std::int64_t enough) {
  p.row_count = p.place_step = 1;
  while (!runs.empty() && p.row_count < enough) {
    const auto next = fastest_in_place(runs);
    if (p.rows.count == 0) p.place_step = p.run_length > 1 ? 1 : next->place_stride;
    else if (next->place_stride != p.rows.place_stride[0] * p.rows.extent[0]) return;
    put_in_front(p.rows, *next);
    p.row_count *= next->extent;
    runs.erase(next);
  }
}

// An odd number of words, so that neighbours in a column lie in different banks.
std::int64_t pitch_of(std::int64_t bytes, std::int64_t item) {
  const std::int64_t word = item % 8 == 0 ? 8 : 4;
  return (ceil_div(bytes, word) | 1) * word;
}

void cut_tiles(placement& p, std::int64_t item) {
  const std::int64_t unit = p.run_length * item, most = std::max<std::int64_t>(1, tile_payload_bytes / unit);
  std::int64_t side = 1;
  while (4 * side * side <= most) side *= 2;
  const std::int64_t some_rows = std::min(p.row_count, side);
  const std::int64_t columns = std::min({p.column_count, most / some_rows, std::int64_t{most_placed_lines}});
  const std::int64_t pitch = pitch_of(columns * unit, item);
  if (pitch > placing_tile_bytes) {
    throw unsupported_error("results of " + std::to_string(item) + " bytes are too long to wait: write them in place");
  }
  const std::int64_t rows =
      std::min({p.row_count, most / columns, placing_tile_bytes / pitch, std::int64_t{most_placed_lines}});
  p.tile_columns = static_cast<int>(columns);
  p.tile_rows = static_cast<int>(rows);
  p.pitch = static_cast<int>(pitch);
  p.column_tiles = ceil_div(p.column_count, columns);
  p.row_tiles = ceil_div(p.row_count, rows);
  p.tiles = p.column_tiles * p.row_tiles;
  for (int i = 0; i < p.outer.count; ++i) p.tiles *= p.outer.extent[i];
}

}  // namespace

std::vector<run> result_runs(const batches& form) {
  std::vector<run> runs;
  for (const run& r : form.kept) {
    if (!runs.empty() && runs.back().result_stride == r.result_stride * r.extent) {
      runs.back().extent *= r.extent;
      runs.back().result_stride = r.result_stride;
    } else {
      runs.push_back({r.extent, 0, r.result_stride, false});
    }
  }
  return runs;
}

bool scatters_results(const batches& form, std::int64_t item_bytes) {
  if (form.results() < least_results) return false;
  if (const std::size_t runs = result_runs(form).size(); runs < 2 || runs > most_result_runs) return false;
  std::array<std::int64_t, 2 * neighbours> sectors{};
  std::size_t count = 0;
  // Long items are in whole sectors but for their ends.
  if (item_bytes > sector_bytes) return false;
  for (std::int64_t batch = 0; batch < neighbours; ++batch) {
    const int128_t first = int128_t{form.result_of(batch)} * item_bytes;
    sectors[count++] = static_cast<std::int64_t>(first / sector_bytes);
    sectors[count++] = static_cast<std::int64_t>((first + item_bytes - 1) / sector_bytes);
  }
  std::sort(sectors.begin(), sectors.end());
  const auto touched = std::unique(sectors.begin(), sectors.end()) - sectors.begin();
  return touched >= scattered * ceil_div(neighbours * item_bytes, sector_bytes);
}

placement placement_of(const batches& form, std::int64_t item_bytes) {
  placement p{};
  placed_runs runs = placed_runs_of(form);
  p.run_length = take_run(runs, item_bytes);
  const std::int64_t enough = std::max<std::int64_t>(2, least_line_bytes / (p.run_length * item_bytes));
  take_columns(p, runs, enough);
  take_rows(p, runs, enough);
  for (std::size_t i = runs.size(); i-- > 0;) put_in_front(p.outer, runs[i]);
  cut_tiles(p, item_bytes);
  return p;
}

}  // namespace multifold::inline v0_1
