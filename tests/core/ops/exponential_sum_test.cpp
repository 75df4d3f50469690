// Sums of exponentials beside MPFR, whose range has no end here.
#include "multifold/ops/exponential_sum.hpp"
#include "random_bits.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace multifold {
namespace {

class mpfr_number {
 public:
  explicit mpfr_number(double x = 0) {
    mpfr_init2(value, 2400);
    mpfr_set_d(value, x, MPFR_RNDN);
  }
  ~mpfr_number() { mpfr_clear(value); }
  mpfr_number(const mpfr_number&) = delete;
  mpfr_number& operator=(const mpfr_number&) = delete;

  mpfr_t value;
};

// From the greatest down, so that exponents stay in MPFR's range.
double difference_from_logarithm(const std::vector<double>& x, double found) {
  const mpfr_number greatest(*std::max_element(x.begin(), x.end()));
  mpfr_number sum, each;
  for (const double element : x) {
    mpfr_set_d(each.value, element, MPFR_RNDN);
    mpfr_sub(each.value, each.value, greatest.value, MPFR_RNDN);
    if (mpfr_cmp_d(each.value, -3000) < 0) continue;
    mpfr_exp(each.value, each.value, MPFR_RNDN);
    mpfr_add(sum.value, sum.value, each.value, MPFR_RNDN);
  }
  mpfr_log(sum.value, sum.value, MPFR_RNDN);
  mpfr_add(sum.value, sum.value, greatest.value, MPFR_RNDN);
  mpfr_sub_d(sum.value, sum.value, found, MPFR_RNDN);
  return mpfr_get_d(sum.value, MPFR_RNDN);
}

exponential_sum sum_of(const std::vector<double>& x) {
  exponential_sum sum;
  for (const double each : x) sum.add(each);
  return sum;
}

void expect_near(const std::vector<double>& x, const exponential_sum& sum) {
  const double found = sum.logarithm(), off = difference_from_logarithm(x, found);
  ASSERT_LE(std::fabs(off), 0x1p-50 + 0x1p-51 * std::fabs(found)) << x.size() << " elements, " << found;
}

std::vector<double> random_elements(test::random_bits& random, std::size_t count, double size) {
  std::normal_distribution<double> normal;
  std::vector<double> x(count);
  for (double& each : x) each = size * normal(random);
  return x;
}

TEST(exponential_sum, is_near_the_logarithm_whatever_the_elements_are) {
  test::random_bits random(11);
  for (const double size : {1e-300, 1e-9, 0.1, 1.0, 30.0, 1000.0, 3e5, 0x1p19, 0x1p20, 0x1p21, 1e9, 1e20, 1e300}) {
    for (int i = 0; i < 40; ++i) {
      const std::vector<double> x = random_elements(random, 1 + random() % 60, size);
      ASSERT_NO_FATAL_FAILURE(expect_near(x, sum_of(x))) << size;
    }
  }
}

// Where elements begin to count from another anchor.
TEST(exponential_sum, is_near_it_on_both_sides_of_an_anchor) {
  test::random_bits random(12);
  for (const double middle : {0x1p19, -0x1p19, 0x1.8p20, -0x1.8p20, 0x1.8p40, 0x1p53}) {
    for (int i = 0; i < 40; ++i) {
      std::vector<double> x = random_elements(random, 1 + random() % 60, i % 2 == 0 ? 1.0 : 300.0);
      for (double& each : x) each += middle;
      ASSERT_NO_FATAL_FAILURE(expect_near(x, sum_of(x))) << middle;
    }
  }
}

TEST(exponential_sum, loses_nothing_as_elements_grow) {
  std::vector<double> x(20000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.01 * static_cast<double>(i);
  expect_near(x, sum_of(x));
  std::reverse(x.begin(), x.end());
  expect_near(x, sum_of(x));
}

// Each a hundred thousand times: what is rounded on the way would show.
TEST(exponential_sum, of_many_elements_rounds_no_more_than_of_few) {
  constexpr int times = 100000;
  test::random_bits random(14);
  const std::vector<double> x = random_elements(random, 12, 1.0);
  exponential_sum sum;
  for (int i = 0; i < times; ++i) {
    for (const double each : x) sum.add(each);
  }
  const mpfr_number count(times);
  mpfr_number log;
  mpfr_log(log.value, count.value, MPFR_RNDN);
  const double expected = difference_from_logarithm(x, sum.logarithm()) + mpfr_get_d(log.value, MPFR_RNDN);
  EXPECT_NEAR(expected, 0, 0x1p-49);
}

TEST(exponential_sum, of_parts_is_near_it_however_they_are_cut) {
  test::random_bits random(13);
  for (const double size : {1.0, 700.0, 0x1p19, 0x1p21}) {
    for (int i = 0; i < 60; ++i) {
      const std::vector<double> x = random_elements(random, 2 + random() % 60, size);
      std::vector<exponential_sum> parts;
      for (std::size_t at = 0; at < x.size();) {
        const std::size_t end = std::min(x.size(), at + random() % 9);
        parts.push_back(
            sum_of({x.begin() + static_cast<std::ptrdiff_t>(at), x.begin() + static_cast<std::ptrdiff_t>(end)}));
        at = end;
      }
      while (parts.size() > 1) {
        const std::size_t into = random() % (parts.size() - 1);
        parts[into].add(parts[into + 1]);
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(into + 1));
      }
      ASSERT_NO_FATAL_FAILURE(expect_near(x, parts.front())) << size;
    }
  }
}

// Within a part and from part to part by almost all that leaves the power of 2 as it is.
TEST(exponential_sum, of_parts_that_grow_is_near_it) {
  test::random_bits random(15);
  std::uniform_real_distribution<double> step(350, 480);
  for (int i = 0; i < 100; ++i) {
    std::vector<double> x{0};
    exponential_sum sum = sum_of(x);
    for (int part = 0; part < 6; ++part) {
      const double from = x.back() + step(random) * static_cast<double>(random() % 2);
      const std::vector<double> next{from, from + step(random)};
      sum.add(sum_of(next));
      x.insert(x.end(), next.begin(), next.end());
      ASSERT_NO_FATAL_FAILURE(expect_near(x, sum));
    }
  }
}

TEST(exponential_sum, has_the_values_that_limits_have) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  EXPECT_EQ(sum_of({}).logarithm(), -infinity);
  EXPECT_EQ(sum_of({-infinity, -infinity}).logarithm(), -infinity);
  EXPECT_EQ(sum_of({-infinity, 2.0}).logarithm(), 2.0);
  EXPECT_EQ(sum_of({1.0, infinity, -infinity}).logarithm(), infinity);
  EXPECT_TRUE(std::isnan(sum_of({1.0, nan, 2.0}).logarithm()));
  EXPECT_TRUE(std::isnan(sum_of({infinity, nan}).logarithm()));
  EXPECT_EQ(sum_of({-0.0}).logarithm(), 0.0);
  EXPECT_EQ(sum_of({std::numeric_limits<double>::max()}).logarithm(), std::numeric_limits<double>::max());
  EXPECT_EQ(sum_of({std::numeric_limits<double>::lowest()}).logarithm(), std::numeric_limits<double>::lowest());
  exponential_sum both = sum_of({infinity});
  both.add(sum_of({nan}));
  EXPECT_TRUE(std::isnan(both.logarithm()));
}

}  // namespace
}  // namespace multifold
