// A plan in words and columns.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/text/bytes_text.hpp"
#include "core/text/text_table.hpp"
#include "multifold/placement.hpp"
#include "multifold/plan.hpp"
#include "multifold/plan/recipe.hpp"
#include "plan/layouts/exact.hpp"
#include "plan/layouts/moment.hpp"
#include "plan/reshape_text.hpp"

namespace multifold::inline v0_1 {
namespace {

std::string pattern_name(access pattern) {
  return pattern == access::rows ? "rows" : pattern == access::columns ? "columns" : "strided";
}

std::string form_of(const plan& p, const pass& at) {
  if (p.engine.engine == engine_kind::host) return "in order";
  switch (at.kind) {
    case kernel::tiles:
    case kernel::moment_groups:
    case kernel::sum_groups: return "groups of " + std::to_string(at.group);
    case kernel::columns:
      return "lanes of " + std::to_string(at.box.columns / at.vector) + " x " + std::to_string(at.group);
    case kernel::exact_rows: return "bins";
    case kernel::block_rows:
    case kernel::strided:
    case kernel::partials:
    case kernel::exact_blocks: break;
  }
  const kernel first = p.passes.front().kind;
  if (first == kernel::exact_rows) return "limbs";
  return first == kernel::exact_blocks ? "fixed point" : std::string(name(at.form));
}

// A pass, which a kernel of this name runs.
std::vector<std::string> row_of(const plan& p, std::size_t index, std::string_view kernel_name,
                                const std::string& grid) {
  const pass& at = pass_at(p, index);
  const bool last = index + 1 >= p.passes.size();
  const int128_t partials = index < p.passes.size() ? p.partials(index) : 0;
  return {std::to_string(index + 1),
          std::string(kernel_name),
          reshape_text(at),
          grid,
          form_of(p, at),
          at.parts == 1 && last ? "result" : std::string(name(at.how)),
          bytes_text(partials * p.accumulator_bytes)};
}

std::string list_of(std::span<const recipe::slice> slices, bool with_bytes) {
  std::string text;
  for (const recipe::slice& s : slices) {
    text += (text.empty() ? "" : ", ") + std::string(name(s.use)) + (with_bytes ? " " + bytes_text(s.bytes) : "");
  }
  return text;
}

bool takes_parts(const recipe::step& s) { return s.kind == step_kind::part_sums || s.kind == step_kind::part_lanes; }

// Batches that a kernel takes up to their results, whatever the passes are.
std::vector<std::string> row_of_parts(const plan& p, const std::string& grid) {
  const auto parts = gathers_exactly(p.what) ? detail::parts_of_sums(p, recipe_end::results)
                                             : detail::parts_of_moments(p, recipe_end::results);
  const bool rows = parts->kind == step_kind::part_sums;
  return {"1",
          std::string(name(parts->kind)),
          "(" + std::to_string(p.form.results()) + ", " + std::to_string(p.form.length) + ")",
          grid,
          rows ? "teams of " + std::to_string(parts->team)
               : "lanes of " + std::to_string(parts->walk.width) + " x " + std::to_string(parts->walk.phases),
          parts->meetings > 0 ? "last block" : "result",
          bytes_text(int128_t{parts->meetings} * detail::moment_part_bytes(p.what))};
}

std::vector<std::string> row_of(const plan& p, const recipe& made, const recipe::step& s) {
  if (s.kind == step_kind::clear) return {"", "clear", list_of(made.cleared_by(s), false)};
  const std::string grid = std::to_string(s.blocks) + " x " + std::to_string(s.threads);
  if (takes_parts(s)) return row_of_parts(p, grid);
  if (s.pass != recipe::step::no_pass) return row_of(p, s.pass, name(s.kind), grid);
  std::vector<std::string> row{"", std::string(name(s.kind)), "", grid};
  if (s.kind == step_kind::place_results) {
    const placement map = placement_of(p.form, p.waiting_bytes);
    row[2] = "tiles of " + std::to_string(map.tile_rows) + " x " + std::to_string(map.tile_columns * map.run_length);
  }
  return row;
}

// What is enqueued, or what the CPU's threads do pass by pass.
std::string steps_text(const plan& p, const recipe& made) {
  const bool host = p.engine.engine == engine_kind::host;
  std::vector<std::vector<std::string>> rows{
      {"pass", "kernel", "reshape", host ? "work" : "grid", "block", "finish", "partials"}};
  for (std::size_t i = 0; host && i < p.passes.size(); ++i) {
    rows.push_back(row_of(p, i, name(p.passes[i].kind), std::to_string(p.passes[i].blocks) + " parts"));
  }
  for (const recipe::step& s : made.steps()) rows.push_back(row_of(p, made, s));
  return text_table(rows);
}

bool has_step(const recipe& made, step_kind kind) {
  const std::span<const recipe::step> steps = made.steps();
  return std::any_of(steps.begin(), steps.end(), [&](const recipe::step& s) { return s.kind == kind; });
}
bool has_parts(const recipe& made) {
  return has_step(made, step_kind::part_sums) || has_step(made, step_kind::part_lanes);
}

std::string tiles_text(const plan& p, const recipe& made) {
  if (has_parts(made)) return "";
  std::string text;
  for (std::size_t i = 0; i < p.passes.size(); ++i) {
    const pass& at = p.passes[i];
    const std::string which = "pass " + std::to_string(i + 1);
    if (at.kind == kernel::tiles && i == 0 && has_step(made, step_kind::row_sums)) {
      text += which + " reads rows by warps\n";
    } else if (at.kind == kernel::tiles) {
      text += which + " reads boxes of " + std::to_string(at.box.outers) + " x " + std::to_string(at.box.rows) + " x " +
              std::to_string(at.box.columns) + "\n";
    }
    if (!at.contiguous())
      text += which + " deals tiles of " + std::to_string(at.tile) + " elements to its parts in turn\n";
  }
  return text;
}

// What the engine takes beside the array and the results.
std::string memory_line(const plan& p, const recipe& made) {
  if (p.engine.engine == engine_kind::device) {
    return p.passes.empty()
               ? ""
               : "workspace " + bytes_text(made.workspace_bytes()) + ": " + list_of(made.slices(), true) + "\n";
  }
  return "accumulators of " + bytes_text(p.accumulator_bytes) + ", " +
         bytes_text(int128_t{p.form.results()} * p.accumulator_bytes) + " for all results\n";
}

}  // namespace

std::string_view name(finish how) noexcept {
  constexpr std::array<std::string_view, 3> names{"next pass", "last block", "atomic"};
  return names[static_cast<std::size_t>(how)];
}

std::string_view name(block_form form) noexcept {
  constexpr std::array<std::string_view, 2> names{"shuffle", "shared tree"};
  return names[static_cast<std::size_t>(form)];
}

std::string_view name(kernel kind) noexcept {
  constexpr std::array<std::string_view, 9> names{"block rows",   "columns",       "tiles",
                                                  "strided",      "partials",      "exact rows",
                                                  "exact blocks", "moment groups", "sum groups"};
  return names[static_cast<std::size_t>(kind)];
}

std::string explain(const plan& p) {
  const batches& f = p.form;
  std::string text = std::string(name(p.what.op)) + " of " + std::string(name(p.what.input)) + " to " +
                     std::string(name(p.what.result)) + " on " + p.engine.name +
                     (gathers_exactly(p.what) ? ", exact" : "") + "\n";
  text += "batches (outer " + std::to_string(f.outer) + ", length " + std::to_string(f.length) + ", inner " +
          std::to_string(f.inner) + "), " + pattern_name(f.pattern) + ", " +
          bytes_text(int128_t{f.elements()} * item_bytes(p.what.input) * (takes_two_arrays(p.what.op) ? 2 : 1)) +
          " in, " + bytes_text(int128_t{f.results()} * result_bytes(p.what)) + " out\n";
  const recipe made = recipe_of(p);
  if (p.passes.empty()) text += "in chunks: each is reduced as it comes, and merged with the others\n";
  else text += steps_text(p, made) + tiles_text(p, made);
  return text + memory_line(p, made);
}

}  // namespace multifold::inline v0_1
