// Every run of a dense array has its place in memory: what is slower makes up the outer side, what is faster the inner
// one. So any reduced run can be the length of a pass of tiles, which leaves a dense array of accumulators with one run
// less. The longest one goes first: it leaves the fewest accumulators.
#include "plan/layouts/chain.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "core/runs.hpp"
#include "multifold/ops/visit.hpp"
#include "plan/layout.hpp"
#include "plan/layouts/tile.hpp"

namespace multifold::inline v0_1::detail {
namespace {

// As many as kernels work out the places of results from.
constexpr std::size_t most_kept_runs = 8;

struct memory_run {
  std::int64_t extent, stride;
  bool reduced;
  std::int64_t index_step;  // of neighbours, in the indices of their batch; 0 for kept runs
};

// Slowest first.
using memory_runs = std::vector<memory_run>;

bool continues(const memory_run& slow, const memory_run& fast, bool indexed) {
  return slow.reduced == fast.reduced && slow.stride == fast.stride * fast.extent &&
         (!indexed || slow.index_step == fast.index_step * fast.extent);
}

void append(memory_runs& runs, const memory_run& next, bool indexed) {
  if (runs.empty() || !continues(runs.back(), next, indexed)) return runs.push_back(next);
  runs.back() = {runs.back().extent * next.extent, next.stride, next.reduced, next.index_step};
}

memory_runs runs_of(const batches& form, bool indexed) {
  memory_runs all;
  for (const run& r : form.kept) all.push_back({r.extent, r.stride, false, 0});
  std::int64_t step = 1;
  for (std::size_t i = form.reduced.size(); i-- > 0; step *= form.reduced[i].extent) {
    all.push_back({form.reduced[i].extent, form.reduced[i].stride, true, indexed ? step : 1});
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.stride > b.stride; });
  memory_runs merged;
  for (const memory_run& r : all) append(merged, r, indexed);
  return merged;
}

// What a pass without run `taken` leaves: accumulators side by side, the parts of a batch fastest.
memory_runs runs_left(const memory_runs& before, std::size_t taken, std::int64_t parts, bool indexed) {
  memory_runs left;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (i != taken) left.push_back(before[i]);
  }
  if (parts > 1) left.push_back({parts, 1, true, 0});
  std::int64_t stride = 1;
  for (std::size_t i = left.size(); i-- > 0; stride *= left[i].extent) left[i].stride = stride;
  memory_runs merged;
  for (const memory_run& r : left) append(merged, r, indexed);
  return merged;
}

// The array with run `at` as its length, if the others are dense on both sides.
std::optional<tiled_array> array_along(const memory_runs& runs, std::size_t at) {
  tiled_array of;
  of.length = runs[at].extent;
  of.row_stride = runs[at].stride;
  of.index_step = runs[at].index_step;
  for (std::size_t i = runs.size(); --i > at; of.inner *= runs[i].extent) {
    if (runs[i].stride != of.inner) return {};
  }
  if (of.inner == 1 && of.row_stride != 1) return {};
  if (at > 0) of.outer_stride = runs[at - 1].stride;
  for (std::size_t i = at; i-- > 0; of.outer *= runs[i].extent) {
    if (runs[i].stride != of.outer_stride * of.outer) return {};
  }
  return of;
}

struct choice {
  std::size_t run;
  tiled_array array;
};

std::optional<choice> longest_of(const memory_runs& runs) {
  std::optional<choice> best;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].reduced || (best && runs[i].extent <= best->array.length)) continue;
    if (const auto array = array_along(runs, i)) best = {i, *array};
  }
  return best;
}

std::ptrdiff_t reduced_runs(const memory_runs& runs) {
  return std::count_if(runs.begin(), runs.end(), [](const memory_run& r) { return r.reduced; });
}

// Parts of whole batches, which passes over partial results take.
bool only_parts_are_left(const memory_runs& runs, std::int64_t parts) {
  return reduced_runs(runs) == 1 && parts > 1 && runs.back().extent == parts;
}

// Kept runs as memory has them; neighbours that follow each other in the results, too, are one.
void number_along_memory(batches& form) {
  std::stable_sort(form.kept.begin(), form.kept.end(), [](const run& a, const run& b) { return a.stride > b.stride; });
  merge_neighbours(form.kept);
}

bool tiles_reach(const batches& form, const reduction& what, const plan_options& options, const engine_traits& engine) {
  if (!tiles_are_open(what, options, engine)) return false;
  if (form.elements() == 0 || form.kept.size() > most_kept_runs) return false;
  if (options.whole_batches && form.reduced.size() > 1) return false;
  const auto forwards = [](const run& r) { return r.stride > 0; };
  return std::all_of(form.kept.begin(), form.kept.end(), forwards) &&
         std::all_of(form.reduced.begin(), form.reduced.end(), forwards);
}

}  // namespace

bool is_for_chains(const batches& form) {
  if (form.pattern == access::strided) return true;
  return form.outer > 1 && form.length > 1 && std::abs(form.outer_run.stride) < std::abs(form.length_run.stride);
}

bool lay_out_chain(plan& p, const plan_options& options) {
  if (!tiles_reach(p.form, p.what, options, p.engine)) return false;
  const bool indexed = order_of(p.what.op) == element_order::indexed;
  memory_runs runs = runs_of(p.form, indexed);
  std::vector<pass> passes;
  std::int64_t parts = 1;
  while (reduced_runs(runs) > 0 && !only_parts_are_left(runs, parts)) {
    const auto next = longest_of(runs);
    if (!next) return false;
    pass& at = passes.emplace_back();
    const tile_input of_partials{tiled_bytes(p.what), 1, 1};
    if (passes.size() == 1) lay_out_first(at, next->array, p.what, options, p.engine);
    else lay_out_tiles(at, next->array, of_partials, p.what, p.engine);
    at.blocks = grid_of(at, p.form, p.engine);
    parts = at.parts;
    runs = runs_left(runs, next->run, parts, indexed);
  }
  if (passes.empty()) return false;
  number_along_memory(p.form);
  p.passes = std::move(passes);
  return true;
}

void append_merges(plan& p) {
  while (p.passes.back().parts > 1) {
    const std::int64_t batches = p.passes.back().batches, parts = p.passes.back().parts;
    pass& next = p.passes.emplace_back();
    lay_out_tiles(next, {batches, parts, 1, parts, 1, 0}, {tiled_bytes(p.what), 1, 1}, p.what, p.engine);
    next.blocks = grid_of(next, p.form, p.engine);
  }
}

}  // namespace multifold::inline v0_1::detail
