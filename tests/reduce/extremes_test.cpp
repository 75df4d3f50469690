// minmax and ptp of ranges: the extremes that min and max give, and their exact difference, rounded once.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "multifold/exact.hpp"
#include "multifold/multifold.hpp"
#include "random_bits.hpp"
#include "reduce/refusal.hpp"

namespace multifold {
namespace {

template <class T>
class Extremes : public testing::Test {};
using elements = testing::Types<std::int8_t, std::uint16_t, std::int32_t, std::uint64_t, f16, bf16, float, double>;
TYPED_TEST_SUITE(Extremes, elements);

TYPED_TEST(Extremes, OfRandomBitsAreThoseOfMinAndMax) {
  using T = TypeParam;
  test::random_bits random(3);
  for (const std::size_t count : {1, 2, 33, 5000, 40'000}) {
    std::vector<T> x(count);
    for (T& element : x) {
      const std::uint64_t bits = random();
      std::memcpy(&element, &bits, sizeof element);
      if constexpr (is_floating(dtype_of<T>)) {
        if (!detail::unpack(element).finite()) element = T{};
      }
    }
    const auto [least, greatest] = minmax(x);
    EXPECT_EQ(std::memcmp(reduce(op_kind::min, x).data.data(), &least, sizeof least), 0);
    EXPECT_EQ(std::memcmp(reduce(op_kind::max, x).data.data(), &greatest, sizeof greatest), 0);
    if constexpr (is_floating(dtype_of<T>)) {
      exact_sum<double> difference;
      if constexpr (sizeof(T) == 2) {
        difference.add(to_double(greatest));
        difference.add(-to_double(least));
      } else {
        difference.add(greatest);
        difference.add(-static_cast<double>(least));
      }
      const T expected = round_to<T>(difference), found = ptp(x);
      EXPECT_EQ(std::memcmp(&found, &expected, sizeof found), 0);
    } else {
      EXPECT_EQ(static_cast<int128_t>(ptp(x)), static_cast<int128_t>(greatest) - static_cast<int128_t>(least));
    }
  }
}

TEST(ExtremesOfRanges, OfSpecialValues) {
  const float x[] = {3, -9, 4, 1, 5, 8};
  EXPECT_EQ(ptp(x), 17);
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(ptp(std::vector<double>{1, nan})));
  EXPECT_TRUE(std::isnan(minmax(std::vector<double>{1, nan}).first));
  EXPECT_EQ(ptp(std::vector<double>{1, inf}), inf);
  EXPECT_TRUE(std::isnan(ptp(std::vector<double>{inf, inf})));
  EXPECT_EQ(ptp(std::vector<double>{-1.7e308, 1.7e308}), inf);
  const bool marks[] = {true, false, true};
  EXPECT_EQ(ptp(marks), 1);
  EXPECT_EQ(minmax(marks), std::make_pair(false, true));
  EXPECT_FALSE(std::signbit(ptp(std::vector<float>{-0.0f})));
}

TEST(ExtremesOfRanges, AreRoundedAsTheResultAndNotAsTheThread) {
  const std::vector<float> x{1, 0x1p-30f};
  std::fesetround(FE_DOWNWARD);
  const float difference = ptp(x);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(difference, 1);
}

TEST(ExtremesOfRanges, Refusals) {
  test::expect_refusal<shape_error>("of no elements has no value", [] { minmax(std::vector<float>{}); });
  test::expect_refusal<shape_error>("of no elements has no value", [] { ptp(std::vector<float>{}); });
  test::expect_refusal<overflow_error>("does not fit i64", [] { ptp(std::vector<std::int64_t>{INT64_MIN, 1}); });
}

}  // namespace
}  // namespace multifold
