// A box is as much of the array as a stage of shared memory takes: whole batches side by side where they are short,
// else rows of some columns.
#include "plan/layouts/tile.hpp"

#include <algorithm>

#include "multifold/ops/visit.hpp"
#include "plan/layout.hpp"
#include "plan/layouts/column.hpp"
#include "plan/tile_threads.hpp"

namespace multifold::inline v0_1::detail {
namespace {

// What a tile holds.
struct tile_room {
  std::int64_t item;   // bytes an element
  std::int64_t bytes;  // of the elements
  int columns;         // that a thread takes together
  bool whole;          // of batches, by itself
  bool by_words;       // columns that are neighbours
};

// A piece that begins and ends anywhere takes up to a line more.
constexpr std::int64_t margin_bytes = 2 * tile_line_bytes;
// Longer rows are for kernels that give each a block or more, and so are rows from 14 KiB on that leave boxes empty. On
// an H200, as shares of a plain read, tiles beside blocks, in rows of 7, 14, 33 and 55 KB: any of f32 0.94 and 0.88,
// 0.96 and 0.90, 0.75 and 0.90, 0.97 and 0.91; means of u16 0.60 and 0.67, 0.55 and 0.81, 0.66 and 0.86, 0.91 and 0.85;
// sums of u8 0.64 and 0.68, 0.70 and 0.81, 0.76 and 0.88, 0.94 and 0.85. Products of these dtypes take longer in tiles:
// of f64 0.52 and 0.64, 0.27 and 0.68, 0.38 and 0.78, 0.54 and 0.81; of bf16 0.41 and 0.48, 0.30 and 0.53, 0.34 and
// 0.58, 0.45 and 0.63.
constexpr std::int64_t most_row_bytes = 64 << 10, most_loose_row_bytes = 14 << 10, most_product_row_bytes = 4 << 10;
constexpr std::int64_t most_exact_row_bytes = 512 << 10;

std::int64_t most_bytes_of_row(const reduction& what, std::int64_t row_bytes) {
  if (gathers_exactly(what)) return most_exact_row_bytes;
  if (what.op == op_kind::prod && is_floating(what.input) && what.input != dtype::f32) return most_product_row_bytes;
  constexpr std::int64_t room = tile_stage_bytes - margin_bytes;
  const bool full = 10 * row_bytes >= 9 * room * ceil_div(row_bytes, room);
  return full ? most_row_bytes : most_loose_row_bytes;
}

// Columns of a box, if there are more than it takes: one a thread, but for wide elements some KiB of them, so that a
// box has several rows; and so many at least, if it has all rows.
constexpr std::int64_t most_open_columns(std::int64_t item) {
  return std::clamp<std::int64_t>((4 << 10) / item, 16, tile_threads);
}
std::int64_t least_columns(const tile_room& room) {
  const int most = tile_threads * (room.whole ? 1 : room.columns);
  return std::clamp<std::int64_t>((1 << 10) / room.item, 16, most);
}

int resident_blocks(const reduction& what, const engine_traits& engine) {
  const std::int64_t accumulator = tiled_bytes(what);
  return tile_block_bytes(accumulator) > engine.block_shared_bytes ? 0
                                                                   : tile_blocks(accumulator, engine.unit_shared_bytes);
}

// From piece to piece in a stage: as from piece to piece in memory, modulo a line. Each comes with what stands around
// it in its first and last 16 bytes.
std::int64_t pitch_of(std::int64_t bytes, std::int64_t step) {
  const std::int64_t least = bytes + 2 * 15;
  return least + ((step - least) % tile_line_bytes + tile_line_bytes) % tile_line_bytes;
}

// Boxes of whole batches; false if not even one fits.
bool box_of_batches(pass& p, const tiled_array& of, const tile_room& room) {
  const std::int64_t item = room.item, room_bytes = room.bytes;
  if (of.length > room_bytes / item) return false;
  const bool fits = of.inner <= room_bytes / item / of.length;
  const std::int64_t outer_bytes = fits ? of.length * of.inner * item : room_bytes + 1;
  const bool dense = of.inner == 1 || of.row_stride == of.inner;
  tile_box& box = p.box;
  box.rows = static_cast<int>(of.length);
  box.columns = fits ? static_cast<int>(of.inner) : 1;
  if (dense && fits && (of.outer_stride == of.length * of.inner || of.inner > 1)) {
    const bool several = of.outer_stride == of.length * of.inner;
    box.outers = several ? static_cast<int>(std::min(of.outer, room_bytes / outer_bytes)) : 1;
    return true;
  }
  if (of.inner == 1) {
    box.pitch = static_cast<int>(pitch_of(outer_bytes, of.outer_stride * item));
    box.outers = static_cast<int>(std::min(of.outer, room_bytes / box.pitch));
    return box.outers > 0;
  }
  // All rows of some columns, if a block has a column for every thread then.
  const std::int64_t wide = (room_bytes / of.length - (2 * 15 + tile_line_bytes - 1)) / item;
  if (wide < std::min(of.inner, least_columns(room))) return false;
  const std::int64_t chunks = ceil_div(of.inner, wide);
  const std::int64_t line = std::max<std::int64_t>(1, 32 / item), columns = ceil_div(of.inner, chunks);
  // In whole shares of a block's threads, if that leaves a tile well filled.
  const std::int64_t share = std::int64_t{64} * room.columns,
                     even = std::min(ceil_div(columns, share) * share, wide / share * share);
  const std::int64_t some = chunks > 1 && even > 0 ? even : ceil_div(columns, line) * line;
  box.columns = static_cast<int>(std::min({some, wide, of.inner}));
  box.pitch = static_cast<int>(pitch_of(box.columns * item, of.row_stride * item));
  return true;
}

// Rows of some columns, or a part of one row: a block goes on with the next ones.
void box_of_rows(pass& p, const tiled_array& of, const tile_room& room, std::int64_t accumulator,
                 const engine_traits& engine) {
  const std::int64_t item = room.item, room_bytes = room.bytes;
  tile_box& box = p.box;
  box = {.resident = box.resident};
  if (of.inner > 1) {
    const std::int64_t line = std::max<std::int64_t>(1, 32 / item);
    const std::int64_t columns = ceil_div(of.inner, ceil_div(of.inner, room.columns * most_open_columns(item)));
    box.columns =
        static_cast<int>(std::min({ceil_div(columns, line) * line, room.columns * most_open_columns(item), of.inner}));
  }
  const bool joined = of.inner == 1 || (box.columns == of.inner && of.row_stride == of.inner);
  if (!joined) box.pitch = static_cast<int>(pitch_of(box.columns * item, of.row_stride * item));
  const std::int64_t row_bytes = joined ? box.columns * item : box.pitch;
  const std::int64_t most = std::clamp<std::int64_t>(room_bytes / row_bytes, 1, of.length);
  box.rows = static_cast<int>(ceil_div(of.length, ceil_div(of.length, most)));  // all tiles alike
  p.group = tile_threads;
  while (p.group > 1 && tile_threads / p.group < ceil_div(box.columns, p.vector)) p.group /= 2;
  const std::int64_t items = of.outer * ceil_div(of.inner, box.columns);
  // An accumulator for each part of a batch is written and read again.
  const double part_cost =
      2.0 * static_cast<double>(accumulator) / (static_cast<double>(of.length) * static_cast<double>(item));
  const std::int64_t slots = std::int64_t{engine.units} * box.resident;
  cut(p, parts_for_waves(items, slots, ceil_div(of.length, box.rows), part_cost), box.rows);
}

bool serves(const pass& p, const reduction& what, const batches& form, std::int64_t item) {
  if (form.pattern == access::columns) return form.inner > 1 && form.inner_run.stride == 1;
  if (p.kind != kernel::block_rows || form.length > most_exact_row_bytes) return false;
  return form.length * item <= most_bytes_of_row(what, form.length * item);
}

}  // namespace

bool tiles_are_open(const reduction& what, const plan_options& options, const engine_traits& engine) {
  if (engine.engine == engine_kind::host) return false;
  if (options.passes || options.how || options.parts || options.threads || options.form) return false;
  return resident_blocks(what, engine) > 0;
}

tile_input input_of_tiles(const reduction& what) {
  const std::int64_t item = item_bytes(what.input);
  const op_family family = family_of(what);
  const bool moments = family == op_family::moments;
  const int arrays = takes_two_arrays(what.op) ? 2 : 1;
  if (moments && is_floating(what.input)) return {item, arrays, most_moment_columns(item, moments_of(what.op)), true};
  if (arrays == 2) return {item, 2, 1};
  if (gathers_exactly(what)) {
    const bool together = what.nan == nan_policy::propagate;
    return {item, 1, together ? most_tile_columns(item) : 1, true};
  }
  const int columns = std::min(most_tile_columns(item), tiled_bytes(what) > 16 ? 2 : 4);
  const bool sums = (what.op == op_kind::sum || what.op == op_kind::mean) && !is_floating(what.input);
  const bool by_words = item <= 2 && (sums || family == op_family::extremum || family == op_family::arg_extremum ||
                                      family == op_family::tally);
  return {item, 1, columns, false, by_words};
}

void lay_out_tiles(pass& p, const tiled_array& of, const tile_input& from, const reduction& what,
                   const engine_traits& engine) {
  tile_room room{from.item, tile_stage_bytes / from.arrays - margin_bytes, of.inner == 1 ? 1 : from.columns, from.whole,
                 from.by_words};
  p.kind = kernel::tiles;
  p.batches = of.outer * of.inner;
  p.length = of.length;
  p.threads = tile_threads;
  p.vector = room.columns;
  p.array = of;
  p.box = {.resident = resident_blocks(what, engine)};
  cut(p, 1, 1);
  if (box_of_batches(p, of, room)) {
    deal_threads(p, of, what, {room.item, room.whole, room.by_words});
    const bool moments = family_of(what) == op_family::moments;
    if (moments && room.whole && p.vector > 1) p.box.resident = std::min(p.box.resident, moment_column_blocks);
    return;
  }
  if (room.whole) p.vector = room.columns = 1;
  box_of_rows(p, of, room, tiled_bytes(what), engine);
}

void lay_out_first(pass& p, const tiled_array& of, const reduction& what, const plan_options& options,
                   const engine_traits& engine) {
  // A user's operation has tiles alone.
  if (!options.whole_batches && lay_out_columns(p, of, what, engine)) return;
  lay_out_tiles(p, of, input_of_tiles(what), what, engine);
}

void prefer_tiles(pass& p, const reduction& what, const batches& form, const plan_options& options,
                  const engine_traits& engine) {
  const std::int64_t item = item_bytes(what.input);
  if (form.results() < 2 || form.length == 0 || !tiles_are_open(what, options, engine)) return;
  if (!serves(p, what, form, item)) return;
  const std::int64_t row_stride = form.inner == 1 ? 1 : form.length_run.stride;
  lay_out_first(p, {form.outer, form.length, form.inner, form.outer_run.stride, row_stride, 1}, what, options, engine);
}

}  // namespace multifold::inline v0_1::detail
