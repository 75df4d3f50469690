// Expansions: exact or lost, whatever was added, in any order; and rounded as the sum is. The oracle is the
// accumulator.
#include "multifold/exact/expansions/expansion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/exact/data.hpp"
#include "multifold/exact.hpp"
#include "multifold/ops/gathered_sum.hpp"

namespace multifold {
namespace {

using testing_oracle::bits_of;

template <floating_storage T>
class expansion_of : public ::testing::Test {};

using elements = ::testing::Types<bf16, float, double>;
TYPED_TEST_SUITE(expansion_of, elements);

template <floating_storage T>
using sum_of = typename expansion_sum<T>::accumulator;

// Elements [first, end), cut at random.
template <floating_storage T>
sum_of<T> grown(testing_data::engine& random, const std::vector<T>& values, std::size_t first, std::size_t end) {
  const expansion_sum<T> op;
  if (end - first < 2 || random() % 4 == 0) {
    sum_of<T> sum;
    for (std::size_t i = first; i < end; ++i) sum.grow(to_double(values[i]));
    return sum;
  }
  const std::size_t cut = first + random() % (end - first + 1);
  return op.combine(grown(random, values, first, cut), grown(random, values, cut, end));
}

template <floating_storage T>
void expect_sum(const sum_of<T>& sum, const std::vector<T>& values) {
  exact_sum<T> expected;
  for (const T x : values) expected.add(x);
  ASSERT_TRUE(expansion_sum<T>{}.lower(sum, expected.counters().n) == expected);
  sum_of<T> settled = sum;
  ASSERT_TRUE(settled.settle());
  if (settled.part[0] == 0) return;
  ASSERT_EQ(bits_of(detail::nearest_of_settled<T>(settled)), bits_of(round_to<T>(exact_total(expected))));
}

TYPED_TEST(expansion_of, ordinary_data_in_any_order) {
  testing_data::engine random(91);
  for (int turn = 0; turn < 100; ++turn) {
    for (const auto& set : testing_data::ordinary_data<TypeParam>(random, 1 + static_cast<int>(random() % 200))) {
      const auto sum = grown(random, set.values, 0, set.values.size());
      SCOPED_TRACE(set.name);
      if (sum.lost()) continue;
      ASSERT_NO_FATAL_FAILURE(expect_sum<TypeParam>(sum, set.values));
    }
  }
}

TYPED_TEST(expansion_of, any_bits) {
  testing_data::engine random(92);
  int lost = 0;
  for (int turn = 0; turn < 3000; ++turn) {
    std::vector<TypeParam> values(1 + random() % 40);
    for (TypeParam& x : values) x = testing_data::random_finite<TypeParam>(random);
    // Some of it cancels, so that the tail decides.
    if (random() % 2 == 0) values.push_back(testing_data::negated(values[0]));
    const auto sum = grown(random, values, 0, values.size());
    if (sum.lost()) {
      ++lost;
      continue;
    }
    ASSERT_NO_FATAL_FAILURE(expect_sum<TypeParam>(sum, values));
  }
  EXPECT_TRUE(lost == 0 || sizeof(TypeParam) == 8);  // seven parts hold all the bits of the others
}

// Ties of doubles, and what stands far behind them.
TEST(expansion, the_tail_decides_ties) {
  for (const double tie : {0x1p-53, -0x1p-54, 0x3p-53}) {
    for (const double tail : {0.0, 0x1p-200, -0x1p-200}) {
      for (const double sign : {1.0, -1.0}) {
        const std::vector<double> values{sign, sign * tie, sign * tail};
        sum_of<double> sum;
        for (const double x : values) sum.grow(x);
        ASSERT_FALSE(sum.lost());
        ASSERT_NO_FATAL_FAILURE(expect_sum<double>(sum, values));
      }
    }
  }
}

TEST(expansion, specials_and_overflow_are_lost) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double x : {infinity, -infinity, std::nan("")}) {
    sum_of<double> sum;
    sum.grow(1.0);
    sum.grow(x);
    sum.grow(1.0);
    EXPECT_TRUE(sum.lost());
    sum_of<double> other;
    other.grow(sum);
    EXPECT_TRUE(other.lost());
  }
  sum_of<double> sum;
  sum.grow(std::numeric_limits<double>::max());
  sum.grow(std::numeric_limits<double>::max());
  EXPECT_TRUE(sum.lost());
}

TEST(expansion, zeros_keep_their_sign) {
  sum_of<float> sum;
  EXPECT_TRUE(sum.only_negative_zeros());
  sum.grow(-0.0);
  EXPECT_TRUE(sum.only_negative_zeros());
  sum_of<float> other;
  other.grow(0.0);
  sum.grow(other);
  EXPECT_FALSE(sum.only_negative_zeros());
}

}  // namespace
}  // namespace multifold
