// Means of sums that are doubles, by one division: right wherever the double of the quotient tells.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "host/exact/lower.hpp"
#include "random_bits.hpp"

namespace {

using namespace multifold;
using multifold::host::round_quotient;

// (2 j + 1) n + d over n: beside the middle of two neighbours of 24 bits, by less than a double shows.
TEST(quotient, beside_a_middle_is_not_rounded_twice) {
  test::random_bits random(5);
  int hidden = 0;
  for (int i = 0; i < 200000; ++i) {
    const std::int64_t j = (INT64_C(1) << 23) + static_cast<std::int64_t>(random() >> 41);
    const std::int64_t count = (INT64_C(1) << 28) + static_cast<std::int64_t>(random() >> 32);
    const int128_t middle = static_cast<int128_t>(2 * j + 1) * count;
    for (const int d : {-7, -3, -1, 1, 2, 5, 1000}) {
      const double sum = static_cast<double>(middle + d);
      if (static_cast<int128_t>(sum) != middle + d) continue;
      const double sign = random() % 2 == 0 ? 1.0 : -1.0;
      float found = 0;
      hidden += sum / static_cast<double>(count) == static_cast<double>(2 * j + 1) ? 1 : 0;
      if (!round_quotient(sign * sum, count, found)) continue;
      ASSERT_EQ(found, static_cast<float>(sign) * static_cast<float>(d < 0 ? 2 * j : 2 * j + 2)) << j << ' ' << count;
    }
  }
  EXPECT_GT(hidden, 100);
}

TEST(quotient, any_of_f64_and_none_that_hides_something) {
  double wide = 0;
  EXPECT_TRUE(round_quotient(1.0, 3, wide));
  EXPECT_EQ(wide, 1.0 / 3);
  EXPECT_TRUE(round_quotient(-0x1p-1074, 2, wide));
  EXPECT_EQ(wide, 0.0);
  EXPECT_TRUE(std::signbit(wide));
  EXPECT_FALSE(round_quotient(0.0, 3, wide));
  EXPECT_FALSE(round_quotient(1.0, (INT64_C(1) << 53) + 1, wide));
  float narrow = 0;
  EXPECT_FALSE(round_quotient(-0.0, 3, narrow));
  EXPECT_FALSE(round_quotient(0x1p-126 * (1 - 0x1p-30), 1, narrow));
  EXPECT_TRUE(round_quotient(0x1p-126, 1, narrow));
  EXPECT_EQ(narrow, 0x1p-126f);
  EXPECT_FALSE(round_quotient(16777217.0, 1, narrow));
  EXPECT_TRUE(round_quotient(16777218.0, 1, narrow));
  EXPECT_EQ(narrow, 16777218.0f);
  EXPECT_TRUE(round_quotient(0x1p128, 1, narrow));
  EXPECT_EQ(narrow, std::numeric_limits<float>::infinity());
  EXPECT_FALSE(round_quotient(std::numeric_limits<double>::quiet_NaN(), 1, narrow));
  f16 half{};
  EXPECT_FALSE(round_quotient(65520.0, 1, half));
  EXPECT_TRUE(round_quotient(65519.0, 1, half));
  EXPECT_EQ(to_double(half), 65504.0);
  bf16 brain{};
  EXPECT_TRUE(round_quotient(10.0, 3, brain));
  EXPECT_EQ(to_double(brain), 3.328125);
}

}  // namespace
