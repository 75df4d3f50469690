// The first pass: one wave of blocks over the machine, parts long enough to be worth a block.
#include "plan/layout.hpp"

#include <algorithm>

#include "plan/layouts/column.hpp"
#include "plan/layouts/exact.hpp"
#include "plan/layouts/tile.hpp"
#include "plan/tuning.hpp"

namespace multifold::inline v0_1::detail {
namespace {

using tuning::line_bytes, tuning::vector_bytes, tuning::vectors_in_flight;

std::int64_t power_of_two_at_least(std::int64_t x) {
  std::int64_t p = 1;
  while (p < x) p *= 2;
  return p;
}

// Host parts depend on the array alone, never on the number of threads: the bits must not.
std::int64_t host_parts(const pass& p, const batches& form, std::int64_t item, const engine_traits& engine) {
  const std::int64_t part_items = std::max<std::int64_t>(1, engine.part_bytes / item);
  if (p.kind != kernel::columns) return std::max<std::int64_t>(1, ceil_div(p.length, part_items));
  const std::int64_t part_rows = std::max<std::int64_t>(1, 4 * engine.part_bytes / (item * form.inner));
  return std::clamp<std::int64_t>(p.length / part_rows, 1, 256);
}

std::int64_t row_part_bytes(const pass& p, std::int64_t row_bytes, const engine_traits& engine) {
  const std::int64_t vectors = p.threads * vector_bytes, most = vectors_in_flight * vectors;
  const std::int64_t rows = std::max<std::int64_t>(p.batches, 1),
                     at_once = engine.units * tuning::row_blocks_a_unit * most;
  if (row_bytes <= engine.part_bytes || row_bytes > at_once / rows) return engine.part_bytes;
  return std::min(most, ceil_div(rows * row_bytes, engine.units * vectors) * vectors);
}

std::int64_t device_parts(const pass& p, std::int64_t item, const engine_traits& engine) {
  const std::int64_t slots = std::int64_t{engine.units} * engine.blocks_per_unit;
  const std::int64_t row_bytes = p.length > INT64_MAX / item ? INT64_MAX : p.length * item;
  const std::int64_t most = std::max<std::int64_t>(1, row_bytes / row_part_bytes(p, row_bytes, engine));
  const bool resident = p.batches == 1 && p.kind == kernel::block_rows &&
                        row_bytes <= tuning::timed_bytes(tuning::most_resident_bytes, engine);
  return parts_for_waves(p.batches, resident ? engine.units * tuning::row_blocks_a_unit : slots, most);
}

// Of a block that reads a row alone: a vector each, if that is enough.
int single_row_threads(std::int64_t row_bytes, const engine_traits& engine) {
  const std::int64_t threads = power_of_two_at_least(ceil_div(row_bytes, vector_bytes));
  return static_cast<int>(std::clamp<std::int64_t>(threads, 32, engine.threads));
}

// Of blocks that read a row each: few, as far as rows are enough for all that SMs hold.
int threads_of_rows(std::int64_t rows, std::int64_t row_bytes, const engine_traits& engine) {
  const std::int64_t wanted = power_of_two_at_least(ceil_div(row_bytes, tuning::row_vectors_a_thread * vector_bytes));
  std::int64_t threads = std::clamp<std::int64_t>(wanted, 32, engine.threads);
  const std::int64_t held = engine.units * tuning::row_blocks_a_unit * engine.threads;
  while (threads < engine.threads && rows < 2 * held / threads) threads *= 2;
  return static_cast<int>(threads);
}

}  // namespace

std::int64_t parts_for_waves(std::int64_t blocks, std::int64_t slots, std::int64_t most, double part_cost) {
  if (blocks == 0 || blocks >= tuning::most_waves * slots) return 1;
  std::int64_t best = 1;
  double best_fill = 0;
  for (std::int64_t waves = 1; waves <= tuning::most_waves && best_fill < tuning::full_wave; ++waves) {
    const std::int64_t parts = std::min(most, waves * slots / blocks);
    const double cost = parts > 1 ? 1 + static_cast<double>(parts) * part_cost : 1;
    const double fill = static_cast<double>(blocks * parts) / static_cast<double>(waves * slots) / cost;
    if (fill <= best_fill) continue;
    best = parts;
    best_fill = fill;
  }
  return best;
}

void cut(pass& p, std::int64_t parts, std::int64_t granule) {
  p.part_length = std::max<std::int64_t>(1, ceil_div(p.length, std::max<std::int64_t>(parts, 1)));
  if (p.part_length > granule && parts > 1) p.part_length = ceil_div(p.part_length, granule) * granule;
  p.parts = std::max<std::int64_t>(1, ceil_div(p.length, p.part_length));
  p.tile = p.part_length;
}

void deal(pass& p, std::int64_t parts, std::int64_t tile) {
  const std::int64_t tiles = ceil_div(p.length, tile);
  if (parts <= 1 || tiles <= parts) return cut(p, parts, 1);
  p.parts = parts;
  p.tile = tile;
  p.part_length = ceil_div(tiles, parts) * tile;
}

std::int64_t grid_of(const pass& p, const batches& form, const engine_traits& engine) {
  std::int64_t blocks = p.batches * p.parts;
  if (p.kind == kernel::tiles) {
    const std::int64_t boxes = ceil_div(p.array.outer, p.box.outers) * ceil_div(p.array.inner, p.box.columns);
    blocks = std::min(boxes * p.parts, std::int64_t{engine.units} * p.box.resident);
  }
  if (p.kind == kernel::columns) {
    const bool host = engine.engine == engine_kind::host;
    // Of the CPU: neighbouring ones of one part.
    if (host) blocks = form.outer * ceil_div(form.inner, p.threads * p.vector) * p.parts;
    else blocks = std::min(column_items(p), std::int64_t{engine.units} * p.box.resident);
  }
  return std::min(blocks, engine.max_blocks);
}

pass first_pass(const reduction& what, const batches& form, const plan_options& options, const engine_traits& engine) {
  const std::int64_t item = item_bytes(what.input);
  const bool host = engine.engine == engine_kind::host;
  pass p;
  p.batches = form.results();
  p.length = form.length;
  p.form = options.form.value_or(block_form::shuffle);
  p.kind = form.pattern == access::rows              ? kernel::block_rows
           : host && form.pattern == access::columns ? kernel::columns
                                                     : kernel::strided;
  p.threads = options.threads.value_or(engine.threads);
  const std::int64_t row_bytes = form.length > INT64_MAX / item ? INT64_MAX : form.length * item;
  std::int64_t parts = 1;
  if (options.parts) parts = *options.parts;
  else if (host) parts = host_parts(p, form, item, engine);
  else parts = device_parts(p, item, engine);
  parts = std::min(parts, std::max<std::int64_t>(form.length, 1));
  const bool chosen = !options.threads && !options.parts && !options.passes && !options.how;
  if (p.kind == kernel::block_rows && !host && parts == 1 && p.batches == 1 && chosen) {
    p.threads = single_row_threads(row_bytes, engine);
  }
  if (p.kind == kernel::block_rows && !host && parts == 1 && p.batches > 1 && chosen) {
    p.threads = threads_of_rows(p.batches, row_bytes, engine);
  }
  if (p.kind == kernel::block_rows && !host) deal(p, parts, p.threads * vectors_in_flight * (vector_bytes / item));
  else cut(p, parts, p.kind == kernel::columns || options.parts ? 1 : std::max<std::int64_t>(1, line_bytes / item));
  prefer_exact_kernels(p, what, options, engine);
  prefer_tiles(p, what, form, options, engine);
  p.blocks = grid_of(p, form, engine);
  return p;
}

}  // namespace multifold::inline v0_1::detail
