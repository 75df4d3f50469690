// Long rows of bf16, f32 and f64, and rows that are read in one wave, have kernels of their own; everything else is
// gathered in pairs, which may be lost.
#include "plan/layouts/exact.hpp"

#include <algorithm>
#include <cstdlib>

#include "multifold/exact/lane_limbs.hpp"
#include "multifold/ops/gathered_sum.hpp"
#include "plan/layout.hpp"
#include "plan/layouts/group.hpp"
#include "plan/tuning.hpp"

namespace multifold::inline v0_1::detail {
namespace {

// A sum in fixed point and where its point is.
constexpr std::int64_t fixed_sum_bytes = 32;

// The occupancy of exact rows, in blocks an SM.
std::int64_t exact_blocks(dtype input, int threads, const engine_traits& engine) {
  const std::int64_t most = std::max<std::int64_t>(1, tuning::exact_threads_a_unit / threads);
  if (input == dtype::f64) return most;  // pairs are in registers
  const std::int64_t bytes = threads * tuning::bin_bytes_a_thread + tuning::bin_block_bytes;
  return std::clamp<std::int64_t>(engine.unit_shared_bytes / bytes, 1, most);
}

// Neighbouring batches lie closer together than neighbouring elements of one.
bool has_neighbours_in_batches(const batches& form) {
  if (form.pattern != access::strided) return form.pattern == access::columns;
  if (form.kept.empty() || form.reduced.empty()) return false;
  return std::abs(form.kept.back().stride) < std::abs(form.reduced.back().stride);
}

// Whether the passes of `p`, which gathers exactly, may leave batches to be added again.
bool may_lose(const plan& p) {
  const pass& first = p.passes.front();
  if (p.what.input == dtype::f16 || first.kind == kernel::exact_rows || first.kind == kernel::exact_blocks) {
    return false;
  }
  // Tiles that have all of a batch of narrow elements lose none.
  const bool whole = first.kind == kernel::tiles && p.passes.size() == 1 && first.has_whole_runs();
  return !whole || item_bytes(p.what.input) > 4 || p.what.nan == nan_policy::omit;
}

// Sums that lanes take, if results are plain. Those of f16 are numbers anyway.
std::optional<lane_walk> walk_of_sums(const plan& p) {
  const reduction& what = p.what;
  const bool plain = what.nan == nan_policy::propagate && what.result == what.input && !what.initial.given;
  if (!plain || what.input == dtype::f16 || p.passes.front().kind != kernel::tiles) return {};
  const std::int64_t item = item_bytes(what.input);
  const auto walk = lane_walk_of(p.form, item, p.engine.units * part_blocks);
  // Tiles are quicker where runs are short.
  return walk && walk->walk_extent * item >= tuning::least_sum_walk_bytes ? walk : std::nullopt;
}

// Vectors of 16 bytes that a thread takes of a tile. Blocks that read longer runs get more out of the memory, but
// rows have to be shared among many blocks evenly.
std::int64_t tile_vectors(dtype input, std::int64_t length, int threads, std::int64_t blocks) {
  if (input == dtype::f64) return exact_tile_vectors(input, length);
  const std::int64_t step = threads * (16 / item_bytes(input));
  std::int64_t vectors = tuning::least_tile_vectors;
  while (vectors < tuning::most_tile_vectors && length >= 2 * vectors * step * blocks * tuning::tiles_a_part)
    vectors *= 2;
  return vectors;
}

// A wave of blocks of exact_blocks, or two, if that is enough for all rows.
bool prefer_exact_blocks(pass& p, const reduction& what, const plan_options& options, const engine_traits& engine) {
  if (options.passes || options.how == finish::atomic || options.parts || options.threads || options.form) return false;
  const std::int64_t item = item_bytes(what.input), most = engine.units * tuning::part_blocks_a_unit;
  if (what.input == dtype::f16 || p.batches > most || p.length == 0 ||
      p.length > tuning::timed_bytes(tuning::most_block_row_bytes, engine) / item ||
      p.length > tuning::timed_bytes(tuning::most_block_bytes, engine) / item / p.batches) {
    return false;
  }
  const std::int64_t row_bytes = p.length * item, vectors = ceil_div(row_bytes, 16);
  const std::int64_t parts =
      row_bytes <= tuning::single_block_bytes(what.input) ? 1 : ceil_div(row_bytes, tuning::small_part_bytes);
  p.kind = kernel::exact_blocks;
  const std::int64_t adders = options.how == finish::last_block ? tuning::exact_part_threads : tuning::most_block_parts;
  // Two waves, if that leaves fewer SMs idle.
  const std::int64_t in_one = most / p.batches, in_two = 2 * most / p.batches;
  cut(p, std::min({parts, in_two > 2 * in_one ? in_two : in_one, adders}), 16 * 32 / item);
  const bool quick = item <= 4 && row_bytes <= quick_row_bytes;
  const std::int64_t warps = ceil_div(vectors, 32 * (quick ? quick_vectors : 1));
  const bool long_row = row_bytes > tuning::single_block_bytes(what.input);
  p.threads = long_row ? tuning::exact_part_threads : static_cast<int>(std::clamp<std::int64_t>(warps * 32, 32, 512));
  return true;
}

}  // namespace

void prefer_exact_kernels(pass& p, const reduction& what, const plan_options& options, const engine_traits& engine) {
  if (engine.engine == engine_kind::host || p.kind != kernel::block_rows || p.batches == 0) return;
  if (!gathers_exactly(what)) return;
  if (prefer_exact_blocks(p, what, options, engine)) return;
  const finish how = finish_of_rows(what);
  if (options.passes && (how == finish::next_pass || *options.passes > 1)) return;
  if (options.how.value_or(how) != how) return;
  if (options.form.value_or(block_form::shuffle) != block_form::shuffle) return;
  // What the second pass of f64 takes.
  if (what.input == dtype::f64 && engine.block_shared_bytes < wide_shared_bytes) return;
  const std::int64_t item = item_bytes(what.input);
  if (p.length < tuning::timed_bytes(tuning::exact_row_bytes(what.input), engine) / item) return;
  const bool small = p.batches * p.length < tuning::timed_bytes(tuning::small_exact_bytes, engine) / item;
  const int threads = options.threads.value_or(small ? tuning::small_exact_threads : engine.threads);
  const std::int64_t blocks = engine.units * exact_blocks(what.input, threads, engine);
  const std::int64_t tile = tile_vectors(what.input, p.length, threads, std::max<std::int64_t>(1, blocks / p.batches)) *
                            threads * (16 / item);
  const std::int64_t most = ceil_div(p.length, tile);
  const std::int64_t wanted = options.parts.value_or(parts_for_waves(p.batches, blocks, most));
  if (wanted > most) return;
  const std::int64_t tiles = ceil_div(p.length, tile);
  p.kind = kernel::exact_rows;
  p.threads = threads;
  p.parts = wanted;
  p.tile = wanted == 1 ? p.length : tile;
  p.part_length = wanted == 1 ? p.length : ceil_div(tiles, wanted) * tile;
}

finish finish_of_rows(const reduction& what) { return what.input == dtype::f64 ? finish::atomic : finish::next_pass; }

bool claims_tiles(const reduction& what, const pass& p) {
  return p.parts > 1 && p.part_length >= tuning::least_claimed_part_bytes / item_bytes(what.input);
}

std::int64_t exact_word_bytes(const reduction& what) {
  return visit_dtype(what.input, []<class T>() -> std::int64_t {
    if constexpr (floating_storage<T>) return 8 * exact_sum_words<T>;
    return 0;
  });
}

std::int64_t partial_bytes(const reduction& what, const pass& first) {
  if (first.kind == kernel::exact_blocks) return fixed_sum_bytes;
  if (first.kind == kernel::tiles) return tiled_bytes(what);
  return first.kind == kernel::exact_rows ? exact_word_bytes(what) : gathered_bytes(what);
}

pass sums_again(const reduction& what, const batches& form, const engine_traits& engine) {
  pass p = blank_pass(form, {}, engine);
  p.kind = kernel::sum_groups;
  const std::int64_t limbs = exact_word_bytes(what) / 8 - 4, elements = tuning::again_elements_a_limb * limbs;
  const bool columns = has_neighbours_in_batches(form);
  lay_out_groups(p,
                 {32 * 8 * (limbs + spare_lane_limbs), columns ? 1 : ceil_div(p.length, elements),
                  columns ? 1 : ceil_div(p.length, tuning::again_least_elements), elements, tuning::again_warps_a_unit},
                 {}, engine);
  return p;
}

std::optional<moment_parts> parts_of_sums(const plan& p, recipe_end end) {
  if (end != recipe_end::results || !p.again || !gathers_exactly(p.what)) return {};
  const auto walk = walk_of_sums(p);
  return walk ? std::optional(parts_of(*walk, p.engine)) : std::nullopt;
}

void add_again(plan& p) {
  if (p.engine.engine == engine_kind::host || !gathers_exactly(p.what)) return;
  if (may_lose(p) || walk_of_sums(p)) p.again = sums_again(p.what, p.form, p.engine);
}

}  // namespace multifold::inline v0_1::detail
