// Norms of any order of ranges, over axes and of sources; how near they are: tests/core/ops/power_sum_test.cpp.
#include "multifold/norm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "multifold/multifold.hpp"
#include "random_bits.hpp"
#include "reduce/sources/vector_source.hpp"

namespace multifold {
namespace {

TEST(norms, of_ranges_have_their_type) {
  const std::vector<float> x{3, -4, 0};
  static_assert(std::is_same_v<decltype(norm(x, 3)), float>);
  EXPECT_EQ(norm(x, 2), 5);
  EXPECT_EQ(norm(x, 1), 7);
  EXPECT_EQ(norm(x, 0), 2);
  EXPECT_EQ(norm(x, std::numeric_limits<double>::infinity()), 4);
  EXPECT_EQ(norm(x, -std::numeric_limits<double>::infinity()), 0);
  EXPECT_EQ(norm(std::vector<double>{3e300, -4e300}, 2), 5e300);
  EXPECT_EQ(to_float(norm(std::vector<f16>{to_f16(12288.0f), to_f16(-16384.0f)}, 2)), 20480.0f);
  EXPECT_EQ(norm(std::vector<double>{}, 3), 0);
}

TEST(norms, along_axes_are_those_of_each_row) {
  test::random_bits random(5);
  std::normal_distribution<double> normal;
  constexpr std::int64_t rows = 31, columns = 503;
  std::vector<double> x(rows * columns);
  for (double& each : x) each = normal(random);
  const auto found = norm<double>(make_view(x.data(), {rows, columns}), 2.5, {.axes = {1}, .keepdims = true});
  ASSERT_EQ(found.extents, (std::vector<std::int64_t>{rows, 1}));
  for (std::int64_t i = 0; i < rows; ++i) {
    power_sum row;
    for (std::int64_t j = 0; j < columns; ++j) row.add(std::fabs(x[static_cast<std::size_t>(i * columns + j)]), 2.5);
    EXPECT_EQ(found.values[static_cast<std::size_t>(i)], static_cast<double>(row.norm(2.5)));
  }
}

TEST(norms, have_the_same_bits_on_any_number_of_threads_and_of_sources) {
  test::random_bits random(6);
  std::normal_distribution<float> normal;
  std::vector<float> x(100'000);
  for (float& each : x) each = normal(random);
  const array_view view = make_view(x.data(), {static_cast<std::int64_t>(x.size())});
  const float one = norm<float>(view, 3, {.threads = 1}).value();
  EXPECT_EQ(norm<float>(view, 3, {.threads = 5}).value(), one);
  vector_source<float> source(x, {static_cast<std::int64_t>(x.size())});
  EXPECT_EQ(fold(norm_fold<float>{3}, source).value(), one);
  EXPECT_EQ(norm<float>(view, 2).value(), norm2(x));
}

}  // namespace
}  // namespace multifold
