// A user's own exact sums of products, where the product stands right in front of the sum.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/exact/oracle.hpp"
#include "multifold/exact/expansions/pair.hpp"
#include "multifold/exact/near/near.hpp"
#include "multifold/ops/product.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

// Functions of their own: a product that is stored as well would not be contracted.
[[gnu::noinline]] exact_pair sum_of_squares(const std::vector<double>& x) {
  exact_pair sum;
  for (const double e : x) sum = sum + e * e;
  return sum;
}
[[gnu::noinline]] exact_pair sum_of_pairs(const std::vector<double>& x) {
  exact_pair sum;
  for (const double e : x) sum = sum + exact_pair{e * e, 0.0};
  return sum;
}
[[gnu::noinline]] double difference(double x, double y, double z) { return detail::plain_product(x, y) - z; }

[[gnu::noinline]] double rounded_product(double x, double y) {
  volatile const double product = x * y;
  return product;
}

std::vector<double> normal_elements(test::random_bits& random) {
  std::normal_distribution<double> normal;
  std::vector<double> x(50);
  for (double& e : x) e = normal(random);
  return x;
}

TEST(contracted, pairs_hold_the_sum_of_the_rounded_squares) {
  test::random_bits random(1);
  for (int round = 0; round < 200; ++round) {
    const std::vector<double> x = normal_elements(random);
    exact_accumulator<exact_traits<double>> expected;
    for (const double e : x) expected.add(rounded_product(e, e));
    for (const exact_pair& sum : {sum_of_squares(x), sum_of_pairs(x)}) {
      ASSERT_FALSE(sum.lost());
      exact_accumulator<exact_traits<double>> rest = expected;
      rest.add(-sum.high);
      rest.add(-sum.low);
      ASSERT_EQ(round_to<double>(exact_total(rest)), 0.0);
    }
  }
}

TEST(contracted, products_are_rounded_by_themselves) {
  test::random_bits random(2);
  std::uniform_real_distribution<double> uniform(1, 2);
  for (int i = 0; i < 1000; ++i) {
    const double x = uniform(random), y = uniform(random);
    ASSERT_EQ(difference(x, y, 1.5), rounded_product(x, y) - 1.5);
  }
}

}  // namespace
}  // namespace multifold
