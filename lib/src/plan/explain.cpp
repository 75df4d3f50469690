// A plan in words and columns.
#include <array>
#include <string>
#include <vector>

#include "core/bytes_text.hpp"
#include "core/text_table.hpp"
#include "multifold/placement.hpp"
#include "multifold/plan.hpp"
#include "plan/reshape_text.hpp"

namespace multifold {
namespace {

std::string pattern_name(access pattern) {
  return pattern == access::rows ? "rows" : pattern == access::columns ? "columns" : "strided";
}

std::vector<std::string> row_of(const plan& p, std::size_t index) {
  const pass& at = p.passes[index];
  const bool last = index + 1 == p.passes.size();
  const std::string how = at.parts == 1 && last ? "result" : std::string(name(at.how));
  const std::string grid = p.engine.engine == engine_kind::host
                               ? std::to_string(at.blocks) + " pieces"
                               : std::to_string(at.blocks) + " x " + std::to_string(at.threads);
  const std::string form = p.engine.engine == engine_kind::host ? "in order"
                           : at.kind == kernel::tiles || at.kind == kernel::moment_groups
                               ? "groups of " + std::to_string(at.group)
                           : at.kind == kernel::exact_rows                 ? "bins"
                           : p.passes.front().kind == kernel::exact_blocks ? "fixed point"
                           : at.kind == kernel::moment_rows                ? "windows"
                                                                           : std::string(name(at.form));
  return {std::to_string(index + 1),
          std::string(name(at.kind)),
          reshape_text(at),
          grid,
          form,
          how,
          bytes_text(int128_t{p.partials(index)} * p.accumulator_bytes)};
}

// What a last kernel does with results that wait.
std::string placing_line(const plan& p) {
  if (p.waiting_bytes == 0) return "";
  const placement map = placement_of(p.form, p.waiting_bytes);
  return "results wait in the order of their batches, and are put in place by " + std::to_string(map.blocks()) + " x " +
         std::to_string(placing_threads) + " in tiles of " + std::to_string(map.tile_rows) + " x " +
         std::to_string(map.tile_columns * map.piece) + "\n";
}

// What the engine takes beside the array and the results.
std::string memory_line(const plan& p) {
  if (p.engine.engine == engine_kind::device) {
    return p.passes.empty() ? "" : "workspace " + bytes_text(p.workspace_bytes()) + "\n";
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
  constexpr std::array<std::string_view, 10> names{"block rows",    "columns",    "tiles",        "strided",
                                                   "partials",      "exact rows", "exact blocks", "moment rows",
                                                   "moment groups", "sum groups"};
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
  if (p.passes.empty()) {
    return text + "in chunks: each is reduced as it comes, and merged with the others\n" + memory_line(p);
  }
  std::vector<std::vector<std::string>> rows{{"pass", "kernel", "reshape",
                                              p.engine.engine == engine_kind::host ? "work" : "grid", "block", "finish",
                                              "partials"}};
  for (std::size_t i = 0; i < p.passes.size(); ++i) rows.push_back(row_of(p, i));
  text += text_table(rows);
  for (std::size_t i = 0; i < p.passes.size(); ++i) {
    if (p.passes[i].kind == kernel::tiles) {
      const tile_box& box = p.passes[i].box;
      text += "pass " + std::to_string(i + 1) + " reads boxes of " + std::to_string(box.outers) + " x " +
              std::to_string(box.rows) + " x " + std::to_string(box.columns) + "\n";
    }
    if (p.passes[i].contiguous()) continue;
    text += "pass " + std::to_string(i + 1) + " deals tiles of " + std::to_string(p.passes[i].tile) +
            " elements to its parts in turn\n";
  }
  return text + placing_line(p) + memory_line(p);
}

}  // namespace multifold
