// Counts of elements that are not zero against plain loops: every dtype, rows and columns that fill lanes and counters
// or do not, views, all SIMD levels.
#include <gtest/gtest.h>

#include <cstring>

#include "core/every.hpp"
#include "core/ops/tally_data.hpp"
#include "host/engine.hpp"
#include "host/simd_guard.hpp"
#include "random_bits.hpp"

namespace {

using test::all_dtypes;

using namespace multifold;

class tallies_on_host : public ::testing::Test {
 protected:
  test::random_bits random{7};

  void expect_loops(const testing_views::random_view& made, const std::vector<std::int64_t>& axes, int rate) {
    const dtype type = made.view.type;
    const auto bytes = testing_tallies::elements(type, made.buffer_elements, rate, random);
    const std::byte* const data = bytes.data() + made.first * item_bytes(type);
    for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit}) {
      if (nan == nan_policy::omit && !is_floating(type)) continue;
      const auto tallies = testing_tallies::tallies_of(nan, made.view, data, axes);
      for (const op_kind op : testing_tallies::ops) {
        const reduction what = make_reduction(op, type, nan);
        const plan p = make_plan(what, normalise(made.view, axes, order_of(op)), {}, host::traits(1));
        const auto expected = testing_tallies::values_of(op, tallies);
        for (const host::simd_level level : test::levels()) {
          const test::simd_guard guard(level);
          std::vector<std::byte> results(expected.size() * static_cast<std::size_t>(item_bytes(what.result)));
          host::run(p, data, results.data(), {});
          ASSERT_EQ(testing_tallies::numbers(op, results), expected)
              << name(op) << " of " << name(type) << " " << to_string(made.view.extents) << " axes " << to_string(axes)
              << " by " << host::name(level);
        }
      }
    }
  }
  void expect_loops(dtype type, const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& axes,
                    int rate) {
    testing_views::random_view made;
    made.view = make_view(nullptr, type, extents);
    made.buffer_elements = made.view.elements();
    expect_loops(made, axes, rate);
  }
};

TEST_F(tallies_on_host, of_rows_and_columns) {
  for (const dtype type : all_dtypes) {
    for (const int rate : {1, 2, -40}) {
      for (const std::int64_t length : {0, 1, 7, 8, 9, 31, 33, 127, 255, 256, 257, 1000, 5003})
        ASSERT_NO_FATAL_FAILURE(expect_loops(type, {3, length}, {1}, rate));
      for (const std::int64_t width : {1, 5, 63, 64, 65, 1030})
        ASSERT_NO_FATAL_FAILURE(expect_loops(type, {601, width}, {0}, rate));
    }
  }
}

// Counters of bytes are emptied every 254 turns, and lanes are taken every 2^15.
TEST_F(tallies_on_host, of_counters_that_would_overflow) {
  for (const dtype type : {dtype::boolean, dtype::i8, dtype::i16, dtype::bf16, dtype::f32}) {
    for (const int rate : {1, -300}) {
      for (const std::int64_t turns : {253, 254, 255, 256, 508, 509})
        ASSERT_NO_FATAL_FAILURE(expect_loops(type, {64 * turns + 63}, {0}, rate));
      ASSERT_NO_FATAL_FAILURE(expect_loops(type, {(1 << 21) + 77}, {0}, rate));
      ASSERT_NO_FATAL_FAILURE(expect_loops(type, {70'003, 3}, {0}, rate));
      ASSERT_NO_FATAL_FAILURE(expect_loops(type, {33'000, 70}, {0}, rate));
    }
  }
}

TEST_F(tallies_on_host, of_any_view) {
  constexpr int rates[] = {1, 2, 9, -9, -50};
  for (int turn = 0; turn < 2500; ++turn) {
    const auto made = testing_views::make_random_view(random, all_dtypes[random() % std::size(all_dtypes)]);
    const auto axes = testing_views::random_axes(random, made.view.rank());
    ASSERT_NO_FATAL_FAILURE(expect_loops(made, axes, rates[random() % 5]));
  }
}

}  // namespace
