// Follows a plan's passes, and lists what each takes and what is enqueued for it.
#include "multifold/plan/recipe.hpp"

#include <array>

#include "multifold/error.hpp"
#include "multifold/ops/moments/few_sums.hpp"
#include "multifold/ops/moments/moments.hpp"
#include "multifold/ops/visit.hpp"
#include "multifold/placement.hpp"
#include "plan/layouts/exact.hpp"
#include "plan/layouts/moment.hpp"

namespace multifold::inline v0_1 {
namespace {

constexpr std::int64_t counter_bytes = 4;
constexpr int warps_a_block = 8;  // of bin_parts, a batch each

bool starts_early(step_kind kind) {
  return kind == step_kind::partials || kind == step_kind::wide_rows || kind == step_kind::block_parts ||
         kind == step_kind::bin_parts || kind == step_kind::place_results;
}

// Sums that have kernels of their own for runs that lie in a tile as a whole, but for the shortest, and for rows of some
// kilobytes: exact ones, but for those of f16, which are numbers anyway, and moments, but for those of f16, whose windows
// need no look. What is merged has to be exact, which moments are not.
bool has_sum_kernels(const plan& p, std::size_t i, recipe_end end) {
  const dtype input = p.what.input;
  if (i > 0 || !is_floating(input) || input == dtype::f16) return false;
  if (gathers_exactly(p.what)) return p.what.nan == nan_policy::propagate;
  if (family_of(p.what) != op_family::moments || !takes_one_look(moments_of(p.what.op))) return false;
  return end == recipe_end::results && p.passes.size() == 1;
}

// How long a run is, at most, that a lane takes alone by other means.
std::int64_t most_lone_run(const plan& p) {
  return gathers_exactly(p.what) ? most_short_run(item_bytes(p.what.input)) : detail::most_few;
}

step_kind kind_of_tiles(const plan& p, std::size_t i, recipe_end end) {
  const pass& at = p.passes[i];
  if (!has_sum_kernels(p, i, end)) return step_kind::tiles;
  const bool brief = at.length <= most_lone_run(p);
  const std::int64_t item = item_bytes(p.what.input);
  if (gathers_exactly(p.what) ? at.has_warp_rows(item) : !brief && at.has_group_rows(item)) return step_kind::row_sums;
  const bool alone = at.group == 1 && (at.vector > 1 || brief);
  return at.has_whole_runs() && !alone ? step_kind::tile_sums : step_kind::tiles;
}

// The first kernel that runs a pass.
step_kind kind_of(const plan& p, std::size_t i, recipe_end end) {
  const pass& at = p.passes[i];
  switch (at.kind) {
    case kernel::tiles: return kind_of_tiles(p, i, end);
    case kernel::strided: return step_kind::strided;
    case kernel::partials: return step_kind::partials;
    case kernel::block_rows: return step_kind::block_rows;
    case kernel::columns: return step_kind::columns;
    case kernel::exact_rows: return step_kind::bin_rows;  // of all but f64
    case kernel::exact_blocks: return step_kind::block_sums;
    case kernel::moment_groups: return step_kind::moment_groups;
    case kernel::sum_groups: return step_kind::sum_groups;
  }
  return step_kind::block_rows;
}

}  // namespace

class recipe_builder {
 public:
  // The last kernel of results that wait may be left out, which takes no slices.
  static recipe made_of(const plan& p, recipe_end end, bool places_results = true) {
    recipe made;
    recipe_builder builder(p, end, made);
    builder.passes();
    if (places_results) builder.place_results();
    return made;
  }

 private:
  recipe_builder(const plan& p, recipe_end end, recipe& made) : plan_(p), end_(end), made_(made) {}

  void passes() {
    take(slice_use::status, 0, 1, sizeof(std::uint32_t));
    // A single result writes its status; many can only note failures.
    if (end_ == recipe_end::results && plan_.form.results() > 1) clear();
    if (plan_.waiting_bytes > 0) take(slice_use::waiting, 0, plan_.form.results(), plan_.waiting_bytes);
    if (plan_.passes.empty()) return;
    const bool host = plan_.engine.engine == engine_kind::host;
    if (host) fold_passes();
    else if (family_of(plan_.what) == op_family::moments) moments();
    else if (gathers_exactly(plan_.what)) exact_sums();
    else fold_passes();
    if (host || plan_.form.results() == 0) made_.step_count_ = 0;
  }

  void place_results() {
    if (made_.step_count_ == 0 || plan_.waiting_bytes == 0 || end_ == recipe_end::accumulators) return;
    add(step_kind::place_results, placement_of(plan_.form, plan_.waiting_bytes).blocks(), placing_threads);
  }

