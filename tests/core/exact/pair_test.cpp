// Pairs: exact or lost, never anything between. The oracle is the accumulator, which has oracles of its own.
#include "multifold/exact/expansions/pair.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/exact/data.hpp"
#include "multifold/exact.hpp"
#include "multifold/types/float16.hpp"

namespace multifold {
namespace {

using testing_oracle::bits_of;

template <floating_storage T>
class exact_pair_of : public ::testing::Test {};

using elements = ::testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(exact_pair_of, elements);

template <floating_storage T>
exact_sum<T> sum_of(const std::vector<T>& values, std::size_t first, std::size_t end) {
  exact_sum<T> sum;
  for (std::size_t i = first; i < end; ++i) sum.add(values[i]);
  return sum;
}

// Elements [first, end), cut at random.
template <floating_storage T>
exact_pair pair_of(testing_data::engine& random, const std::vector<T>& values, std::size_t first, std::size_t end) {
  if (end - first < 2 || random() % 4 == 0) {
    exact_pair pair;
    for (std::size_t i = first; i < end; ++i) pair = pair + to_double(values[i]);
    return pair;
  }
  const std::size_t cut = first + random() % (end - first + 1);
  return pair_of(random, values, first, cut) + pair_of(random, values, cut, end);
}

template <floating_storage T>
void expect_equal(const exact_pair& pair, const exact_sum<T>& expected) {
  exact_sum<T> sum;
  add_pair(sum, pair, expected.counters().n);
  ASSERT_TRUE(sum == expected);
  const exact_value value = value_of(pair), total = exact_total(expected);
  ASSERT_EQ(bits_of(round_to<f16>(value)), bits_of(round_to<f16>(total)));
  ASSERT_EQ(bits_of(round_to<bf16>(value)), bits_of(round_to<bf16>(total)));
  ASSERT_EQ(bits_of(round_to<float>(value)), bits_of(round_to<float>(total)));
  ASSERT_EQ(bits_of(round_to<double>(value)), bits_of(round_to<double>(total)));
}

TYPED_TEST(exact_pair_of, what_is_not_lost_is_exact) {
  testing_data::engine random(80);
  for (int turn = 0; turn < 200; ++turn) {
    for (const auto& set : testing_data::ordinary_data<TypeParam>(random, 1 + static_cast<int>(random() % 60))) {
      const exact_pair pair = pair_of(random, set.values, 0, set.values.size());
      if (pair.lost()) continue;
      SCOPED_TRACE(set.name);
      ASSERT_NO_FATAL_FAILURE(expect_equal(pair, sum_of(set.values, 0, set.values.size())));
    }
  }
}

TYPED_TEST(exact_pair_of, ordinary_data_is_not_lost) {
  testing_data::engine random(81);
  for (const auto& set : testing_data::ordinary_data<TypeParam>(random, 4096)) {
    if (set.name != "normal" && set.name != "uniform" && set.name != "lognormal 1.000000") continue;
    EXPECT_FALSE(pair_of(random, set.values, 0, set.values.size()).lost()) << set.name;
  }
}

TYPED_TEST(exact_pair_of, any_bits_are_exact_or_lost) {
  testing_data::engine random(82);
  for (int turn = 0; turn < 5000; ++turn) {
    std::vector<TypeParam> values(1 + random() % 5);
    for (TypeParam& x : values) x = testing_data::random_finite<TypeParam>(random);
    if (random() % 2 == 0) values.push_back(testing_data::negated(values[0]));
    const exact_pair pair = pair_of(random, values, 0, values.size());
    if (pair.lost()) continue;
    ASSERT_NO_FATAL_FAILURE(expect_equal(pair, sum_of(values, 0, values.size())));
  }
}

TEST(exact_pair, specials_and_overflow_are_lost) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double greatest = std::numeric_limits<double>::max();
  for (const double x : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE((exact_pair{} + x).lost());
    EXPECT_TRUE((exact_pair{} + 1.0 + x + 1.0).lost());
    EXPECT_TRUE((exact_pair{} + (exact_pair{} + x)).lost());
  }
  EXPECT_TRUE((exact_pair{} + greatest + greatest).lost());
  EXPECT_TRUE((exact_pair{} + greatest + greatest + -greatest).lost());
}

// Both parts together round beyond double, which a mean of them does not.
TEST(exact_pair, sums_just_beyond_the_greatest_number) {
  const double greatest = std::numeric_limits<double>::max();
  for (const double sign : {1.0, -1.0}) {
    const exact_pair pair = exact_pair{} + sign * greatest + sign * 0x1p969 + sign * 0x1p969;
    ASSERT_FALSE(pair.lost());
    EXPECT_EQ(round_to<double>(value_of(pair)), sign * std::numeric_limits<double>::infinity());
    EXPECT_EQ(round_to<double>(exact_quotient(value_of(pair), 4)), sign * 0x1p1022);
    const exact_pair less = pair + sign * -0x1p-1074;
    EXPECT_TRUE(less.lost() || round_to<double>(value_of(less)) == sign * greatest);
  }
}

TEST(exact_pair, zeros_keep_their_sign) {
  const exact_pair none;
  EXPECT_TRUE(std::signbit(round_to<double>(value_of(none + -0.0 + -0.0))));
  EXPECT_FALSE(std::signbit(round_to<double>(value_of(none + -0.0 + 0.0))));
  EXPECT_FALSE(std::signbit(round_to<double>(value_of(none + 1.0 + -1.0))));
  EXPECT_FALSE(std::signbit(round_to<double>(value_of(none + 0x1p-1074 + 1.0 + -1.0 + -0x1p-1074))));
  EXPECT_TRUE(std::signbit(round_to<double>(value_of(none + none))));
}

// A tail far below the last place decides a tie, from either side.
TEST(exact_pair, the_low_part_decides_ties) {
  for (const double tail : {0x1p-60, -0x1p-60, 0x1p-130, -0x1p-130, 0x1p-1074, -0x1p-1074}) {
    exact_sum<double> sum;
    const exact_pair pair = exact_pair{} + 1.0 + 0x1p-24 + tail;
    ASSERT_FALSE(pair.lost());
    for (const double x : {1.0, 0x1p-24, tail}) sum.add(x);
    ASSERT_NO_FATAL_FAILURE(expect_equal(pair, sum));
    EXPECT_EQ(round_to<float>(value_of(pair)), tail > 0 ? 1.0f + 0x1p-23f : 1.0f);
  }
}

}  // namespace
}  // namespace multifold
