// Strided arrays have groups of lanes; everything else is laid out in tiles, though rows of floating point need none: teams
// of warps read them. What is not certain then is read by groups of lanes once more.
#include "plan/layouts/moment.hpp"

#include <algorithm>
#include <string>

#include "multifold/error.hpp"
#include "multifold/ops/moment_part.hpp"
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
  const pass& first = p.passes.front();
  const std::int64_t item = item_bytes(p.what.input), bytes = p.form.length * item;
  const bool two = takes_two_arrays(p.what.op);
  if (end != recipe_end::results || first.kind != kernel::tiles || !p.again || !is_floating(p.what.input) ||
      p.form.pattern != access::rows) {
    return {};
  }
  // Plain sums of elements of 2 bytes are good enough for results of no more than 32 bits.
  if (item == 2 && p.what.result == dtype::f64) return {};
  // A single row is always read so, lest a plan of less of it have other kernels.
  const std::int64_t rows = p.form.results(), slots = p.engine.units * part_blocks;
  const bool one_look = takes_one_look(moments_of(p.what.op)) && p.what.input != dtype::f16;
  const bool others = one_look && (first.has_group_rows(item) || first.has_whole_runs());
  const bool costly = others || p.what.op == op_kind::describe;
  if (rows > 1 && others && item > 2) return {};
  if (rows > 1 && bytes < (costly ? tuning::least_costly_part_row_bytes : tuning::least_part_row_bytes)) return {};
  moment_parts of{part_threads, slots};
  // The fewer share a row, the less what is done once a row counts.
  while (of.team > 32 && rows >= tuning::least_rows_of_team * slots * (part_threads / of.team)) of.team /= 2;
  const std::int64_t step = of.team * (two ? 2 : 4) * tuning::vector_bytes, steps = rows * ceil_div(bytes, step);
  if (steps > INT32_MAX / 2) return {};  // which kernels count
  of.blocks =
      std::clamp<std::int64_t>(of.team < part_threads ? ceil_div(rows * of.team, part_threads) : steps, 1, slots);
  return of;
}

std::int64_t moment_part_bytes(const reduction& what) {
  std::int64_t bytes = 0;
  visit_words(what, [&]<class T, moment_set Set>() -> std::int64_t {
    bytes = sizeof(moment_part<Set>);
    return 0;
  });
  return bytes;
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
