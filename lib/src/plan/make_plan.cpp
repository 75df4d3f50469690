// The chain of passes: what the caller forces is checked first, then the first pass is cut and the rest follows.
#include <algorithm>
#include <cmath>
#include <string>

#include "multifold/error.hpp"
#include "multifold/placement.hpp"
#include "multifold/plan.hpp"
#include "plan/layout.hpp"
#include "plan/layouts/chain.hpp"
#include "plan/layouts/exact.hpp"
#include "plan/layouts/moment.hpp"
#include "plan/no_value.hpp"
#include "plan/tuning.hpp"

namespace multifold::inline v0_1 {
namespace {

using detail::ceil_div;
using detail::cut;
using detail::first_pass;
using detail::grid_of;

// Blocks that arrive are counted in 32 bits.
constexpr std::int64_t most_parts = INT64_C(1) << 31;

void check_block(const plan_options& o, const engine_traits& engine) {
  if (o.threads && (*o.threads < 32 || *o.threads > 512 || *o.threads % 32 != 0)) {
    throw unsupported_error("block size " + std::to_string(*o.threads) +
                            " was asked for; expected a multiple of 32 up to 512");
  }
  if (o.form != block_form::shared_tree) return;
  const int threads = o.threads.value_or(engine.engine == engine_kind::device ? engine.threads : 1);
  if ((threads & (threads - 1)) != 0) {
    throw unsupported_error("a shared-memory tree takes a power of two as block size, not " + std::to_string(threads));
  }
}

void check_parts(const plan_options& o, const batches& form) {
  const std::int64_t most = std::clamp<std::int64_t>(form.length, 1, most_parts);
  if (!o.parts || (*o.parts >= 1 && *o.parts <= most)) return;
  throw unsupported_error(std::to_string(*o.parts) + " parts were asked for; a batch of " +
                          std::to_string(form.length) + " elements takes 1 to " + std::to_string(most));
}

// Contiguous parts are of one length, so not every number of them can be had: 10 elements make 5 or 10, but not 7.
void check_cut(const plan_options& o, const pass& first) {
  if (!o.parts || *o.parts == first.parts) return;
  throw unsupported_error(std::to_string(*o.parts) + " parts were asked for; a batch of " +
                          std::to_string(first.length) + " elements makes " + std::to_string(first.parts) + " or " +
                          std::to_string(ceil_div(first.length, first.part_length - 1)) + " parts of equal length");
}

void check_chain(const plan_options& o, const engine_traits& engine) {
  const bool host = engine.engine == engine_kind::host;
  if (o.passes && (*o.passes < 1 || *o.passes > 40)) {
    throw unsupported_error(std::to_string(*o.passes) + " passes were asked for; expected 1 to 40");
  }
  if (o.passes && *o.passes > 1 && o.how && *o.how != finish::next_pass) {
    throw unsupported_error("finish " + std::string(name(*o.how)) + " takes one pass, but " +
                            std::to_string(*o.passes) + " passes were asked for");
  }
  if (o.passes == 1 && (host || o.how == finish::next_pass) && o.parts.value_or(1) > 1) {
    throw unsupported_error("1 pass cannot hand " + std::to_string(*o.parts) +
                            " parts to a next pass: ask for more passes" + (host ? "" : ", or for finish last block"));
  }
  if (host && o.how && *o.how != finish::next_pass) {
    throw unsupported_error("finish " + std::string(name(*o.how)) +
                            " is for the device engine; the host engine takes next pass");
  }
}

void check_finish(const reduction& what, const plan_options& o) {
  if (o.how != finish::atomic || merges_in_any_order(what)) return;
  throw unsupported_error("finish atomic would make " + std::string(name(what.op)) + " of " +
                          std::string(name(what.input)) +
                          " depend on the order of arrival, or its partial results are wider than atomics: "
                          "use last block or next pass");
}

// Pairs merge in any order, too, but are wider than atomics.
void check_exact_finish(const plan& p) {
  const pass& first = p.passes.front();
  if (first.how != finish::atomic || first.parts == 1 || !gathers_exactly(p.what)) return;
  if (first.kind == kernel::exact_rows) return;
  throw unsupported_error(
      "finish atomic is for exact sums of long contiguous rows of f64 that are cut "
      "into tiles: use last block or next pass");
}

void check_result(const reduction& what, const batches& form) {
  const bool has_value = has_identity(what.op) || what.initial.given || what.as_records;
  if (form.length == 0 && form.results() > 0 && !has_value) {
    detail::throw_no_value(what.op);
  }
  detail::check_result_dtype(what);
}

pass next_pass_over(const pass& previous, int threads, block_form form) {
  pass p;
  p.kind = kernel::partials;
  p.batches = previous.batches;
  p.length = previous.parts;
  p.tile = p.part_length = previous.parts;
  p.threads = threads;
  p.form = form;
  return p;
}

// Of the block that merges what `previous` leaves.
int threads_behind(const pass& previous, int most) {
  const bool exact = previous.kind == kernel::exact_blocks || previous.kind == kernel::exact_rows;
  int threads = exact ? detail::tuning::exact_part_threads : 32;
  while (threads < most && threads < previous.parts) threads *= 2;
  return std::min(threads, most);
}

// Each further pass takes the same share of what is left, on a logarithmic scale. With `left` passes to come there are
// at least 2^left partial results, so that every one of them can halve their number.
void append_forced(plan& p, int passes, const plan_options& options) {
  for (int left = passes - 1; left > 0; --left) {
    const pass& previous = p.passes.back();
    pass next = next_pass_over(previous, options.threads.value_or(p.engine.threads), previous.form);
    const double root = std::pow(static_cast<double>(next.length), static_cast<double>(left - 1) / left);
    const std::int64_t parts = std::max(std::int64_t{1} << (left - 1), static_cast<std::int64_t>(root));
    next.part_length = std::max<std::int64_t>(2, next.length / parts);  // rounded down, so that there are enough parts
    next.tile = next.part_length;
    next.parts = ceil_div(next.length, next.part_length);
    next.blocks = grid_of(next, p.form, p.engine);
    p.passes.push_back(next);
  }
}

void append_chosen(plan& p, const plan_options& options) {
  // A user's accumulators may have any size, which boxes of tiles would have to know.
  if (detail::reads_array(p.passes.front(), p.engine) && !options.whole_batches) return detail::append_merges(p);
  while (p.passes.back().parts > 1) {
    const pass& previous = p.passes.back();
    pass next =
        next_pass_over(previous, options.threads.value_or(threads_behind(previous, p.engine.threads)), previous.form);
    const bool host = p.engine.engine == engine_kind::host;
    const bool one_block = host || previous.kind == kernel::exact_rows;
    cut(next, one_block ? 1 : ceil_div(previous.parts, detail::tuning::most_partials), 1);
    next.blocks = grid_of(next, p.form, p.engine);
    p.passes.push_back(next);
  }
}

// A chain of k passes needs a first one that leaves at least 2^(k-1) partial results.
void widen_first(plan& p, int passes, const plan_options& options) {
  const std::int64_t least = std::int64_t{1} << (passes - 1);
  pass& first = p.passes.front();
  if (first.parts >= least) return;
  if (options.parts || first.length < least) {
    throw unsupported_error(std::to_string(passes) + " passes were asked for, but " +
                            std::to_string(options.parts ? first.parts : first.length) +
                            (options.parts ? " parts" : " elements a batch") + " can be halved fewer times than that");
  }
  first.tile = first.part_length = first.length / least;  // rounded down, so that there are enough parts
  first.parts = ceil_div(first.length, first.part_length);
  first.blocks = grid_of(first, p.form, p.engine);
}

plan passes_for(const reduction& what, const batches& form, const plan_options& options, const engine_traits& engine) {
  plan p;
  p.what = what;
  p.engine = engine;
  p.form = form;
  plan_options first = options;
  const bool one_without_finish =
      options.passes == 1 && (options.how == finish::next_pass || engine.engine == engine_kind::host);
  if (one_without_finish && !options.parts) first.parts = 1;
  if (detail::has_moment_layout(what, engine)) {
    detail::lay_out_moments(p, options);
    if (p.passes.front().kind != kernel::tiles) check_cut(options, p.passes.front());
    return p;
  }
  if (detail::is_for_chains(form) && detail::lay_out_chain(p, options)) {
    p.accumulator_bytes = tiled_bytes(what);
    detail::add_again(p);
    append_chosen(p, options);
    return p;
  }
  p.passes.push_back(first_pass(what, form, first, engine));
  check_cut(options, p.passes.front());
  p.accumulator_bytes = detail::partial_bytes(what, p.passes.front());
  detail::add_again(p);
  if (options.passes && *options.passes > 1) {
    widen_first(p, *options.passes, options);
    append_forced(p, *options.passes, options);
    return p;
  }
  if (p.passes.front().parts == 1) return p;
  // A kernel more costs less than to clear counters and to wait for each other: two microseconds of a captured sum.
  const finish chosen = options.passes && engine.engine == engine_kind::device ? finish::last_block : finish::next_pass;
  p.passes.front().how =
      options.how.value_or(p.passes.front().kind == kernel::exact_rows ? detail::finish_of_rows(what) : chosen);
  check_exact_finish(p);
  if (p.passes.front().how == finish::next_pass) append_chosen(p, options);
  return p;
}

}  // namespace

plan make_plan(const reduction& what, const batches& form, const plan_options& options, const engine_traits& engine) {
  check_result(what, form);
  if (engine.engine == engine_kind::device) detail::check_device_correction(what);
  check_block(options, engine);
  check_chain(options, engine);
  check_finish(what, options);
  check_parts(options, form);
  plan p = passes_for(what, form, options, engine);
  // As the passes number batches.
  const bool wait = engine.engine == engine_kind::device && scatters_results(p.form, result_bytes(what));
  p.waiting_bytes = wait ? result_bytes(what) : 0;
  return p;
}

engine_traits h200_traits() {
  engine_traits t = detail::tuning::traits_of_gpu(132, 2048);
  t.name = "NVIDIA H200";
  t.block_shared_bytes = 227 << 10;
  t.unit_shared_bytes = 228 << 10;
  t.unit_blocks = 32;
  t.memory_rate = 4.8e12;
  return t;
}

std::int64_t plan::partials(std::size_t index) const noexcept {
  const pass& at = passes[index];
  if (at.parts == 1 && index + 1 == passes.size()) return 0;
  return at.how == finish::atomic ? at.batches : at.batches * at.parts;
}

}  // namespace multifold::inline v0_1
