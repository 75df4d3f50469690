// Logarithms of sums of exponentials over axes and of sources; how near they are: tests/core/ops/exponential_sum_test.cpp.
#include "multifold/logsumexp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "random_bits.hpp"
#include "reduce/sources/vector_source.hpp"

namespace multifold {
namespace {

TEST(logsumexp, of_ranges_has_their_type) {
  const std::vector<float> x{1000, 1000, -3};
  EXPECT_EQ(logsumexp(x), static_cast<float>(1000 + std::log(2.0)));
  static_assert(std::is_same_v<decltype(logsumexp(x)), float>);
  EXPECT_EQ(logsumexp(std::vector<double>{-800, -800}), -800 + std::log(2.0));
  EXPECT_EQ(logsumexp(std::vector<std::int8_t>{0, 0, 0}), std::log(3.0));
  EXPECT_EQ(to_float(logsumexp(std::vector<f16>{to_f16(60000.0f), to_f16(60000.0f)})), 60000.0f);
  EXPECT_EQ(logsumexp(std::vector<double>{}), -std::numeric_limits<double>::infinity());
}

TEST(logsumexp, along_axes_is_that_of_each_row) {
  test::random_bits random(3);
  std::normal_distribution<double> normal(0, 40);
  constexpr std::int64_t rows = 37, columns = 611;
  std::vector<double> x(rows * columns);
  for (double& each : x) each = normal(random);
  const auto found = logsumexp<double>(make_view(x.data(), {rows, columns}), {.axes = {{1}}});
  ASSERT_EQ(found.extents, (std::vector<std::int64_t>{rows}));
  for (std::int64_t i = 0; i < rows; ++i) {
    exponential_sum row;
    for (std::int64_t j = 0; j < columns; ++j) row.add(x[static_cast<std::size_t>(i * columns + j)]);
    EXPECT_NEAR(found.values[static_cast<std::size_t>(i)], row.logarithm(), 0x1p-44);
  }
}

TEST(logsumexp, has_the_same_bits_on_any_number_of_threads_and_of_sources) {
  test::random_bits random(4);
  std::normal_distribution<float> normal(0, 3);
  std::vector<float> x(300'000);
  for (float& each : x) each = normal(random);
  const array_view view = make_view(x.data(), {static_cast<std::int64_t>(x.size())});
  const float one = logsumexp<float>(view, {.threads = 1}).value();
  EXPECT_EQ(logsumexp<float>(view, {.threads = 5}).value(), one);
  vector_source<float> source(x, {static_cast<std::int64_t>(x.size())});
  EXPECT_EQ(fold(logsumexp_fold<float>{}, source).value(), one);
  double sum = 0;
  for (const float each : x) sum += std::exp(double{each});
  EXPECT_NEAR(one, std::log(sum), 1e-6);
}

}  // namespace
}  // namespace multifold
