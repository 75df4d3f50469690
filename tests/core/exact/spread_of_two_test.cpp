// Variances and deviations of two numbers beside rational arithmetic: whatever is written is right, and hardly anything
// is not.
#include "multifold/exact/expansions/spread_of_two.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "core/exact/data.hpp"
#include "core/exact/oracle.hpp"

namespace multifold {
namespace {

using testing_oracle::bits_of;
using testing_oracle::rational;
using engine = testing_data::engine;

template <floating_storage T>
class spreads_of_two : public ::testing::Test {};

using formats = ::testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(spreads_of_two, formats);

// How many of a variance and a deviation with a correction of 0 and 1 are known; those that are have to be right.
template <floating_storage T>
int known(T x, T y) {
  int found = 0;
  const mpq_class difference = rational(to_double(x)) - rational(to_double(y));
  for (const std::int64_t correction : {0, 1}) {
    const mpq_class variance = difference * difference / (2 * (2 - correction));
    for (const bool has_root : {false, true}) {
      T out{};
      if (!detail::round_spread_of_two(to_double(x), to_double(y), correction, has_root, out)) continue;
      ++found;
      bool right;
      if (variance == 0) right = bits_of(out) == 0;
      else if (has_root) right = testing_oracle::is_nearest_root<T>(variance, bits_of(out));
      else right = bits_of(out) == testing_oracle::nearest<T>(variance);
      EXPECT_TRUE(right) << to_double(x) << " and " << to_double(y) << ", " << correction << ", " << has_root << ": "
                         << to_double(out);
    }
  }
  return found;
}

TYPED_TEST(spreads_of_two, of_ordinary_data_are_known) {
  engine random(1301);
  std::normal_distribution<double> normal;
  int found = 0;
  constexpr int trials = 20000;
  for (int i = 0; i < trials && !this->HasFailure(); ++i) {
    const double scale = i % 2 == 0 ? 1.0 : std::exp(10 * normal(random));
    found += known(testing_data::clamped<TypeParam>(normal(random) * scale),
                   testing_data::clamped<TypeParam>(i % 16 == 0 ? 0.0 : normal(random)));
  }
  EXPECT_GT(found, trials * 4 * 999 / 1000);
}

TYPED_TEST(spreads_of_two, of_any_finite_bits) {
  engine random(1302);
  for (int i = 0; i < 40000 && !this->HasFailure(); ++i) {
    const auto x = testing_data::random_finite<TypeParam>(random);
    known(x, i % 4 == 0 ? testing_data::negated(x) : testing_data::random_finite<TypeParam>(random));
  }
}

// Neighbours, and numbers that a few places are between: most of their deviations are in the middle of two results.
TYPED_TEST(spreads_of_two, of_numbers_close_by) {
  engine random(1303);
  for (int i = 0; i < 40000 && !this->HasFailure(); ++i) {
    const auto bits = bits_of(testing_data::random_finite<TypeParam>(random));
    const auto x = testing_oracle::from_bits<TypeParam>(bits),
               y = testing_oracle::from_bits<TypeParam>(bits ^ (random() >> (40 + random() % 24)) % 1024);
    if (!(std::fabs(to_double(y)) < std::numeric_limits<double>::infinity())) continue;
    known(x, y);
  }
}

// A square that is in the middle of two results, and the least there is beside it.
TYPED_TEST(spreads_of_two, beside_ties) {
  engine random(1304);
  constexpr int precision = testing_oracle::format_of<TypeParam>().precision;
  for (int i = 0; i < 40000 && !this->HasFailure(); ++i) {
    const auto bits = 1 + static_cast<int>(random() % static_cast<unsigned>(precision));
    const auto x = static_cast<double>(random() >> (64 - bits));
    const double y = std::ldexp(random() % 2 == 0 ? 1.0 : -1.0, -static_cast<int>(random() % 24));
    known(detail::nearest<TypeParam>(x / 64), detail::nearest<TypeParam>(y / 64));
  }
}

TYPED_TEST(spreads_of_two, of_what_is_not_finite_are_not_known) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const double x : {infinity, -infinity, nan}) {
    for (const double y : {infinity, -infinity, nan, 0.0, -1.0}) {
      for (const bool has_root : {false, true}) {
        TypeParam out{};
        EXPECT_FALSE(detail::round_spread_of_two(x, y, 0, has_root, out));
        EXPECT_FALSE(detail::round_spread_of_two(y, x, 1, has_root, out));
      }
    }
  }
}

TYPED_TEST(spreads_of_two, know_no_other_correction) {
  TypeParam out{};
  for (const std::int64_t correction : {-1, 2, 3}) {
    EXPECT_FALSE(detail::round_spread_of_two(1.0, 2.0, correction, false, out));
    EXPECT_FALSE(detail::round_spread_of_two(1.0, 1.0, correction, true, out));
  }
}

}  // namespace
}  // namespace multifold
