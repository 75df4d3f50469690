// Plans at the limits of what their kernels take: how far a chain goes, where vectors are aligned, how many parts.
#include <gtest/gtest.h>

#include <cstdint>

#include "multifold/error.hpp"
#include "plan/plan_forms.hpp"

namespace multifold::plan_tests {
namespace {

plan_options with_parts(std::int64_t parts) {
  plan_options forced;
  forced.parts = parts;
  return forced;
}

TEST(limits, chains_have_up_to_40_passes) {
  const batches form = form_of({std::int64_t{1} << 42}, {0});
  plan_options forced;
  forced.passes = 40;
  EXPECT_EQ(sum_plan(form, forced).passes.size(), 40u);
  forced.passes = 41;
  EXPECT_THROW(sum_plan(form, forced), unsupported_error);
}

TEST(limits, exact_rows_have_no_more_parts_than_tiles) {
  const auto first = [](std::int64_t parts) {
    return sum_plan(form_of({1 << 20}, {0}), with_parts(parts), h200_traits(), dtype::f32, accuracy::exact).passes[0];
  };
  EXPECT_EQ(first(2).kind, kernel::exact_rows);
  EXPECT_EQ(first(4096).kind, kernel::block_rows);
}

TEST(limits, moments_take_blocks_of_up_to_256_threads) {
  plan_options forced;
  const auto made = [&](int threads) {
    forced.threads = threads;
    return make_plan(make_reduction(op_kind::var, dtype::f32), form_of({1 << 20}, {0}), forced, h200_traits());
  };
  EXPECT_EQ(made(256).passes[0].threads, 256);
  EXPECT_THROW(made(288), unsupported_error);
}

// 100 elements are 7 of what a group of 16 lanes reads at once.
TEST(limits, moments_have_no_more_parts_than_their_groups_have_turns) {
  const auto made = [](std::int64_t parts) {
    return make_plan(make_reduction(op_kind::var, dtype::f32), form_of({100}, {0}), with_parts(parts), h200_traits());
  };
  const plan p = made(7);
  EXPECT_EQ(p.passes[0].group, 16);
  expect_parts_cover(p.passes[0]);
  EXPECT_THROW(made(8), unsupported_error);
  EXPECT_THROW(made(100), unsupported_error);
}

// Rows that repeat, 2^64 bytes of them.
TEST(limits, moments_of_more_bytes_than_64_bits_count_are_read_by_groups) {
  const array_view repeated{nullptr, dtype::f64, {std::int64_t{1} << 41, 1 << 20}, {0, 1}};
  const batches form = normalise(repeated, {1}, element_order::any);
  EXPECT_EQ(form.elements(), std::int64_t{1} << 61);
  const plan p = make_plan(make_reduction(op_kind::norm2, dtype::f64), form, {}, h200_traits());
  EXPECT_EQ(p.passes.front().kind, kernel::moment_groups);
  EXPECT_FALSE(p.again.has_value());
}

}  // namespace
}  // namespace multifold::plan_tests