  static void check_room(std::size_t used) {
    if (used >= recipe::most) throw unsupported_error("a plan of so many passes cannot be enqueued");
  }

  void take(slice_use use, std::size_t pass, std::int64_t count, std::int64_t each) {
    check_room(made_.slice_count_);
    constexpr auto most = static_cast<uint128_t>(INT64_MAX);
    const uint128_t bytes = static_cast<uint128_t>(count) * static_cast<uint128_t>(each);
    made_.slices_[made_.slice_count_++] = {use, static_cast<std::uint8_t>(pass), made_.end_,
                                           static_cast<std::int64_t>(std::min(bytes, most))};
    const uint128_t end = static_cast<uint128_t>(made_.end_) +
                          (bytes + slice_alignment - 1) / slice_alignment * static_cast<uint128_t>(slice_alignment);
    made_.end_ = static_cast<std::int64_t>(std::min(end, most));
  }

  void add(step_kind kind, std::int64_t blocks, int threads, std::size_t pass = recipe::step::no_pass) {
    check_room(made_.step_count_);
    made_.steps_[made_.step_count_++] = {kind,  static_cast<std::uint8_t>(pass), 0, 0, starts_early(kind), threads,
                                         blocks};
  }

  // The last `count` slices.
  void clear(int count = 1) {
    add(step_kind::clear, 0, 0);
    recipe::step& s = made_.steps_[made_.step_count_ - 1];
    s.first_slice = static_cast<std::uint8_t>(made_.slice_count_ - static_cast<std::size_t>(count));
    s.slices = static_cast<std::uint8_t>(count);
  }

  void run(step_kind kind, std::size_t i) { add(kind, pass_at(plan_, i).blocks, pass_at(plan_, i).threads, i); }

  void take_sums(std::size_t i, std::int64_t bytes_each) {
    take(slice_use::words, i, pass_at(plan_, i).batches, bytes_each);
    take(slice_use::arrivals, i, pass_at(plan_, i).batches, counter_bytes);
  }

  void fold_passes() {
    for (std::size_t i = 0; i < plan_.passes.size(); ++i) {
      const pass& at = plan_.passes[i];
      const bool meet = at.parts > 1 && at.how != finish::next_pass;
      if (meet) {
        take(slice_use::arrivals, i, at.batches, counter_bytes);
        clear();
      }
      if (plan_.partials(i) > 0) take(slice_use::partials, i, plan_.partials(i), plan_.accumulator_bytes);
      if (meet && at.how == finish::atomic) add(step_kind::fill_identity, item_blocks(at.batches), item_threads);
      const bool few = at.kind == kernel::partials && takes_a_thread(at.batches, at.parts, at.length);
      if (few) add(step_kind::partials, item_blocks(at.batches), item_threads, i);
      else run(kind_of(plan_, i, end_), i);
    }
  }

  void exact_rows() {
    if (plan_.what.input == dtype::f64) return wide_exact_rows();
    const pass& at = plan_.passes.front();
    if (detail::claims_tiles(plan_.what, at)) {
      take(slice_use::claims, 0, at.batches, counter_bytes);
      clear();
    }
    take(slice_use::words, 0, at.batches * at.parts, detail::exact_word_bytes(plan_.what));
    run(step_kind::bin_rows, 0);
    if (at.parts > 1) run(step_kind::bin_parts, 1);
    else add(step_kind::bin_parts, (at.batches + warps_a_block - 1) / warps_a_block, 32 * warps_a_block);
  }

  // The second kernel finds sums even where there is one part.
  void wide_exact_rows() {
    const pass& at = plan_.passes.front();
    take_sums(0, detail::exact_word_bytes(plan_.what));
    take(slice_use::marked, 0, at.batches + 2, counter_bytes);
    take(slice_use::claims, 0, at.batches, counter_bytes);
    clear(4);
    take(slice_use::tile_marks, 0, at.batches, exact_tiles(at.length, at.threads));
    run(step_kind::pair_rows, 0);
    add(step_kind::wide_rows, plan_.engine.units, wide_threads);
  }

  void exact_blocks() {
    const pass& at = plan_.passes.front();
    if (at.parts > 1) {
      take(slice_use::partials, 0, at.batches * at.parts, plan_.accumulator_bytes);
      take(slice_use::words, 0, at.batches * at.parts, detail::exact_word_bytes(plan_.what));
      if (at.how == finish::last_block) {
        take(slice_use::arrivals, 0, at.batches, counter_bytes);
        clear();
      }
    }
    run(step_kind::block_sums, 0);
    if (plan_.passes.size() > 1) run(step_kind::block_parts, 1);
  }

