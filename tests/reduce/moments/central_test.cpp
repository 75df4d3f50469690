// Moments, skewness and kurtosis of ranges, over axes and of sources; their bits: central_oracle_test.cpp.
#include "multifold/central_moments.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "multifold/multifold.hpp"
#include "random_bits.hpp"
#include "reduce/refusal.hpp"
#include "reduce/sources/vector_source.hpp"

namespace multifold {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

TEST(central_moments, of_ranges_have_their_type) {
  const std::vector<float> x{1, 2, 3, 10};
  static_assert(std::is_same_v<decltype(moment(x, 2)), float>);
  static_assert(std::is_same_v<decltype(skewness(std::vector<f16>{})), f16>);
  static_assert(std::is_same_v<decltype(kurtosis(std::vector<std::int32_t>{})), double>);
  EXPECT_EQ(moment(x, 1), 0);
  EXPECT_EQ(moment(x, 2), var(x));
  EXPECT_EQ(moment(x, 3), 45);
  EXPECT_EQ(moment(x, 4), 348.5f);
  EXPECT_EQ(moment(x, 1, {.shift = 0}), mean(x));
  EXPECT_EQ(moment(x, 3, {.shift = 1}), 184.5f);
  EXPECT_EQ(moment(x, 2, {.shift = 2.5f}), 14.75f);
  EXPECT_EQ(skewness(x), static_cast<float>(45 / std::pow(12.5, 1.5)));
  EXPECT_EQ(kurtosis(x), static_cast<float>(348.5 / 156.25 - 3));
  EXPECT_EQ(kurtosis(x, {.fisher = false}), static_cast<float>(348.5 / 156.25));
  EXPECT_EQ(kurtosis(std::vector<int>{1, 2, 3, 10}, {.fisher = false}), 348.5 / 156.25);
  EXPECT_EQ(moment(std::vector<std::uint8_t>{0, 255}, 4), 127.5 * 127.5 * 127.5 * 127.5);
  EXPECT_EQ(moment(std::array{true, false, false, true}, 2), 0.25);
#if defined(__STDCPP_FLOAT16_T__) || (defined(__clang__) && defined(__FLT16_MAX__))
  EXPECT_EQ(to_float(moment(std::vector<_Float16>{0.25f, 0.75f}, 2)), 0.0625f);
#endif
}

TEST(central_moments, of_nothing_and_of_what_is_not_finite_are_nan) {
  for (const std::vector<double>& x : {std::vector<double>{}, {1, 2, nan}, {1, inf}, {-inf, 3, 4, 5}, {inf, -inf}}) {
    EXPECT_TRUE(std::isnan(moment(x, 1, {.shift = 0})));
    EXPECT_TRUE(std::isnan(moment(x, 2)));
    EXPECT_TRUE(std::isnan(skewness(x)));
    EXPECT_TRUE(std::isnan(kurtosis(x)));
  }
  EXPECT_TRUE(std::isnan(moment(std::vector<std::int8_t>{}, 2)));
}

TEST(central_moments, of_equal_elements) {
  for (const std::vector<double>& x : {std::vector<double>{0.1}, {0.1, 0.1, 0.1, 0.1, 0.1}}) {
    EXPECT_EQ(moment(x, 4), 0);
    EXPECT_EQ(moment(x, 3, {.shift = 0.1}), 0);
    EXPECT_TRUE(std::isnan(skewness(x)));
    EXPECT_TRUE(std::isnan(kurtosis(x)));
  }
  const std::vector<double> two{0.1, 0.3};
  EXPECT_EQ(skewness(two), 0);
  EXPECT_EQ(kurtosis(two), -2);
  EXPECT_TRUE(std::isnan(skewness(two, {.bias = false})));
  EXPECT_TRUE(std::isnan(kurtosis(std::vector<double>{1, 2, 4}, {.bias = false})));
}

TEST(central_moments, overflow_and_underflow_in_the_result_alone) {
  EXPECT_EQ(moment(std::vector<double>{1e300, -1e300}, 2), inf);
  EXPECT_EQ(moment(std::vector<double>{-1e300, 0}, 3, {.shift = 0}), -inf);
  EXPECT_EQ(kurtosis(std::vector<double>{1e300, -1e300}), -2);
  EXPECT_EQ(skewness(std::vector<double>{0, 0, 0, 0, 0x1p-1074}), 1.5);
  EXPECT_EQ(moment(std::vector<double>{0x1p-1074, 0}, 2), 0);
  EXPECT_EQ(moment(std::vector<float>{0x1p-70f, -0x1p-70f}, 2), 0x1p-140f);
}

// Counts of up to 2^62: the same elements, again and again.
TEST(central_moments, of_as_many_as_there_may_be) {
  const auto fourth = moment_fold<double>(4);
  exact_powers powers = fourth.combine(fourth.lift(1, 0), fourth.combine(fourth.lift(3, 0), fourth.lift(0, 0)));
  powers = fourth.combine(powers, fourth.lift(0, 0));
  for (int i = 0; i < 60; ++i) powers = fourth.combine(powers, powers);
  const std::int64_t count = std::int64_t{1} << 62;
  const std::vector<double> few{1, 3, 0, 0};
  EXPECT_EQ(fourth.lower(powers, count), moment(few, 4));
  EXPECT_EQ(skewness_fold<double>().lower(powers, count), skewness(few));
  EXPECT_EQ(kurtosis_fold<double>().lower(powers, count), kurtosis(few));
  const double repeated[] = {1, 3};
  const array_view view = make_view(repeated, {2, 50'000}, {1, 0});
  EXPECT_EQ(moment<double>(view, 4).value(), 1);
  EXPECT_EQ(moment<double>(view, 2, {}, {.axes = {1}}).values, (std::vector<double>{0, 0}));
}

template <class T>
std::vector<T> lognormal(std::size_t count) {
  test::random_bits random(7);
  std::lognormal_distribution<double> values(0, 3);
  std::vector<T> x(count);
  for (T& each : x) each = static_cast<T>(random() % 2 != 0 ? values(random) : -values(random));
  return x;
}

TEST(central_moments, along_axes_are_those_of_each_row_and_column) {
  constexpr std::int64_t rows = 700, columns = 41;
  const auto x = lognormal<double>(rows * columns);
  const array_view view = make_view(x.data(), {rows, columns});
  const array_view turned = make_view(x.data() + rows * columns - 1, {columns, rows}, {-1, -columns});
  const auto by_row = kurtosis<double>(view, {}, {.axes = {1}, .keepdims = true});
  const auto by_column = skewness<double>(view, {.bias = false}, {.axes = {0}});
  const auto of_turned = skewness<double>(turned, {.bias = false}, {.axes = {1}});
  ASSERT_EQ(by_row.extents, (std::vector<std::int64_t>{rows, 1}));
  ASSERT_EQ(by_column.extents, (std::vector<std::int64_t>{columns}));
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto first = x.begin() + i * columns;
    EXPECT_EQ(by_row.values[static_cast<std::size_t>(i)], kurtosis(std::vector<double>(first, first + columns)));
  }
  for (std::int64_t j = 0; j < columns; ++j) {
    std::vector<double> column;
    for (std::int64_t i = 0; i < rows; ++i) column.push_back(x[static_cast<std::size_t>(i * columns + j)]);
    EXPECT_EQ(by_column.values[static_cast<std::size_t>(j)], skewness(column, {.bias = false}));
    EXPECT_EQ(of_turned.values[static_cast<std::size_t>(columns - 1 - j)], skewness(column, {.bias = false}));
  }
}

TEST(central_moments, have_the_same_bits_on_any_number_of_threads_and_of_sources) {
  const auto x = lognormal<float>(200'000);
  const array_view view = make_view(x.data(), {static_cast<std::int64_t>(x.size())});
  const float third = moment<float>(view, 3, {.shift = 0.1}, {.threads = 1}).value();
  EXPECT_EQ(moment<float>(view, 3, {.shift = 0.1}, {.threads = 5}).value(), third);
  std::vector<float> reversed(x.rbegin(), x.rend());
  EXPECT_EQ(moment(reversed, 3, {.shift = 0.1}), third);
  vector_source<float> source(x, {static_cast<std::int64_t>(x.size())});
  EXPECT_EQ(fold(moment_fold<float>(3, {.shift = 0.1}), source).value(), third);
  vector_source<float> endless(x, {-1});
  EXPECT_EQ(fold(kurtosis_fold<float>(), endless).value(), kurtosis(x));
  vector_source<float> columns(x, {1000, 200});
  const array_view table = make_view(x.data(), {1000, 200});
  EXPECT_EQ(fold(skewness_fold<float>(), columns, {.axes = {0}}).values,
            skewness<float>(table, {}, {.axes = {0}}).values);
}

TEST(central_moments, refusals) {
  const std::vector<double> x{1, 2, 4};
  for (const int power : {-1, 0, 5}) {
    test::expect_refusal<unsupported_error>("order " + std::to_string(power), [&] { moment(x, power); });
  }
  test::expect_refusal<unsupported_error>("expected a finite one", [&] { moment(x, 2, {.shift = nan}); });
  test::expect_refusal<unsupported_error>("expected a finite one", [&] { moment(x, 2, {.shift = -inf}); });
  test::expect_refusal<shape_error>("", [&] { moment<float>(as_view(x), 2); });
  test::expect_refusal<unsupported_error>("", [&] { skewness<double>(make_view(x.data(), {3}, place::device)); });
  // Partial results own memory, which the bound of a source counts.
  const std::vector<double> wide(100'000);
  vector_source<double> rows(wide, {1000, 100});
  test::expect_refusal<out_of_memory>(
      "partial results", [&] { fold(kurtosis_fold<double>(), rows, {.axes = {0}, .memory_bytes = 600 << 10}); });
}

}  // namespace
}  // namespace multifold
