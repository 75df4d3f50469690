// Weighted means: shapes, special values, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "multifold/multifold.hpp"
#include "reduce/refusal.hpp"

namespace multifold {
namespace {

using test::expect_refusal;

TEST(WeightedMean, NumbersAndShapes) {
  const std::vector<float> x{1, 2, 3, 4, 5, 6}, w{1, 0, 3};
  const std::vector<float> all{1, 0, 3, 1, 0, 3};
  EXPECT_EQ(mean(x, all), 32.0f / 8);
  const array_view table = make_view(x.data(), {2, 3});
  EXPECT_EQ(weighted_mean(table, w, {.axes = {1}}).values<float>(), (std::vector<float>{2.5f, 5.5f}));
  const std::vector<float> rows{1, 3};
  const reduce_result columns = weighted_mean(table, make_view(rows.data(), {2, 1}), {.axes = {0}, .keepdims = true});
  EXPECT_EQ(columns.extents, (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(std::vector<float>(columns.values<float>().begin(), columns.values<float>().end()),
            (std::vector<float>{3.25f, 4.25f, 5.25f}));
  EXPECT_EQ(columns.achieved, accuracy::exact);
  EXPECT_EQ(columns.used.what.op, op_kind::mean);
  const float one = 1;
  EXPECT_EQ(weighted_mean(table, make_view(&one, {}), {.result = dtype::f64}).value<double>(), 3.5);
}

TEST(WeightedMean, IsNoCancellationAway) {
  const std::vector<double> x{1e300, 1, -1e300}, w{1e300, 1e-300, 1e300};
  EXPECT_EQ(mean(x, w), 1e-300 / 2e300);
  const std::vector<double> huge{1, 2}, weights{1e308, 1.5e308};  // whose sum no double holds
  EXPECT_EQ(mean(huge, weights), 1.6);
}

TEST(WeightedMean, EqualWeightsHaveTheBitsOfMean) {
  std::vector<float> x(10'007);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i)) * 1e3f;
  EXPECT_EQ(mean(x, std::vector<float>(x.size(), 1.0f)), mean(x));
  EXPECT_EQ(mean(x, std::vector<float>(x.size(), 0x1p-100f)), mean(x));
}

TEST(WeightedMean, SpecialValues) {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> one{1, 1}, less{1, -3};
  EXPECT_EQ(mean(std::vector<float>{inf, 1}, one), inf);
  EXPECT_EQ(mean(std::vector<float>{inf, 1}, less), -inf);
  EXPECT_TRUE(std::isnan(mean(std::vector<float>{inf, -inf}, one)));
  EXPECT_TRUE(std::isnan(mean(std::vector<float>{nan, 1}, one)));
  EXPECT_TRUE(std::isnan(mean(std::vector<float>{inf, 1}, std::vector<float>{0, 1})));  // 0 times infinity
  EXPECT_TRUE(std::isnan(mean(std::vector<float>{1, 1}, std::vector<float>{inf, 1})));
  EXPECT_TRUE(std::isnan(mean(std::vector<float>{1, 1}, std::vector<float>{nan, 1})));
  EXPECT_TRUE(std::signbit(mean(std::vector<float>{-0.0f, -0.0f}, one)));
  EXPECT_TRUE(std::signbit(mean(std::vector<float>{3, 1}, less)));  // 0 over -2
}

TEST(WeightedMean, Refusals) {
  const std::vector<float> x{1, 2, 3, 4}, w{1, -1}, four{1, 1, 1, 1};
  const array_view table = make_view(x.data(), {2, 2});
  expect_refusal<shape_error>("the weights of the array add up to zero", [&] { weighted_mean(table, w); });
  const std::vector<float> columns{0, 0, 1, 0};
  expect_refusal<shape_error>("the weights of result 1 add up to zero", [&] {
    weighted_mean(table, make_view(columns.data(), {2, 2}), {.axes = {0}});
  });
  expect_refusal<shape_error>("the weights of the array add up to zero",
                              [&] { mean(std::vector<float>{}, std::vector<float>{}); });
  expect_refusal<shape_error>("(4,)", [&] { weighted_mean(table, four); });
  const std::vector<double> other{1, 1};
  expect_refusal<unsupported_error>("weights of f64 for elements of f32", [&] { weighted_mean(table, other); });
  const std::vector<int> whole{1, 1};
  expect_refusal<unsupported_error>("weighted mean of i32", [&] { weighted_mean(whole, whole); });
  const auto refused = [&](const char* what, const reduce_options& options) {
    expect_refusal<unsupported_error>(what, [&] { weighted_mean(x, four, options); });
  };
  const bool mark = true;
  refused("where", {.where = make_view(&mark, {1})});
  refused("nan_policy::omit", {.nan = nan_policy::omit});
  refused("initial value", {.initial = {true, false, 0, 1}});
  refused("correction", {.correction = 1});
  refused("accuracy::fast", {.wanted = accuracy::fast});
  refused("state", {.keep_state = true});
  refused("engine", {.engine = engine_choice::device});
  refused("makes no i64", {.result = dtype::i64});
  float room = 0;
  refused("memory for its results", {.into = std::as_writable_bytes(std::span(&room, 1))});
  array_view there = x;
  there.where = place::device;
  expect_refusal<unsupported_error>("device memory", [&] { weighted_mean(there, four); });
}

}  // namespace
}  // namespace multifold
