// A box is as much of the array as a stage of shared memory takes: whole batches side by side where they are short,
// else rows of some columns. Threads are dealt to its runs by what their steps cost.
#include "plan/tile_layout.hpp"

#include <algorithm>
#include <array>

#include "multifold/ops/visit.hpp"
#include "plan/layout.hpp"

namespace multifold::detail {
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
// Longer rows are for kernels that give each a block or more: of 30000 f32 3930, of 65536 4450; exactly, tiles 4050,
// 4270.
constexpr std::int64_t most_row_bytes = 64 << 10, most_exact_row_bytes = 512 << 10;
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

// Whether threads may take neighbours of a run by whole vectors.
bool takes_vectors(const reduction& what, const tiled_array& of, std::int64_t item) {
  const bool one_by_one = what.op == op_kind::prod || (what.op == op_kind::describe && !is_floating(what.input));
  return of.inner == 1 && item <= 8 && !takes_two_arrays(what.op) && !one_by_one;
}

// The steps of a lane, in units of what an element costs, fitted to an H200.
double steps_of(const pass& p, int group, std::int64_t item, bool vectors) {
  const std::int64_t elements = ceil_div(p.box.rows, group), width = 16 / item;
  if (!vectors || p.box.rows < least_vectors_a_lane * width * group) return static_cast<double>(elements);
  const std::int64_t singles = 2 * ceil_div(width / 2, group);
  return static_cast<double>(2 * singles) + 0.6 * static_cast<double>(width * ceil_div(p.box.rows, width * group));
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

void deal_threads(pass& p, const tiled_array& of, const tile_room& room, bool vectors) {
  const std::int64_t item = room.item;
  // What a row of columns costs, in elements of one: of words it is the place where they stand.
  const auto row_of = [&](int columns) {
    return columns > 1 && room.by_words ? 0.5 + 0.6 * columns : 0.1 + 0.9 * columns;
  };
  candidate best{0, false, 1, 0};
  const int most_columns = p.vector;
  for (const int columns : {1, most_columns}) {
    p.vector = columns;
    const std::int64_t runs = p.box.outers * ceil_div(p.box.columns, columns);
    for (int group = 1; group <= tile_threads && group <= std::max(1, p.box.rows); group *= 2) {
      if (ceil_div(p.box.rows, group) > most_run_share || (room.whole && columns > 1 && group > 1)) continue;
      const double exchange = exchange_of(of, group, room.whole);
      for (const bool turned : {false, true}) {
        const int conflicts = bank_conflicts(of, p, item, group, turned);
        const double element = (turned ? 1.35 : 1.0) + 0.6 * (conflicts - 1);
        const double steps = steps_of(p, group, item, vectors) * element * row_of(columns);
        const double cost = steps_of_block(runs, group, room.whole) * (steps + 10 + exchange * columns);
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

// Boxes of whole batches; false if not even one fits.
bool box_of_batches(pass& p, const tiled_array& of, const tile_room& room) {
  const std::int64_t item = room.item, room_bytes = room.bytes;
  if (of.length > room_bytes / item) return false;
  const bool fits = of.inner <= room_bytes / item / of.length;
  const std::int64_t slab = fits ? of.length * of.inner * item : room_bytes + 1;
  const bool dense = of.inner == 1 || of.row_stride == of.inner;
  tile_box& box = p.box;
  box.rows = static_cast<int>(of.length);
  box.columns = fits ? static_cast<int>(of.inner) : 1;
  if (dense && fits && (of.outer_stride == of.length * of.inner || of.inner > 1)) {
    const bool several = of.outer_stride == of.length * of.inner;
    box.outers = several ? static_cast<int>(std::min(of.outer, room_bytes / slab)) : 1;
    return true;
  }
  if (of.inner == 1) {
    box.pitch = static_cast<int>(pitch_of(slab, of.outer_stride * item));
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

// Rows of some columns, or a piece of one row: a block goes on with the next ones.
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
  return p.kind == kernel::block_rows &&
         form.length <= (gathers_exactly(what) ? most_exact_row_bytes : most_row_bytes) / item;
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
    deal_threads(p, of, room, takes_vectors(what, of, room.item));
    const bool moments = family_of(what) == op_family::moments;
    if (moments && room.whole && p.vector > 1) p.box.resident = std::min(p.box.resident, moment_column_blocks);
    return;
  }
  if (room.whole) p.vector = room.columns = 1;
  box_of_rows(p, of, room, tiled_bytes(what), engine);
}

void prefer_tiles(pass& p, const reduction& what, const batches& form, const plan_options& options,
                  const engine_traits& engine) {
  const std::int64_t item = item_bytes(what.input);
  if (form.results() < 2 || form.length == 0 || !tiles_are_open(what, options, engine)) return;
  if (!serves(p, what, form, item)) return;
  const std::int64_t row_stride = form.inner == 1 ? 1 : form.length_run.stride;
  lay_out_tiles(p, {form.outer, form.length, form.inner, form.outer_run.stride, row_stride, 1}, input_of_tiles(what),
                what, engine);
}

}  // namespace multifold::detail
