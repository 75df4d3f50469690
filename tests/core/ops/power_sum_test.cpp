// Norms of any order against MPFR, of magnitudes from the least to the greatest, and where there is no such norm.
#include "multifold/ops/power_sum.hpp"
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

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A number of 300 bits, with the widest exponents.
class wide {
 public:
  explicit wide(double x = 0) {
    mpfr_init2(x_, 300);
    mpfr_set_d(x_, x, MPFR_RNDN);
  }
  wide(const wide&) = delete;
  wide& operator=(const wide&) = delete;
  ~wide() { mpfr_clear(x_); }
  mpfr_ptr get() { return x_; }

 private:
  mpfr_t x_;
};

void norm_of(const std::vector<double>& x, double order, wide& norm) {
  wide p(order), term;
  for (const double each : x) {
    mpfr_set_d(term.get(), std::fabs(each), MPFR_RNDN);
    mpfr_pow(term.get(), term.get(), p.get(), MPFR_RNDN);
    mpfr_add(norm.get(), norm.get(), term.get(), MPFR_RNDN);
  }
  mpfr_ui_div(p.get(), 1, p.get(), MPFR_RNDN);
  mpfr_pow(norm.get(), norm.get(), p.get(), MPFR_RNDN);
}

power_sum sum_of(const std::vector<double>& x, double order, std::size_t lanes) {
  std::vector<power_sum> some(lanes);
  for (std::size_t i = 0; i < x.size(); ++i) some[i % lanes].add(std::fabs(static_cast<long double>(x[i])), order);
  power_sum all;
  for (const power_sum& each : some) all.merge(each, order);
  return all;
}

// What the norm is off by, of itself.
double error_of(const std::vector<double>& x, double order, std::size_t lanes) {
  wide expected;
  norm_of(x, order, expected);
  const long double found = sum_of(x, order, lanes).norm(order);
  const long double most = std::numeric_limits<long double>::max();
  if (found > most / 2 || found < 0x1p-16000L) return 0;  // no double is near
  wide difference;
  mpfr_set_ld(difference.get(), found, MPFR_RNDN);
  mpfr_sub(difference.get(), difference.get(), expected.get(), MPFR_RNDN);
  mpfr_div(difference.get(), difference.get(), expected.get(), MPFR_RNDN);
  return std::fabs(mpfr_get_d(difference.get(), MPFR_RNDN));
}

TEST(power_sum, is_within_its_bound) {
  test::random_bits random(21);
  std::uniform_real_distribution<double> significand(1, 2), orders(-100, 100), small(-2, 2);
  for (int round = 0; round < 1500; ++round) {
    double order = round % 3 == 0 ? orders(random) : round % 3 == 1 ? small(random) : double(random() % 201) - 100;
    if (round % 50 == 1) order = std::ldexp(order, -static_cast<int>(random() % 40));
    if (order == 0) continue;
    const int spread = round % 4 == 0 ? 1020 : round % 4 == 1 ? 60 : 1;
    std::vector<double> x;
    const std::size_t count = 1 + random() % 60;
    for (std::size_t i = 0; i < count; ++i) {
      const int exponent = static_cast<int>(random() % static_cast<unsigned>(2 * spread)) - spread;
      x.push_back(std::ldexp(significand(random), exponent) * (random() % 2 == 0 ? -1 : 1));
    }
    const double bound = (64 + 256 / std::fabs(order)) * 0x1p-64;
    if (bound > 0x1p-10) continue;
    ASSERT_LE(error_of(x, order, 1 + random() % 9), bound) << order << ", " << count;
  }
}

// Each one greater, and less, than all before: the sum is scaled anew as often as can be.
TEST(power_sum, of_magnitudes_that_rise_or_fall) {
  for (const double order : {0.01, 0.5, 1.0, 2.0, 3.0, 7.5, 100.0, -0.01, -1.0, -3.0, -100.0}) {
    std::vector<double> x;
    for (int k = -1074; k < 1024; ++k) x.push_back(std::ldexp(1.0, k));
    const double bound = (64 + 256 / std::fabs(order)) * 0x1p-64;
    EXPECT_LE(error_of(x, order, 1), bound) << order;
    std::reverse(x.begin(), x.end());
    EXPECT_LE(error_of(x, order, 1), bound) << order;
    EXPECT_LE(error_of(x, order, 7), bound) << order;
  }
}

TEST(power_sum, of_many) {
  std::vector<double> x(100'000, 0.1);
  for (const double order : {1.0, 3.0, 0.25}) EXPECT_LE(error_of(x, order, 8), (64 + 256 / order) * 0x1p-64);
}

TEST(power_sum, of_orders_that_are_no_powers) {
  const std::vector<double> x{-3, 0, 5, -0.0, 1e-320};
  EXPECT_EQ(sum_of(x, 0, 2).norm(0), 3);
  EXPECT_EQ(sum_of(x, infinity, 2).norm(infinity), 5);
  EXPECT_EQ(sum_of(x, -infinity, 2).norm(-infinity), 0);
  EXPECT_EQ(sum_of({-3, 5}, -infinity, 3).norm(-infinity), 3);
  EXPECT_EQ(sum_of({-infinity, 5}, infinity, 2).norm(infinity), infinity);
}

TEST(power_sum, of_zeros_infinities_and_nan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double order : {0.5, 1.0, 3.0}) {
    EXPECT_EQ(sum_of({}, order, 1).norm(order), 0);
    EXPECT_EQ(sum_of({0, -0.0}, order, 1).norm(order), 0);
    EXPECT_EQ(static_cast<double>(sum_of({0, 2}, order, 2).norm(order)), 2);
    EXPECT_EQ(sum_of({0, -infinity, 2}, order, 2).norm(order), infinity);
    EXPECT_EQ(sum_of({}, -order, 1).norm(-order), infinity);
    EXPECT_EQ(sum_of({0, 2}, -order, 2).norm(-order), 0);
    EXPECT_EQ(sum_of({0, infinity}, -order, 2).norm(-order), 0);
    EXPECT_EQ(static_cast<double>(sum_of({infinity, 2}, -order, 2).norm(-order)), 2);
    EXPECT_EQ(sum_of({infinity, infinity}, -order, 2).norm(-order), infinity);
  }
  for (const double order : {0.5, 3.0, -3.0, infinity, -infinity}) {
    EXPECT_TRUE(std::isnan(sum_of({1, nan, infinity, 0}, order, 3).norm(order))) << order;
  }
  EXPECT_EQ(sum_of({1, 2, 2}, 1e-310, 1).norm(1e-310), infinity);
}

}  // namespace
}  // namespace multifold
