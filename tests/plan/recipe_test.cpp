// Slices and steps of some plans, one by one. What holds for all of them is in plan_rules.hpp, what they say to graphs
// in tests/graphs.
#include "multifold/plan/recipe.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "multifold/error.hpp"
#include "plan/plan_forms.hpp"

namespace multifold::plan_tests {
namespace {

using uses = std::vector<slice_use>;

uses uses_of(const recipe& made) {
  uses all;
  for (const recipe::slice& s : made.slices()) all.push_back(s.use);
  return all;
}

// "4+1" for a memset of slice 4, "pair_rows 0" for a kernel that runs pass 0; early ones end in "!".
std::string told(const recipe& made) {
  std::string text;
  for (const recipe::step& s : made.steps()) {
    if (!text.empty()) text += ", ";
    if (s.kind == step_kind::clear) {
      text += std::to_string(s.first_slice) + "+" + std::to_string(s.slices);
      continue;
    }
    text += name(s.kind);
    if (s.pass != recipe::step::no_pass) text += " " + std::to_string(s.pass);
    if (s.early) text += "!";
  }
  return text;
}

}  // namespace

TEST(recipe, of_long_rows_has_marks_that_are_not_cleared) {
  const plan p = sum_plan(form_of({1 << 28}, {0}, dtype::f64), {}, h200_traits(), dtype::f64, accuracy::exact);
  const recipe made = recipe_of(p);
  EXPECT_EQ(uses_of(made), (uses{slice_use::status, slice_use::words, slice_use::arrivals, slice_use::marked,
                                 slice_use::claims, slice_use::tile_marks}));
  EXPECT_EQ(told(made), "1+4, pair_rows 0, wide_rows!");
  EXPECT_EQ(made.slices().back().bytes, exact_tiles(1 << 28, p.passes[0].threads));
}

TEST(recipe, of_long_rows_of_narrow_elements_clears_claims_alone) {
  const auto told_of = [](const batches& form) {
    return told(recipe_of(sum_plan(form, {}, h200_traits(), dtype::f32, accuracy::exact)));
  };
  EXPECT_EQ(told_of(form_of({std::int64_t{1} << 32}, {0})), "1+1, bin_rows 0, bin_parts 1!");
  EXPECT_EQ(told_of(form_of({1 << 24}, {0})), "bin_rows 0, bin_parts 1!");
  // Rows of one part each have a warp each.
  EXPECT_EQ(told_of(form_of({10000, 1 << 16}, {1})), "0+1, bin_rows 0, bin_parts!");
}

TEST(recipe, exact_sums_of_tiles) {
  const auto told_of = [](const batches& form, dtype type) {
    return told(recipe_of(sum_plan(form, {}, h200_traits(), type, accuracy::exact)));
  };
  EXPECT_EQ(told_of(form_of({1 << 20, 1024}, {1}), dtype::f32), "0+1, row_sums 0");
  EXPECT_EQ(told_of(form_of({1 << 20, 100}, {1}), dtype::f32), "0+1, tile_sums 0");
  EXPECT_EQ(told_of(form_of({1 << 20, 16}, {1}), dtype::f32), "0+1, tiles 0");
  EXPECT_EQ(told_of(form_of({1 << 20, 1024}, {1}), dtype::f16), "0+1, tiles 0");
  EXPECT_EQ(told_of(form_of({1 << 16, 20, 64}, {1}), dtype::f32), "0+1, tiles 0");
  EXPECT_EQ(told_of(form_of({1 << 16, 64, 64}, {1}), dtype::f16), "0+1, tiles 0");
  // Lanes, whose shares meet where there are few columns.
  EXPECT_EQ(told_of(form_of({1 << 16, 64, 64}, {1}), dtype::f32), "0+1, 1+1, part_lanes 0, sum_groups 1");
  EXPECT_EQ(told_of(form_of({1 << 16, 640}, {0}), dtype::f64), "0+1, 1+2, part_lanes 0, sum_groups 2");
}

TEST(recipe, moments_of_tiles) {
  const auto made_of = [](op_kind op, const batches& form, dtype type, recipe_end end = recipe_end::results) {
    return told(recipe_of(make_plan(make_reduction(op, type), form, {}, h200_traits()), end));
  };
  const batches rows = form_of({1 << 20, 1024}, {1}), short_rows = form_of({1 << 20, 24}, {1});
  EXPECT_EQ(made_of(op_kind::var, rows, dtype::f32), "0+1, 1+1, row_sums 0, moment_groups 1");
  EXPECT_EQ(made_of(op_kind::norm1, form_of({1 << 20, 100}, {1}), dtype::f64), "0+1, 1+1, row_sums 0, moment_groups 1");
  EXPECT_EQ(made_of(op_kind::norm2, short_rows, dtype::f32), "0+1, 1+1, tile_sums 0, moment_groups 1");
  EXPECT_EQ(made_of(op_kind::var, form_of({1 << 20, 16}, {1}), dtype::f32), "0+1, 1+1, tiles 0, moment_groups 1");
  for (const op_kind op : {op_kind::describe, op_kind::dot}) {
    EXPECT_EQ(made_of(op, form_of({1 << 20, 2048}, {1}), dtype::f32), "0+1, 1+1, part_sums 0, moment_groups 1");
    EXPECT_EQ(made_of(op, short_rows, dtype::f32), "0+1, 1+1, tiles 0, moment_groups 1");
  }
  EXPECT_EQ(made_of(op_kind::var, form_of({1 << 16, 64, 64}, {1}), dtype::f32),
            "0+1, 1+1, part_lanes 0, moment_groups 1");
  EXPECT_EQ(made_of(op_kind::dot, form_of({300, 5, 1000}, {0, 2}), dtype::f32),
            "0+1, 1+4, part_lanes 0, moment_groups 3");
  EXPECT_EQ(made_of(op_kind::var, form_of({1 << 16, 16, 64}, {1}), dtype::f32), "0+1, 1+1, tiles 0, moment_groups 1");
  // Blocks share few rows, whose parts meet.
  const batches few = form_of({10, 1 << 20}, {1});
  EXPECT_EQ(made_of(op_kind::var, few, dtype::f32), "0+1, 1+4, part_sums 0, moment_groups 2");
  // Plain sums of elements of 2 bytes are not good enough for results of 64 bits.
  reduction wide = make_reduction(op_kind::var, dtype::bf16);
  EXPECT_EQ(told(recipe_of(make_plan(wide, few, {}, h200_traits()))), "0+1, 1+4, part_sums 0, moment_groups 2");
  wide.result = dtype::f64;
  EXPECT_EQ(told(recipe_of(make_plan(wide, few, {}, h200_traits()))),
            "0+1, 1+1, tiles 0, tiles 1, 3+2, moment_groups 2");
  // What is merged has to be exact.
  EXPECT_EQ(made_of(op_kind::var, rows, dtype::f32, recipe_end::accumulators), "1+1, tiles 0, moment_groups 1");
}

TEST(recipe, of_parts_is_finished_by_an_early_kernel) {
  const plan p = sum_plan(form_of({2, 1 << 28}, {1}, dtype::i32), {}, h200_traits(), dtype::i32, accuracy::exact);
  EXPECT_EQ(told(recipe_of(p)), "0+1, block_rows 0, partials 1!");
  plan_options atomic;
  atomic.how = finish::atomic;
  const plan q = sum_plan(form_of({2, 1 << 28}, {1}, dtype::i32), atomic, h200_traits(), dtype::i32, accuracy::exact);
  EXPECT_EQ(told(recipe_of(q)), "0+1, 1+1, fill_identity, block_rows 0");
}

TEST(recipe, follows_what_becomes_of_results) {
  array_view view = make_view(nullptr, dtype::i8, {2395, 15, 22285});
  view.strides = {15, 1, 2395 * 15};
  const plan p =
      make_plan(make_reduction(op_kind::min, dtype::i8), normalise(view, {1}, element_order::any), {}, h200_traits());
  EXPECT_EQ(told(recipe_of(p)), "0+1, tiles 0, place_results!");
  EXPECT_EQ(told(recipe_of(p, recipe_end::fold_results)), "tiles 0, place_results!");
  EXPECT_EQ(told(recipe_of(p, recipe_end::accumulators)), "tiles 0");
  EXPECT_EQ(recipe_of(p, recipe_end::accumulators).workspace_bytes(), p.workspace_bytes());
}

TEST(recipe, of_too_many_passes_is_refused) {
  plan p = sum_plan(form_of({1 << 28}, {0}, dtype::i32), {}, h200_traits(), dtype::i32, accuracy::exact);
  for (int i = 0; i < 100; ++i) p.passes.insert(p.passes.begin(), p.passes.front());
  EXPECT_THROW(recipe_of(p), unsupported_error);
  EXPECT_THROW(p.workspace_bytes(), unsupported_error);
}

}  // namespace multifold::plan_tests
