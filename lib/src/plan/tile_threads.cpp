// Threads are dealt to the runs of a box by what their steps cost.
#include "plan/tile_threads.hpp"

#include <algorithm>
#include <array>

#include "multifold/ops/visit.hpp"
#include "plan/layout.hpp"

namespace multifold::inline v0_1::detail {
namespace {

struct candidate {
  int group = 1;
  bool turned = false;
  int columns = 1;
  double cost = 0;
};

// How many of a warp's threads read different words of the same bank, at worst.
int bank_conflicts(const tiled_array& of, const pass& p, std::int64_t item, int group, bool turned) {
  const tile_box& box = p.box;
  const int of_outer = static_cast<int>(ceil_div(box.columns, p.vector));
  const std::int64_t stride = of.inner == 1 ? item : box.pitch == 0 ? of.inner * item : box.pitch;
  const std::int64_t outer_step = box.pitch == 0 ? of.length * of.inner * item : box.pitch;
  std::array<std::int64_t, 32> words{};
  std::array<int, 32> of_bank{};
  int count = 0;
  for (int t = 0; t < 32; ++t) {
    const int together = tile_threads / group;
    const int run = of.inner == 1 ? t / group : t % together, lane = of.inner == 1 ? t % group : t / together;
    const int outer = run / of_outer, column = run % of_outer;
    if (outer >= box.outers) continue;
    const std::int64_t place = (lane + (turned ? outer * group : 0)) % box.rows;
    const std::int64_t word = (outer * outer_step + column * item + place * stride) / 4;
    if (std::find(words.begin(), words.begin() + count, word) != words.begin() + count) continue;
    words[static_cast<std::size_t>(count++)] = word;
    ++of_bank[static_cast<std::size_t>(word % 32)];
  }
  return *std::max_element(of_bank.begin(), of_bank.end());
}

// Whether threads may take neighbours of a run by whole vectors, and if, whether the ends are masked.
enum class vectors : std::uint8_t { none, between_ends, masked };

vectors vectors_of(const reduction& what, const tiled_array& of, std::int64_t item) {
  const bool one_by_one = what.op == op_kind::prod || (what.op == op_kind::describe && !is_floating(what.input));
  if (of.inner != 1 || item > 8 || takes_two_arrays(what.op) || one_by_one) return vectors::none;
  const op_family family = family_of(what);
  const bool sums = (what.op == op_kind::sum || what.op == op_kind::mean) && !gathers_exactly(what);
  const bool neutral = item <= 4 && (sums || family == op_family::extremum || family == op_family::tally ||
                                     (family == op_family::moments && !is_floating(what.input) && item <= 2));
  return neutral ? vectors::masked : vectors::between_ends;
}

// Whether a group's lanes do so, if the run is not turned.
bool by_vectors(const pass& p, int group, std::int64_t item, vectors which) {
  if (which == vectors::none) return false;
  return p.box.rows >= least_row_by_vectors(static_cast<int>(item), which == vectors::masked, group);
}

// The steps of a lane, in units of what an element costs, fitted to an H200.
double steps_of(const pass& p, int group, std::int64_t item, vectors which) {
  const std::int64_t elements = ceil_div(p.box.rows, group), width = 16 / item;
  switch (which) {
    case vectors::none: break;
    case vectors::between_ends: {
      const std::int64_t singles = 2 * ceil_div(width / 2, group);
      return static_cast<double>(2 * singles) + 0.6 * static_cast<double>(width * ceil_div(p.box.rows, width * group));
    }
    case vectors::masked: {
      const std::int64_t whole = ceil_div(p.box.rows * item + 8, 16 * group);
      return 2.5 * static_cast<double>(whole) + 4 * static_cast<double>(std::min<std::int64_t>(whole, 2));
    }
  }
  return static_cast<double>(elements);
}

// What lanes of a run take to exchange their values.
double exchange_of(const tiled_array& of, int group, bool whole) {
  const bool neighbours = of.inner == 1;
  double steps = 0;
  for (int g = group; g > 1; g /= 2) steps += neighbours && (whole || g <= 32) ? 5 : 8;
  return steps + (neighbours && whole && group > 32 ? 12 : 0);  // a slot a warp, and a barrier
}

// How often a block's groups go through a step for the runs of a box. What a run takes besides its elements, each warp
// of it does again; where runs are looked at as a whole, half of a block's warps are as fast as all of them.
double steps_of_block(std::int64_t runs, int group, bool whole) {
  const auto steps = static_cast<double>(ceil_div(runs, tile_threads / group));
  if (!whole || group <= 32) return steps;
  return std::max(steps, 2.0 * static_cast<double>(runs * group) / tile_threads);
}

}  // namespace

void deal_threads(pass& p, const tiled_array& of, const reduction& what, const dealt_runs& each) {
  const vectors which = vectors_of(what, of, each.item);
  const std::int64_t item = each.item;
  // What a row of columns costs, in elements of one: of words it is the place where they stand.
  const auto row_of = [&](int columns) {
    return columns > 1 && each.by_words ? 0.5 + 0.6 * columns : 0.1 + 0.9 * columns;
  };
  candidate best{0, false, 1, 0};
  const int most_columns = p.vector;
  for (const int columns : {1, most_columns}) {
    p.vector = columns;
    const std::int64_t runs = p.box.outers * ceil_div(p.box.columns, columns);
    for (int group = 1; group <= tile_threads && group <= std::max(1, p.box.rows); group *= 2) {
      if (ceil_div(p.box.rows, group) > most_run_share || (each.whole && columns > 1 && group > 1)) continue;
      const double exchange = exchange_of(of, group, each.whole);
      for (const bool turned : {false, true}) {
        // Vectors are read by a quarter of a warp at a time, whose lanes are mostly neighbours.
        const bool whole_vectors = !turned && by_vectors(p, group, item, which);
        const int conflicts = whole_vectors ? 1 : bank_conflicts(of, p, item, group, turned);
        const double element = (turned ? 1.35 : 1.0) + 0.6 * (conflicts - 1);
        const double steps =
            steps_of(p, group, item, whole_vectors ? which : vectors::none) * element * row_of(columns);
        const double cost = steps_of_block(runs, group, each.whole) * (steps + 10 + exchange * columns);
        if (best.group == 0 || cost < best.cost) best = {group, turned, columns, cost};
        if (conflicts == 1) break;
      }
    }
    if (columns == most_columns) break;
  }
  p.vector = best.columns;
  p.group = best.group;
  p.box.turned = best.turned;
}

}  // namespace multifold::inline v0_1::detail
