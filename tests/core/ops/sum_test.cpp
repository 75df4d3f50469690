// Sums: exact integers of any length, lanes that hold what they promise, and the zeros and NaNs of floating point.
#include "multifold/ops/sum.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace multifold {
namespace {

template <class T>
class integer_sums : public ::testing::Test {};
using integers = ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                                  std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(integer_sums, integers);

TYPED_TEST(integer_sums, a_full_lane_of_extremes_still_fits) {
  using op = integer_sum<TypeParam>;
  for (const TypeParam x : {std::numeric_limits<TypeParam>::min(), std::numeric_limits<TypeParam>::max()}) {
    const int128_t total = static_cast<int128_t>(op::lane_capacity) * x;
    if constexpr (sizeof(typename op::lane) == 16) {
      // At most 2^63 elements below 2^64: the bound is 2^127.
      EXPECT_LE(detail::bit_width(detail::magnitude_of(total)), 127);
    } else {
      EXPECT_GE(total, static_cast<int128_t>(std::numeric_limits<typename op::lane>::min()));
      EXPECT_LE(total, static_cast<int128_t>(std::numeric_limits<typename op::lane>::max()));
    }
  }
}

TYPED_TEST(integer_sums, widening_keeps_the_sign) {
  const integer_sum<TypeParam> op;
  for (const TypeParam x : {std::numeric_limits<TypeParam>::min(), std::numeric_limits<TypeParam>::max()}) {
    auto lane = op.lane_identity();
    for (int i = 0; i < 1000; ++i) lane = op.absorb(lane, x, i);
    EXPECT_TRUE(op.widen(lane) == static_cast<int128_t>(x) * 1000);
    EXPECT_TRUE(op.lift(x, 0) == static_cast<int128_t>(x));
  }
}

TEST(sum, integers_pass_64_bits_without_wrapping) {
  const integer_sum<std::int64_t> op;
  auto total = op.identity();
  for (int i = 0; i < 3; ++i) total = op.combine(total, op.lift(INT64_MAX, i));
  EXPECT_TRUE(total == 3 * static_cast<int128_t>(INT64_MAX));
  std::int64_t out = 0;
  EXPECT_EQ(store(op.lower(total, 3), dtype::i64, &out), status::overflow);
  for (int i = 0; i < 2; ++i) total = op.combine(total, op.lift(-INT64_MAX, i));
  EXPECT_EQ(store(op.lower(total, 5), dtype::i64, &out), status::ok);
  EXPECT_EQ(out, INT64_MAX);
}

TEST(sum, every_byte_but_zero_is_true) {
  const integer_sum<bool8> op;
  auto lane = op.lane_identity();
  for (int byte = 0; byte < 256; ++byte) lane = op.absorb(lane, bool8{static_cast<std::uint8_t>(byte)}, byte);
  EXPECT_TRUE(op.widen(lane) == 255);
}

double sum_of(std::initializer_list<double> elements) {
  const float_sum<double> op;
  auto total = op.identity();
  for (const double x : elements) total = op.combine(total, op.lift(x, 0));
  return op.lower(total, static_cast<std::int64_t>(elements.size())).real;
}

TEST(sum, zeros_are_negative_only_if_all_are) {
  EXPECT_TRUE(std::signbit(sum_of({-0.0})));
  EXPECT_TRUE(std::signbit(sum_of({-0.0, -0.0, -0.0})));
  EXPECT_FALSE(std::signbit(sum_of({-0.0, 0.0})));
  EXPECT_FALSE(std::signbit(sum_of({1.0, -1.0})));
  EXPECT_FALSE(std::signbit(sum_of({})));
}

TEST(sum, infinities_and_nan) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(sum_of({1.0, infinity}), infinity);
  EXPECT_TRUE(std::isnan(sum_of({-infinity, infinity})));
  EXPECT_TRUE(std::isnan(sum_of({1.0, std::nan("")})));
}

TEST(sum, narrow_floats_are_summed_in_double) {
  const float_sum<float> op;
  auto total = op.lift(16777216.0f, 0);
  for (int i = 0; i < 3; ++i) total = op.combine(total, op.lift(1.0f, i));
  EXPECT_EQ(total, 16777219.0);
  const float_sum<f16> half;
  EXPECT_EQ(half.combine(half.lift(to_f16(65504), 0), half.lift(to_f16(65504), 1)), 131008.0);
}

TEST(sum, omitted_nans_are_not_counted) {
  const float_sum_omit<float> op;
  auto total = op.identity();
  for (const float x : {1.0f, std::nanf(""), 4.0f}) total = op.combine(total, op.lift(x, 0));
  EXPECT_EQ(op.lower(total, 3).real, 5.0);
  EXPECT_EQ(op.lower(total, 3).count, 2);
  EXPECT_EQ(finish_scalar(op_kind::mean, op.lower(total, 3), {}).real, 2.5);

  const auto none = op.combine(op.identity(), op.lift(std::nanf(""), 0));
  EXPECT_EQ(std::bit_cast<std::uint64_t>(op.lower(none, 1).real), 0u);  // +0
  EXPECT_TRUE(std::isnan(finish_scalar(op_kind::mean, op.lower(none, 1), {}).real));

  initial_value negative_zero;
  negative_zero.given = true;
  negative_zero.real_value = -0.0;
  EXPECT_TRUE(std::signbit(finish_scalar(op_kind::sum, op.lower(none, 1), negative_zero).real));

  const auto zeros = op.combine(op.lift(-0.0f, 0), op.lift(std::nanf(""), 1));
  EXPECT_TRUE(std::signbit(op.lower(zeros, 2).real));
}

}  // namespace
}  // namespace multifold
