// A block has neighbouring columns for its threads, 8 bytes of narrow ones each; where they are too few, threads take the
// rows of a column in turn, and meet.
#include "plan/layouts/column.hpp"

#include <algorithm>

#include "multifold/ops/visit.hpp"
#include "plan/layout.hpp"
#include "plan/tuning.hpp"

namespace multifold::inline v0_1::detail {
namespace {

// Folds that gather element by element, as far as threads that walk down columns are as fast as tiles, which bring more
// bytes at a time where there is little to do for each (see tuning.hpp).
bool serves(const reduction& what) {
  const std::int64_t item = item_bytes(what.input);
  switch (family_of(what)) {
    case op_family::sum: return !is_floating(what.input);
    case op_family::product: return item == 8;
    case op_family::extremum: return item >= 4;
    case op_family::arg_extremum:
    case op_family::tally: return true;
    case op_family::exact_sum:
    case op_family::moments: break;
  }
  return false;
}

std::int64_t boxes_of(const pass& p) { return ceil_div(p.array.inner, p.box.columns); }

}  // namespace

bool lay_out_columns(pass& p, const tiled_array& of, const reduction& what, const engine_traits& engine) {
  const std::int64_t item = item_bytes(what.input);
  const int width = walked_columns(item);
  if (!serves(what) || of.length < tuning::least_column_rows || of.inner * item < tuning::least_column_bytes)
    return false;
  const std::int64_t threads = ceil_div(of.inner, width), boxes = ceil_div(threads, column_threads),
                     across = ceil_div(threads, boxes);
  const std::int64_t phases =
      std::clamp<std::int64_t>(of.length / tuning::least_column_rows, 1, column_threads / across);
  pass made = p;
  made.kind = kernel::columns;
  made.batches = of.outer * of.inner;
  made.length = of.length;
  made.threads = static_cast<int>(ceil_div(across * phases, 32) * 32);
  made.group = static_cast<int>(phases);
  made.vector = width;
  made.array = of;
  made.box = {.columns = static_cast<int>(across * width)};
  const int held = column_blocks(tiled_bytes(what)) * column_threads / made.threads;
  made.box.resident = std::clamp(held, 1, std::max(engine.unit_blocks, 1));
  const std::int64_t least = ceil_div(of.length, most_run_share * phases),
                     most = ceil_div(of.length, tuning::least_column_rows * phases);
  if (of.outer > INT32_MAX / 2 / boxes / most) return false;  // kernels add their blocks to what they count
  // An accumulator for each part of a batch is written and read again.
  const double part_cost =
      2.0 * static_cast<double>(tiled_bytes(what)) / (static_cast<double>(of.length) * static_cast<double>(item));
  const std::int64_t slots = std::int64_t{engine.units} * made.box.resident;
  cut(made, std::max(least, parts_for_waves(of.outer * boxes, slots, most, part_cost)), 1);
  p = made;
  return true;
}

std::int64_t column_items(const pass& p) { return p.array.outer * boxes_of(p) * p.parts; }

}  // namespace multifold::inline v0_1::detail
