// Corrections as numbers, and as a reduction holds them.
#include "multifold/correction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace multifold {
namespace {

TEST(correction, holds_integers_as_they_are) {
  EXPECT_EQ(correction().held(), 0);
  EXPECT_EQ(correction(3).held(), 3);
  EXPECT_EQ(correction(3u).held(), 3);
  EXPECT_EQ(correction(3.0).held(), 3);
  EXPECT_EQ(correction(-0.0).held(), 0);
  EXPECT_EQ(correction(INT64_MAX).held(), INT64_MAX);
  EXPECT_EQ(correction(UINT64_MAX).held(), INT64_MAX);  // more than any count
  EXPECT_EQ(correction(-2).held(), -2);
  EXPECT_EQ(correction(3), correction(3.0f));
  EXPECT_TRUE(correction(0x1p62).is_integer());
}

TEST(correction, holds_every_other_number_below_all_integers) {
  for (const double c : {0.5, 0.1, 0x1p-1074, 1e-300, 0x1p52 - 0.5, 0x1p63, 1e300, std::nextafter(1.0, 2.0)}) {
    const std::int64_t held = correction(c).held();
    EXPECT_LT(held, correction::least_held_integer);
    EXPECT_FALSE(correction::holds_integer(held));
    EXPECT_EQ(correction::of_held(held).value(), c);
    EXPECT_EQ(correction::of_held(held), correction(c));
    EXPECT_TRUE(correction(c).is_valid());
  }
  for (const std::int64_t c : {INT64_C(0), INT64_C(1), INT64_C(-1), INT64_MAX, correction::least_held_integer}) {
    EXPECT_TRUE(correction::holds_integer(c));
    EXPECT_EQ(correction::of_held(c).held(), c);
  }
}

TEST(correction, is_finite_and_not_negative) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(correction(0).is_valid());
  for (const double c : {-1.0, -0.5, -1e300, infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_FALSE(correction(c).is_valid()) << c;
    EXPECT_FALSE(correction(c) == correction(0)) << c;
  }
  EXPECT_FALSE(correction(-1).is_valid());
}

}  // namespace
}  // namespace multifold
