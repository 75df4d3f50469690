// Strided arrays have groups of lanes; everything else is laid out in tiles, though long rows and columns need none: teams of
// warps and lanes read them. What is not certain then is read by groups of lanes once more.
#include "plan/layouts/moment.hpp"

#include <algorithm>
#include <string>

#include "multifold/error.hpp"
#include "multifold/ops/moments/moment_part.hpp"
#include "multifold/ops/moments/moment_words.hpp"
#include "multifold/ops/visit.hpp"
#include "plan/layout.hpp"
#include "plan/layouts/chain.hpp"
#include "plan/layouts/group.hpp"
#include "plan/tuning.hpp"

namespace multifold::inline v0_1::detail {
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

// Shared memory for a warp of moment_groups, which integers gather in registers.
std::int64_t warp_bytes(const reduction& what) {
  if (!is_floating(what.input)) return 0;
  return visit_words(what, []<class T, moment_set Set>() -> std::int64_t { return moment_words<T, Set>::warp_bytes; });
}

// Of each array, that a thread of one look has asked for. [as in the kernels]
std::int64_t vectors_on_their_way(const reduction& what) { return takes_two_arrays(what.op) ? 2 : 4; }

void lay_out_any(pass& p, const reduction& what, const batches& form, const plan_options& options,
                 const engine_traits& engine) {
  p.kind = kernel::moment_groups;
  const std::int64_t lanes = form.pattern == access::columns ? 1 : ceil_div(p.length, tuning::moment_lane_elements);
  lay_out_groups(p, {warp_bytes(what), lanes, lanes, tuning::moment_part_elements}, options, engine);
}

std::optional<moment_parts> parts_of_rows(const plan& p) {
  const pass& first = p.passes.front();
  const std::int64_t item = item_bytes(p.what.input), bytes = p.form.length * item;
  // A single row is always read so, lest a plan of less of it have other kernels.
  const std::int64_t rows = p.form.results(), slots = p.engine.units * part_blocks;
  const bool real = is_floating(p.what.input) && p.what.input != dtype::f16;
  const bool one_look = real && takes_one_look(moments_of(p.what.op));
  const bool others = one_look && (first.has_group_rows(item) || first.has_whole_runs());
  const bool costly = others || p.what.op == op_kind::describe;
  if (rows > 1 && others && item > 2) return {};
  if (rows > 1 && bytes < (costly ? tuning::least_costly_part_row_bytes : tuning::least_part_row_bytes)) return {};
  moment_parts of{step_kind::part_sums, slots};
  of.team = part_threads;
  // The fewer share a row, the less what is done once a row counts.
  while (of.team > 32 && rows >= tuning::least_rows_of_team * slots * (part_threads / of.team)) of.team /= 2;
  const std::int64_t step = of.team * vectors_on_their_way(p.what) * tuning::vector_bytes;
  const std::int64_t steps = rows * ceil_div(bytes, step);
  if (steps > INT32_MAX / 2) return {};  // which kernels count
  const bool shared = of.team == part_threads;
  of.blocks = std::clamp<std::int64_t>(shared ? steps : ceil_div(rows * of.team, part_threads), 1, slots);
  if (shared) of.meetings = 2 * of.blocks, of.counters = rows;
  return of;
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
  if (lay_out_chain(p, options)) {
    append_merges(p);
    p.accumulator_bytes = tiled_bytes(p.what);
    return add_again(p, options);
  }
  check(options);
  p.passes.push_back(moments_again(p.what, p.form, options, p.engine));
  p.accumulator_bytes = moment_word_bytes(p.what);
}

std::optional<moment_parts> parts_of_moments(const plan& p, recipe_end end) {
  if (end != recipe_end::results || p.passes.front().kind != kernel::tiles || !p.again) return {};
  // Plain sums of floating point of 2 bytes are good enough for results of no more than 32 bits.
  if (is_floating(p.what.input) && item_bytes(p.what.input) == 2 && p.what.result == dtype::f64) return {};
  if (p.form.pattern == access::rows) return parts_of_rows(p);
  if (!has_lanes(is_floating(p.what.input), takes_two_arrays(p.what.op) ? 2 : 1, item_bytes(p.what.input))) return {};
  const auto walk = lane_walk_of(p.form, item_bytes(p.what.input), p.engine.units * part_blocks);
  return walk ? std::optional(parts_of(*walk, p.engine)) : std::nullopt;
}

moment_parts parts_of(const lane_walk& walk, const engine_traits& engine) {
  const std::int64_t items = std::int64_t{walk.boxes} * walk.shares;
  moment_parts of{step_kind::part_lanes, std::min<std::int64_t>(items, engine.units * part_blocks)};
  of.walk = walk;
  if (walk.shares > 1) of.meetings = items * walk.width, of.counters = walk.boxes;
  return of;
}

std::int64_t moment_part_bytes(const reduction& what) {
  if (gathers_exactly(what)) return sizeof(moment_part<moment_set::absolute>);
  return visit_fold(what, [](auto op) -> std::int64_t {
    if constexpr (requires { op.set; }) {
      using element = typename decltype(op)::element;
      if constexpr (floating_storage<element>) return sizeof(moment_part<decltype(op)::set>);
      else return sizeof(moment_partial<partial_carrier_of<element>, decltype(op)::set>);
    }
    return 0;
  });
}

std::int64_t moment_word_bytes(const reduction& what) {
  return visit_words(what, []<class T, moment_set Set>() -> std::int64_t { return 8 * moment_words<T, Set>::count; });
}

std::int64_t extremes_bytes(const reduction& what) {
  return visit_words(what, []<class T, moment_set>() -> std::int64_t {
    return static_cast<std::int64_t>(sizeof(description_marks<T>));
  });
}

}  // namespace multifold::inline v0_1::detail
