// Near values to narrow formats: what is certain is what both ends of the error round to, and few others are not.
#include "multifold/exact/near/rough_near.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "core/exact/data.hpp"
#include "core/exact/oracle.hpp"

namespace multifold {
namespace {

using detail::near_value;
using testing_oracle::bits_of;
using testing_oracle::format_of;
using testing_oracle::rational;
using engine = testing_data::engine;

template <floating_storage T>
class rough_near : public ::testing::Test {
 protected:
  engine random{1};

  /// Of any exponent that the format has, and some that it has not; the low part and the error are as great as they like.
  near_value any() {
    const auto of_bits = [&](int exponent) {
      return std::ldexp(static_cast<double>(static_cast<std::int64_t>(random()) | 1), exponent - 63);
    };
    const int exponent = static_cast<int>(random() % 320) - 170;
    const double high = of_bits(exponent), low = of_bits(exponent - 20 - static_cast<int>(random() % 50));
    const double error = std::fabs(of_bits(exponent - 2 - static_cast<int>(random() % 80)));
    return {high, low, random() % 8 == 0 ? 0.0 : error};
  }
};
using narrow = ::testing::Types<f16, bf16, float>;
TYPED_TEST_SUITE(rough_near, narrow);

TYPED_TEST(rough_near, is_what_both_ends_round_to) {
  int certain = 0;
  for (int i = 0; i < 20000; ++i) {
    const near_value v = this->any();
    TypeParam found;
    if (!detail::round_if_near(v, found)) continue;
    ++certain;
    for (const double end : {-v.error, 0.0, v.error}) {
      const mpq_class at = rational(v.high) + rational(v.low) + rational(end);
      ASSERT_EQ(testing_oracle::nearest<TypeParam>(at), bits_of(found)) << v.high << ' ' << v.low << ' ' << v.error;
    }
  }
  EXPECT_GT(certain, 8000);
}

TYPED_TEST(rough_near, is_certain_where_the_error_is_far_below_the_last_place) {
  int certain = 0;
  for (int i = 0; i < 10000; ++i) {
    near_value v = this->any();
    v.error = std::ldexp(std::fabs(v.high), -format_of<TypeParam>().precision - 10);
    TypeParam found;
    certain += detail::round_if_near(v, found) ? 1 : 0;
  }
  EXPECT_GT(certain, 9900);
}

TYPED_TEST(rough_near, knows_nothing_of_zeros_ties_and_what_is_unknown) {
  TypeParam found;
  const double tie = 1 + std::ldexp(1.0, -format_of<TypeParam>().precision);
  for (const near_value& v :
       {near_value{0.0, 0.0, 0.0}, near_value{0.0, 0.0, 1.0}, near_value{tie, 0.0, 0.0}, near_value{tie, 0.0, 0x1p-100},
        near_value{1.0, 0.0, 2.0}, detail::unknown_value(), near_value{HUGE_VAL, 0.0, 0.0},
        near_value{1.0, 0.0, std::numeric_limits<double>::quiet_NaN()}})
    EXPECT_FALSE(detail::round_if_near(v, found)) << v.high << ' ' << v.error;
}

}  // namespace
}  // namespace multifold