  void exact_sums() {
    const kernel first = plan_.passes.front().kind;
    if (first == kernel::exact_rows) return exact_rows();
    if (first == kernel::exact_blocks) return exact_blocks();
    const std::size_t again = plan_.passes.size();
    if (const auto parts = detail::parts_of_sums(plan_, end_)) return sum_parts(*parts);
    take_lost();
    // Who loses the first part of a batch clears what its parts meet in.
    if (plan_.again && plan_.again->parts > 1) take_sums(again, detail::exact_word_bytes(plan_.what));
    fold_passes();
    if (plan_.again) run(step_kind::sum_groups, again);
  }

  void sum_parts(const detail::moment_parts& of) {
    const std::size_t again = plan_.passes.size();
    const bool meet = of.meetings > 0;
    take_lost(false);
    if (meet) take(slice_use::arrivals, 0, of.counters, counter_bytes);
    clear(meet ? 2 : 1);
    if (meet) take(slice_use::partials, 0, of.meetings, detail::moment_part_bytes(plan_.what));
    if (plan_.again->parts > 1) take_sums(again, detail::exact_word_bytes(plan_.what));
    add(of.kind, of.blocks, part_threads, 0);
    run(step_kind::sum_groups, again);
  }

  void meet_moments(std::size_t i) {
    const pass& at = pass_at(plan_, i);
    if (at.parts == 1) return;
    take_sums(i, detail::moment_word_bytes(plan_.what));
    clear(2);
    take_extremes(i);
  }
  void take_extremes(std::size_t i) {
    const pass& at = pass_at(plan_, i);
    if (at.parts == 1 || plan_.what.op != op_kind::describe) return;
    take(slice_use::part_extremes, i, at.batches * at.parts, detail::extremes_bytes(plan_.what));
  }

  // What the batches that are not certain meet in is cleared with the rest.
  void moment_parts(const detail::moment_parts& of) {
    const std::size_t again = plan_.passes.size();
    const bool meet = of.meetings > 0, meet_again = plan_.again->parts > 1;
    take_lost(false);
    if (meet) take(slice_use::arrivals, 0, of.counters, counter_bytes);
    if (meet_again) take_sums(again, detail::moment_word_bytes(plan_.what));
    clear(1 + (meet ? 1 : 0) + (meet_again ? 2 : 0));
    take_extremes(again);
    if (meet) take(slice_use::partials, 0, of.meetings, detail::moment_part_bytes(plan_.what));
    add(of.kind, of.blocks, part_threads, 0);
    run(step_kind::moment_groups, again);
  }

  void moments() {
    if (const auto parts = detail::parts_of_moments(plan_, end_)) return moment_parts(*parts);
    take_lost();
    if (plan_.passes.front().kind == kernel::tiles) {
      fold_passes();
    } else {
      meet_moments(0);
      run(kind_of(plan_, 0, end_), 0);
    }
    if (!plan_.again) return;
    meet_moments(plan_.passes.size());
    run(step_kind::moment_groups, plan_.passes.size());
  }

  void take_lost(bool cleared = true) {
    if (!plan_.again) return;
    take(slice_use::lost, plan_.passes.size(), (plan_.form.results() + 31) / 32, sizeof(std::uint32_t));
    if (cleared) clear();
  }

  const plan& plan_;
  recipe_end end_;
  recipe& made_;
};

std::string_view name(step_kind kind) noexcept {
  constexpr std::array<std::string_view, 20> names{
      "clear",       "fill_identity", "block_rows", "columns",       "tiles",      "tile_sums",    "row_sums",
      "strided",     "partials",      "bin_rows",   "bin_parts",     "pair_rows",  "wide_rows",    "block_sums",
      "block_parts", "part_sums",     "part_lanes", "moment_groups", "sum_groups", "place_results"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name(slice_use use) noexcept {
  constexpr std::array<std::string_view, 10> names{"status", "waiting results", "lost batches", "sums",     "arrivals",
                                                   "marks",  "claims",          "tile marks",   "extremes", "partials"};
  return names[static_cast<std::size_t>(use)];
}

recipe recipe_of(const plan& p, recipe_end end) { return recipe_builder::made_of(p, end); }

std::int64_t plan::workspace_bytes() const {
  const auto bytes_of = [&](recipe_end end) { return recipe_builder::made_of(*this, end, false).workspace_bytes(); };
  // Moments, and exact sums that lanes take, have other kernels where they are merged.
  const std::int64_t rounded = bytes_of(recipe_end::results);
  const bool differ = family_of(what) == op_family::moments || detail::parts_of_sums(*this, recipe_end::results);
  return differ ? std::max(rounded, bytes_of(recipe_end::accumulators)) : rounded;
}

}  // namespace multifold::inline v0_1
