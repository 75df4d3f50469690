// What kernels take of a workspace, counted here a second time: it is what the plan says, for any shape.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "multifold/ops/gathered_sum.hpp"
#include "multifold/ops/moments/moment_part.hpp"
#include "multifold/ops/moments/moment_words.hpp"
#include "multifold/ops/visit.hpp"
#include "plan/layouts/exact.hpp"
#include "plan/layouts/moment.hpp"
#include "plan/plan_forms.hpp"
#include "random_bits.hpp"

namespace multifold::plan_tests {
namespace {

// Ranges of a workspace, as lib/src/device takes them; the first holds the status word.
class ranges {
 public:
  void take(std::int64_t count, std::int64_t bytes_each) { bytes_ += (count * bytes_each + 255) / 256 * 256; }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::int64_t bytes_ = 256;
};

constexpr std::int64_t counter = 4, word = 8, fixed_sum = 32;

// Partial results of every pass that leaves some.
void take_partials(ranges& taken, const plan& p, std::int64_t accumulator) {
  for (std::size_t i = 0; i < p.passes.size(); ++i) {
    const pass& at = p.passes[i];
    if (at.parts == 1 && i + 1 == p.passes.size()) continue;
    if (at.how != finish::next_pass) taken.take(at.batches, counter);
    taken.take(at.how == finish::atomic ? at.batches : at.batches * at.parts, accumulator);
  }
}

template <class T>
void take_exact(ranges& taken, const plan& p) {
  const pass& at = p.passes.front();
  constexpr std::int64_t words = exact_sum_words<T>;
  if (at.kind == kernel::exact_rows) {
    constexpr std::int64_t claiming = std::int64_t{4} << 20;
    if (!std::is_same_v<T, double>) {
      const bool claims = at.parts > 1 && at.part_length * static_cast<std::int64_t>(sizeof(T)) >= claiming;
      if (claims) taken.take(at.batches, counter);
      return taken.take(at.batches * at.parts * words, word);
    }
    taken.take(at.batches * words, word);
    taken.take(at.batches, counter);      // of arrivals
    taken.take(at.batches + 2, counter);  // of marked tiles
    taken.take(at.batches, counter);      // of claims
    taken.take(at.batches * exact_tiles(at.length, at.threads), 1);
    return;
  }
  if (at.kind == kernel::exact_blocks) {
    if (at.parts == 1) return;
    taken.take(at.batches * at.parts, fixed_sum);
    taken.take(at.batches * at.parts * words, word);
    if (at.how == finish::last_block) taken.take(at.batches, counter);
    return;
  }
  // Tiles with all of a batch of narrow elements lose none.
  const bool loses = p.passes.size() > 1 || at.kind != kernel::tiles || !at.has_whole_runs() || sizeof(T) == 8 ||
                     p.what.nan == nan_policy::omit;
  const auto lanes = detail::parts_of_sums(p, recipe_end::results);
  EXPECT_EQ(p.again.has_value(), (!std::is_same_v<T, f16> && (loses || lanes))) << explain(p);
  if (p.again) {
    const std::int64_t results = p.form.results();
    taken.take((results + 31) / 32, counter);  // bits of what was lost
    if (p.again->parts > 1) {
      taken.take(results * words, word);
      taken.take(results, counter);
    }
  }
  if (at.kind == kernel::tiles) {
    ranges rounded = taken;
    take_partials(taken, p, tiled_bytes(p.what));
    if (!lanes) return;
    const detail::lane_walk& walk = lanes->walk;
    if (walk.shares > 1) {
      rounded.take((p.form.results() + walk.width - 1) / walk.width, counter);
      rounded.take(lanes->counters * walk.shares * walk.width, sizeof(moment_part<moment_set::absolute>));
    }
    if (rounded.bytes() > taken.bytes()) taken = rounded;
    return;
  }
  visit_gathered<T>(p.what.nan, [&](auto fold) {
    take_partials(taken, p, static_cast<std::int64_t>(sizeof(typename decltype(fold)::accumulator)));
  });
}

// What lanes hand on: of integers, sums that hold everything.
template <class T, moment_set Set>
constexpr std::int64_t part_bytes() {
  if constexpr (floating_storage<T>) return sizeof(moment_part<Set>);
  else return sizeof(moment_partial<partial_carrier_of<T>, Set>);
}

template <class Element, moment_set Set>
void take_moments(ranges& taken, const plan& p) {
  using T = carrier_of<Element>;
  const auto take_words = [&](const pass& at) {
    if (at.parts == 1) return;
    taken.take(at.batches * moment_words<T, Set>::count, word);
    taken.take(at.batches, counter);
    if (Set == moment_set::description) taken.take(at.batches * at.parts, sizeof(description_marks<T>));
  };
  if (p.again) taken.take((p.form.results() + 31) / 32, counter);  // bits of what is read again
  const ranges of_parts = taken;
  if (p.passes.front().kind == kernel::tiles) take_partials(taken, p, tiled_bytes(p.what));
  else take_words(p.passes.front());
  if (p.again) take_words(*p.again);
  // Merged, batches have the passes of the plan; rounded, they may be taken in parts.
  const auto parts = detail::parts_of_moments(p, recipe_end::results);
  if (!parts) return;
  const ranges merged = taken;
  taken = of_parts;
  const detail::lane_walk& walk = parts->walk;
  const bool rows = parts->kind == step_kind::part_sums, shared = rows ? parts->team == part_threads : walk.shares > 1;
  const std::int64_t boxes = rows ? 0 : (p.form.results() + walk.width - 1) / walk.width;
  if (shared) taken.take(rows ? p.form.results() : boxes, counter);
  take_words(*p.again);
  if (shared) taken.take(rows ? 2 * parts->blocks : boxes * walk.shares * walk.width, part_bytes<Element, Set>());
  if (merged.bytes() > taken.bytes()) taken = merged;
}

std::int64_t bytes_taken(const plan& p) {
  ranges taken;
  if (p.waiting_bytes > 0) taken.take(p.form.results(), result_bytes(p.what));
  if (gathers_exactly(p.what)) {
    visit_dtype(p.what.input, [&]<class T>() {
      if constexpr (floating_storage<T>) take_exact<T>(taken, p);
    });
    return taken.bytes();
  }
  visit_fold(p.what, [&](auto op) {
    if constexpr (requires { op.set; }) {
      take_moments<typename decltype(op)::element, decltype(op)::set>(taken, p);
    } else {
      take_partials(taken, p, static_cast<std::int64_t>(sizeof(typename decltype(op)::accumulator)));
    }
  });
  return taken.bytes();
}

std::string shown(const plan& p) { return explain(p) + std::string(name(p.passes.front().kind)); }

// Around what fills 256 bytes with marks, counters or bits, and around the limits of plans.
std::int64_t any_extent(test::random_bits& random) {
  constexpr std::int64_t around[] = {1,   2,    31,   32,      63,      64,      65,     127,
                                     256, 2048, 4096, 1 << 14, 1 << 17, 1 << 20, 1 << 23};
  const std::int64_t extent = around[random() % std::size(around)];
  return random() % 2 == 0 ? extent : std::max<std::int64_t>(1, extent + static_cast<std::int64_t>(random() % 7) - 3);
}

plan_options any_options(test::random_bits& random) {
  plan_options forced;
  if (random() % 4 == 0) forced.parts = 1 + static_cast<std::int64_t>(random() % 70);
  if (random() % 6 == 0) forced.how = static_cast<finish>(random() % 3);
  if (random() % 8 == 0) forced.passes = 1 + static_cast<int>(random() % 3);
  if (random() % 8 == 0) forced.threads = 32 << random() % 5;
  return forced;
}

}  // namespace

TEST(workspace, holds_what_kernels_take_and_no_more) {
  test::random_bits random(1);
  const std::vector<list> axes{{0}, {1}, {2}, {0, 1}, {1, 2}, {0, 2}, {0, 1, 2}, {}};
  int made = 0;
  for (int i = 0; i < 60'000; ++i) {
    const op_kind op = all_ops[random() % std::size(all_ops)];
    const auto type = static_cast<dtype>(random() % 13);
    const list extents{any_extent(random), any_extent(random), random() % 2 == 0 ? 1 : any_extent(random)};
    try {
      const reduction what = make_reduction(op, type, random() % 2 == 0 ? nan_policy::propagate : nan_policy::omit,
                                            random() % 4 == 0 ? accuracy::fast : accuracy::exact);
      const plan p = make_plan(what, form_of(extents, axes[random() % axes.size()], type),
                               random() % 2 == 0 ? plan_options{} : any_options(random), h200_traits());
      ASSERT_EQ(p.workspace_bytes(), bytes_taken(p)) << shown(p);
      ++made;
    } catch (const error&) {
      continue;  // refused: see interpret_test
    }
  }
  EXPECT_GT(made, 30'000);
}

// The axes in memory stand in another order than those of the results.
TEST(workspace, holds_results_that_wait) {
  test::random_bits random(2);
  const std::vector<list> axes{{0}, {1}, {2}, {0, 2}, {}};
  int waiting = 0;
  for (int i = 0; i < 20'000; ++i) {
    const op_kind op = all_ops[random() % std::size(all_ops)];
    const auto type = static_cast<dtype>(random() % 13);
    const list extents{any_extent(random), any_extent(random), any_extent(random)};
    try {
      array_view view = make_view(nullptr, type, extents);
      view.strides = fortran_strides(extents);
      const plan p = make_plan(make_reduction(op, type), normalise(view, axes[random() % axes.size()], order_of(op)),
                               {}, h200_traits());
      ASSERT_EQ(p.workspace_bytes(), bytes_taken(p)) << shown(p);
      waiting += p.waiting_bytes > 0 ? 1 : 0;
    } catch (const error&) {
      continue;
    }
  }
  EXPECT_GT(waiting, 2'000);
}

// The shapes at which a range that is one counter too short shows.
TEST(workspace, of_rows_whose_counters_fill_a_line) {
  for (const std::int64_t rows : {1, 61, 62, 63, 64, 65, 126, 127, 128}) {
    for (const dtype type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64}) {
      const plan p = sum_plan(form_of({rows, 1 << 23}, {1}, type), {}, h200_traits(), type, accuracy::exact);
      EXPECT_EQ(p.workspace_bytes(), bytes_taken(p)) << shown(p);
    }
  }
}

TEST(workspace, of_descriptions_in_parts) {
  for (const dtype type : {dtype::i8, dtype::u64, dtype::bf16, dtype::f32, dtype::f64}) {
    for (const std::int64_t parts : {1, 2, 3, 7, 64}) {
      plan_options forced;
      forced.parts = parts;
      const plan p =
          make_plan(make_reduction(op_kind::describe, type), form_of({3, 1 << 20}, {1}, type), forced, h200_traits());
      EXPECT_EQ(p.workspace_bytes(), bytes_taken(p)) << shown(p);
    }
  }
}

}  // namespace multifold::plan_tests
