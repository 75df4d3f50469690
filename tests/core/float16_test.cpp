// The 16-bit formats against their definition: a table of all values by ldexp, and every border between neighbours.
#include "multifold/types/float16.hpp"
#include "random_bits.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace multifold {
namespace {

struct half_format {
  using type = f16;
  static constexpr int mantissa = 10, bias = 15;
  static constexpr std::uint16_t infinity = 0x7c00, nan = 0x7e00;
  static std::uint16_t narrow(double x) { return to_f16(x).bits; }
};

struct brain_format {
  using type = bf16;
  static constexpr int mantissa = 7, bias = 127;
  static constexpr std::uint16_t infinity = 0x7f80, nan = 0x7fc0;
  static std::uint16_t narrow(double x) { return to_bf16(x).bits; }
};

// The value that a finite, positive pattern stands for; for infinity, the power of two that would come next.
template <class Format>
double value_of(std::uint32_t pattern) {
  const std::uint32_t fraction = pattern & ((1u << Format::mantissa) - 1);
  const int exponent = static_cast<int>(pattern >> Format::mantissa);
  const double significand = fraction + (exponent == 0 ? 0.0 : std::ldexp(1.0, Format::mantissa));
  return std::ldexp(significand, std::max(exponent, 1) - Format::bias - Format::mantissa);
}

template <class Format>
class float16 : public ::testing::Test {};
using formats = ::testing::Types<half_format, brain_format>;
TYPED_TEST_SUITE(float16, formats);

TYPED_TEST(float16, every_pattern_widens_exactly_and_narrows_back) {
  for (std::uint32_t pattern = 0; pattern <= TypeParam::infinity; ++pattern) {
    const double expected =
        pattern == TypeParam::infinity ? std::numeric_limits<double>::infinity() : value_of<TypeParam>(pattern);
    for (const std::uint32_t sign : {0u, 0x8000u}) {
      const auto bits = static_cast<std::uint16_t>(pattern | sign);
      const double wide = to_double(typename TypeParam::type{bits});
      const double signed_value = sign != 0 ? -expected : expected;
      ASSERT_EQ(std::bit_cast<std::uint64_t>(wide), std::bit_cast<std::uint64_t>(signed_value)) << std::hex << bits;
      ASSERT_EQ(TypeParam::narrow(wide), bits);
    }
  }
}

TYPED_TEST(float16, every_nan_widens_to_a_nan_and_narrows_to_the_canonical_one) {
  for (std::uint32_t pattern = TypeParam::infinity + 1u; pattern < 0x8000u; ++pattern) {
    for (const std::uint32_t sign : {0u, 0x8000u}) {
      const double wide = to_double(typename TypeParam::type{static_cast<std::uint16_t>(pattern | sign)});
      ASSERT_TRUE(std::isnan(wide)) << std::hex << pattern;
      ASSERT_EQ(TypeParam::narrow(wide), TypeParam::nan);
    }
  }
}

// Rounding is monotone, so it is right everywhere if it is right at every tie and on both sides of it.
TYPED_TEST(float16, every_border_between_neighbours_rounds_to_nearest_even) {
  const auto narrow = [](double x) { return TypeParam::narrow(x); };
  for (std::uint32_t pattern = 0; pattern < TypeParam::infinity; ++pattern) {
    const double tie = (value_of<TypeParam>(pattern) + value_of<TypeParam>(pattern + 1)) / 2;
    const std::uint32_t even = pattern + (pattern & 1u);
    ASSERT_EQ(narrow(tie), even) << std::hexfloat << tie;
    ASSERT_EQ(narrow(std::nextafter(tie, 0.0)), pattern) << std::hexfloat << tie;
    ASSERT_EQ(narrow(std::nextafter(tie, HUGE_VAL)), pattern + 1) << std::hexfloat << tie;
    ASSERT_EQ(narrow(-tie), even | 0x8000u);
    ASSERT_EQ(narrow(std::nextafter(-tie, 0.0)), pattern | 0x8000u);
    ASSERT_EQ(narrow(std::nextafter(-tie, -HUGE_VAL)), (pattern + 1) | 0x8000u);
  }
}

TYPED_TEST(float16, any_double_goes_to_the_nearer_neighbour) {
  test::random_bits random(1);
  const double overflow =
      (value_of<TypeParam>(TypeParam::infinity - 1u) + value_of<TypeParam>(TypeParam::infinity)) / 2;
  for (int i = 0; i < 200000; ++i) {
    const double x = std::abs(std::bit_cast<double>(random()));
    if (std::isnan(x)) continue;
    const std::uint32_t pattern = TypeParam::narrow(x);
    ASSERT_LE(pattern, TypeParam::infinity);
    ASSERT_EQ(pattern == TypeParam::infinity, x >= overflow) << std::hexfloat << x;
    if (pattern == TypeParam::infinity) continue;
    const double below = pattern == 0 ? 0 : (value_of<TypeParam>(pattern - 1) + value_of<TypeParam>(pattern)) / 2;
    const double above = (value_of<TypeParam>(pattern) + value_of<TypeParam>(pattern + 1)) / 2;
    ASSERT_TRUE(below <= x && x <= above) << std::hexfloat << x;
  }
}

TEST(float16, the_borders_that_people_know) {
  EXPECT_EQ(to_f16(65504).bits, 0x7bff);
  EXPECT_EQ(to_f16(65519.99).bits, 0x7bff);
  EXPECT_EQ(to_f16(65520).bits, 0x7c00);
  EXPECT_EQ(to_f16(-65520).bits, 0xfc00);
  EXPECT_EQ(to_f16(1e300).bits, 0x7c00);
  EXPECT_EQ(to_f16(0x1p-24).bits, 0x0001);
  EXPECT_EQ(to_f16(0x1p-25).bits, 0x0000);
  EXPECT_EQ(to_f16(0x1.0000000000001p-25).bits, 0x0001);
  EXPECT_EQ(to_f16(0x1.ffep-15).bits, 0x0400);  // subnormal ties into normal
  EXPECT_EQ(to_f16(-0.0).bits, 0x8000);
  EXPECT_EQ(to_f16(5e-324).bits, 0x0000);
  EXPECT_EQ(to_f16(-5e-324).bits, 0x8000);
  EXPECT_EQ(to_bf16(1.00390625).bits, 0x3f80);  // 1 + 2^-8: a tie
  EXPECT_EQ(to_bf16(std::numeric_limits<double>::max()).bits, 0x7f80);
  EXPECT_EQ(to_bf16(std::numeric_limits<double>::quiet_NaN()).bits, 0x7fc0);
  EXPECT_EQ(to_f16(-std::numeric_limits<double>::signaling_NaN()).bits, 0x7e00);
}

TEST(float16, conversions_fold_at_compile_time) {
  static_assert(to_f16(1.0).bits == 0x3c00);
  static_assert(to_bf16(-2.0).bits == 0xc000);
}

}  // namespace
}  // namespace multifold
