// Long rows of bf16, f32 and f64, and rows that are read in one wave, have kernels of their own; everything else is
// gathered in pairs, which may be lost.
#include "plan/exact_layout.hpp"

#include <algorithm>
#include <cstdlib>

#include "multifold/exact/lane_digits.hpp"
#include "multifold/ops/gathered_sum.hpp"
#include "plan/group_layout.hpp"
#include "plan/layout.hpp"

namespace multifold::detail {
namespace {

// Rows from this size on: filling, flushing and merging the bins of a block costs some microseconds.
constexpr std::int64_t exact_row_bytes = INT64_C(512) << 10;
// Rows up to this size are read by one wave of blocks that gather pairs, and have little else to do than to wait for
// memory. Captured sums on an H200, in microseconds, of normal elements and of any bits, beside the kernels for longer
// rows:
//           f32                     bf16                    f64
//     1 MiB 4.0 (10.5), 15 (10)     5.3 (10.8), 15 (11)     4.1 (15.9), 29 (36)
//     8     6.6 (13.6), 19 (13)     8.5 (13.8), 20 (14)     6.9 (31.9), 59 (175)
//     32    13.6 (21.7), 33 (22)    16.8 (22.9), 35 (23)    14.1 (28.0), 169 (131)
constexpr std::int64_t most_block_row_bytes = INT64_C(32) << 20;
// What a block reads alone: 64 KiB take it 4.1 microseconds, and 128 KiB in parts 3.7, but in a graph of many sums two
// kernels take twice the time of one. The fewer elements there are in a byte, the less a block has to do for it.
constexpr std::int64_t single_block_bytes(dtype input) { return input == dtype::bf16 ? 32 << 10 : 64 << 10; }
// Two vectors for each thread of a part, in arrays of up to 2 MiB; more threads would not fit twice.
constexpr std::int64_t small_part_bytes = exact_part_threads * 32;
constexpr std::int64_t small_blocks_a_unit = 2;
// One for each thread of the block that brings them together.
constexpr std::int64_t most_block_parts = 512;
// Arrays up to this size are read by blocks of 256 threads.
constexpr std::int64_t small_exact_bytes = INT64_C(1) << 26;
// A sum in fixed point and where its point is.
constexpr std::int64_t fixed_sum_bytes = 32;
// Blocks of 512 threads with 64 KiB of bins that a multiprocessor holds.
constexpr std::int64_t exact_blocks_a_unit = 2;

// Neighbouring batches lie closer together than neighbouring elements of one.
bool has_neighbours_in_batches(const batches& form) {
  if (form.pattern != access::strided) return form.pattern == access::columns;
  if (form.kept.empty() || form.reduced.empty()) return false;
  return std::abs(form.kept.back().stride) < std::abs(form.reduced.back().stride);
}

// A lane rounds the sum of its group, which takes some twenty instructions a digit; so does every digit that lanes
// merge.
pass groups_of(const reduction& what, const batches& form, const engine_traits& engine) {
  constexpr std::int64_t elements_a_digit = 2, least_elements = 8, warps_a_unit = 24;
  pass p = blank_pass(form, {}, engine);
  p.kind = kernel::sum_groups;
  const std::int64_t digits = exact_word_bytes(what) / 8 - 4, elements = elements_a_digit * digits;
  const bool columns = has_neighbours_in_batches(form);
  lay_out_groups(p,
                 {32 * 8 * (digits + spare_lane_digits), columns ? 1 : ceil_div(p.length, elements),
                  columns ? 1 : ceil_div(p.length, least_elements), elements, warps_a_unit},
                 {}, engine);
  return p;
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

// One wave of blocks of exact_blocks, if that is enough for all rows.
bool prefer_exact_blocks(pass& p, const reduction& what, const plan_options& options, const engine_traits& engine) {
  if (options.passes || options.how == finish::atomic || options.parts || options.threads || options.form) return false;
  const std::int64_t item = item_bytes(what.input), most = engine.units * small_blocks_a_unit;
  if (what.input == dtype::f16 || p.batches < 1 || p.batches > most || p.length == 0 ||
      p.length > most_block_row_bytes / item) {
    return false;
  }
  const std::int64_t row_bytes = p.length * item, vectors = ceil_div(row_bytes, 16);
  const std::int64_t parts = row_bytes <= single_block_bytes(what.input) ? 1 : ceil_div(row_bytes, small_part_bytes);
  p.kind = kernel::exact_blocks;
  const std::int64_t adders = options.how == finish::last_block ? exact_part_threads : most_block_parts;
  cut(p, std::min({parts, most / p.batches, adders}), 16 * 32 / item);
  const bool quick = item <= 4 && row_bytes <= quick_row_bytes;
  const std::int64_t warps = ceil_div(vectors, 32 * (quick ? quick_vectors : 1));
  const bool long_row = row_bytes > single_block_bytes(what.input);
  p.threads = long_row ? exact_part_threads : static_cast<int>(std::clamp<std::int64_t>(warps * 32, 32, 512));
  return true;
}

}  // namespace

void prefer_exact_kernels(pass& p, const reduction& what, const plan_options& options, const engine_traits& engine) {
  if (engine.engine == engine_kind::host || p.kind != kernel::block_rows) return;
  if (!gathers_exactly(what)) return;
  if (prefer_exact_blocks(p, what, options, engine)) return;
  if (options.passes.value_or(1) > 1 || options.how.value_or(finish::atomic) != finish::atomic) return;
  if (options.form.value_or(block_form::shuffle) != block_form::shuffle) return;
  // What the second pass of f64 takes.
  if (what.input == dtype::f64 && engine.block_shared_bytes < wide_shared_bytes) return;
  const std::int64_t item = item_bytes(what.input);
  if (p.length < exact_row_bytes / item) return;
  // Smaller blocks, and more of them, for arrays that are read in a few microseconds.
  const int threads = !options.threads && p.batches * p.length < small_exact_bytes / item ? 256 : p.threads;
  const std::int64_t tile = exact_tile_vectors(what.input, p.length) * threads * (16 / item);
  const std::int64_t most = ceil_div(p.length, tile);
  const std::int64_t wanted =
      options.parts.value_or(parts_for_waves(p.batches, engine.units * exact_blocks_a_unit, most));
  if (wanted > most) return;
  const std::int64_t tiles = ceil_div(p.length, tile);
  p.kind = kernel::exact_rows;
  p.threads = threads;
  p.parts = wanted;
  p.tile = wanted == 1 ? p.length : tile;
  p.part_length = wanted == 1 ? p.length : ceil_div(tiles, wanted) * tile;
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

void add_again(plan& p) {
  if (p.engine.engine == engine_kind::host || !gathers_exactly(p.what)) return;
  if (may_lose(p)) p.again = groups_of(p.what, p.form, p.engine);
}

}  // namespace multifold::detail
