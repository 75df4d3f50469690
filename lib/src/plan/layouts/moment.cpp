// Long rows of floating point have a block a part, strided arrays have groups of lanes; everything else is read in
// tiles. What is too wild for rows, or not certain in tiles, is read by groups of lanes once more.
#include "plan/layouts/moment.hpp"

#include <algorithm>
#include <string>

#include "multifold/error.hpp"
#include "multifold/ops/moment_words.hpp"
#include "multifold/ops/visit.hpp"
#include "plan/layout.hpp"
#include "plan/layouts/chain.hpp"
#include "plan/layouts/group.hpp"
#include "plan/tuning.hpp"

namespace multifold::detail {
namespace {

template <class F>
auto visit_words(const reduction& what, F&& f) {
  return visit_fold(what, [&](auto op) -> std::int64_t {
    if constexpr (requires { op.set; }) {
      using carrier = carrier_of<typename decltype(op)::element>;
      return f.template operator()<carrier, decltype(op)::set>();
    }
    return 0;
  });
}

void check(const plan_options& o) {
  const bool chained = o.passes.value_or(1) > 1 || o.how.value_or(finish::atomic) != finish::atomic;
  if (chained) {
    throw unsupported_error(
        "norms, dot products, variances and descriptions take one pass on the GPU, and their parts meet by atomics: "
        "leave passes and finish open");
  }
  if (o.form.value_or(block_form::shuffle) != block_form::shuffle) {
    throw unsupported_error("norms, dot products, variances and descriptions take the form shuffle on the GPU");
  }
  if (o.threads.value_or(32) > tuning::moment_threads) {
    throw unsupported_error("block size " + std::to_string(*o.threads) +
                            " was asked for; norms, dot products, variances and descriptions take up to " +
                            std::to_string(tuning::moment_threads));
  }
}

void lay_out_rows(pass& p, const reduction& what, const plan_options& options, const engine_traits& engine) {
  p.kind = kernel::moment_rows;
  const std::int64_t arrays = takes_two_arrays(what.op) ? 2 : 1;
  const std::int64_t tile =
      p.threads * tuning::moment_tile_vectors / arrays * tuning::vector_bytes / item_bytes(what.input);
  const std::int64_t most = std::max<std::int64_t>(1, p.length / tile);
  const std::int64_t slots = engine.units * blocks_of_moment_rows(item_bytes(what.input), moments_of(what.op));
  p.parts = options.parts.value_or(parts_for_waves(p.batches, slots, most));
  p.tile = p.parts == 1 ? p.length : tile;
  p.part_length = p.parts == 1 ? p.length : ceil_div(ceil_div(p.length, tile), p.parts) * tile;
  p.blocks = std::min(p.batches * p.parts, engine.max_blocks);
}

// Shared memory for a warp of moment_groups, which integers gather in registers.
std::int64_t warp_bytes(const reduction& what) {
  if (!is_floating(what.input)) return 0;
  return visit_words(what, []<class T, moment_set Set>() -> std::int64_t { return moment_words<T, Set>::warp_bytes; });
}

void lay_out_any(pass& p, const reduction& what, const batches& form, const plan_options& options,
                 const engine_traits& engine) {
  p.kind = kernel::moment_groups;
  const std::int64_t lanes = form.pattern == access::columns ? 1 : ceil_div(p.length, tuning::moment_lane_elements);
  lay_out_groups(p, {warp_bytes(what), lanes, lanes, tuning::moment_part_elements}, options, engine);
}

// Those of binary16 fit the accumulators of tiles, whatever they are. On an H200, norms of 12 rows of 7 * 10^7 of them
// are 0.45 of a plain read in tiles, and 0.29 in blocks.
bool has_long_rows(const reduction& what, const batches& form) {
  return form.pattern == access::rows && is_floating(what.input) && what.input != dtype::f16 &&
         form.length >= tuning::least_moment_row_bytes / item_bytes(what.input);
}

// At the batches that the passes of `p` leave.
void add_again(plan& p, const plan_options& options) { p.again = moments_again(p.what, p.form, options, p.engine); }

}  // namespace

pass moments_again(const reduction& what, const batches& form, const plan_options& options,
                   const engine_traits& engine) {
  pass again = blank_pass(form, options, engine);
  lay_out_any(again, what, form, options, engine);
  return again;
}

bool has_moment_layout(const reduction& what, const engine_traits& engine) {
  return engine.engine == engine_kind::device && family_of(what) == op_family::moments;
}

void lay_out_moments(plan& p, const plan_options& options) {
  const bool long_rows = has_long_rows(p.what, p.form);
  if (!long_rows && lay_out_chain(p, options)) {
    append_merges(p);
    p.accumulator_bytes = tiled_bytes(p.what);
    return add_again(p, options);
  }
  check(options);
  pass first = blank_pass(p.form, options, p.engine);
  if (long_rows) lay_out_rows(first, p.what, options, p.engine);
  else lay_out_any(first, p.what, p.form, options, p.engine);
  p.passes.push_back(first);
  p.accumulator_bytes = moment_word_bytes(p.what);
  const std::int64_t least_again = tuning::timed_bytes(tuning::least_again_bytes, p.engine);
  if (long_rows && p.form.elements() >= least_again / item_bytes(p.what.input)) add_again(p, options);
}

std::int64_t moment_word_bytes(const reduction& what) {
  return visit_words(what, []<class T, moment_set Set>() -> std::int64_t { return 8 * moment_words<T, Set>::count; });
}

std::int64_t extremes_bytes(const reduction& what) {
  return visit_words(what, []<class T, moment_set>() -> std::int64_t {
    return static_cast<std::int64_t>(sizeof(description_marks<T>));
  });
}

}  // namespace multifold::detail
