// Sums in two windows that may round, expansions whose last part does, and what both say that they are off by, beside
// rational arithmetic: of any exponents, and of any number of lanes.
#include "multifold/exact/near/near_windows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/exact/data.hpp"
#include "core/exact/oracle.hpp"

namespace multifold {
namespace {

using testing_oracle::rational;
using engine = testing_data::engine;

struct wild_numbers {
  engine random{1501};
  int least = 0, binades = 1;

  double operator()() {
    const double significand = 1.0 + static_cast<double>(random() >> 12) * 0x1p-52;
    const double x = std::ldexp(significand, least + static_cast<int>(random() % static_cast<unsigned>(binades)));
    if (random() % 8 == 0) return 0;
    return random() % 2 == 0 ? x : -x;
  }
};

exponent_range<double> range_of(const std::vector<double>& all) {
  magnitude_scan<double> scan;
  for (const double x : all) scan.see(x);
  return exponent_range<double>(scan);
}

// The lanes of a group add up their windows pair by pair.
void merge_lanes(std::vector<window_sums<2>>& of) {
  for (std::size_t step = of.size() / 2; step > 0; step /= 2) {
    for (std::size_t i = 0; i < step; ++i) {
      for (int k = 0; k < 2; ++k) of[i].sum[k] = detail::plain_sum(of[i].sum[k], of[i + step].sum[k]);
    }
  }
}

// Whether all is as exact as it says; returns how many bits of the greatest magnitude the error leaves.
template <class Add>
double check(const window_layout& by, int count, int lanes, bool exact, double top, const mpq_class& wanted,
             const Add& add) {
  std::vector<window_sums<2>> all(static_cast<std::size_t>(lanes), window_sums<2>(by));
  for (int i = 0; i < count; ++i) add(all[static_cast<std::size_t>(i % lanes)], i);
  for (auto& each : all) each.close(by);
  merge_lanes(all);
  const double error = exact ? 0.0 : detail::near_windows_error(by, count, (count + lanes - 1) / lanes, lanes);
  const mpq_class off = wanted - rational(all[0].sum[0]) - rational(all[0].sum[1]);
  EXPECT_LE(abs(off), rational(error)) << count << " numbers, " << lanes << " lanes";
  return error == 0 ? 200 : std::log2(top / error);
}

TEST(near_windows, are_off_by_no_more_than_they_say) {
  wild_numbers next;
  for (int trial = 0; trial < 1500 && !::testing::Test::HasFailure(); ++trial) {
    const int count = 1 + static_cast<int>(next.random() % (trial % 10 == 0 ? 3000 : 60));
    const int lanes = 1 << next.random() % 7;
    next.binades = 1 + static_cast<int>(next.random() % (trial % 3 == 0 ? 4 : 160));
    next.least = -100 + static_cast<int>(next.random() % 80);
    std::vector<double> x, y;
    mpq_class sum, products;
    for (int i = 0; i < count; ++i) {
      x.push_back(next());
      y.push_back(next());
      sum += rational(x.back());
      products += rational(x.back()) * rational(y.back());
    }
    const auto of_x = range_of(x), of_y = range_of(y);
    if (of_x.none() || of_y.none()) continue;
    const window_layout by(of_x.top(), of_x.bottom(), log_of_count(count));
    const double left = check(by, count, lanes, by.two_are_enough(of_x.bottom()), std::ldexp(1.0, of_x.top()), sum,
                              [&](window_sums<2>& to, int i) { to.add(x[static_cast<std::size_t>(i)]); });
    EXPECT_GT(left, count <= 60 ? 80 : 55);
    const window_layout by_products(of_x.top() + of_y.top(), 0, log_of_count(2 * count));
    check(by_products, count, lanes, by_products.two_are_enough(of_x.bottom() + of_y.bottom()),
          std::ldexp(1.0, of_x.top() + of_y.top()), products, [&](window_sums<2>& to, int i) {
            detail::add_product_roughly(to, x[static_cast<std::size_t>(i)], y[static_cast<std::size_t>(i)]);
          });
  }
}

TEST(near_windows, of_the_greatest_range_that_two_hold_are_exact) {
  // 2^5 numbers below 2^0: the first unit is 2^-46, two windows reach 49 binades further.
  const int count = 32;
  const window_layout by(0, -95, log_of_count(count));
  ASSERT_TRUE(by.two_are_enough(-95));
  ASSERT_FALSE(by.two_are_enough(-96));
  mpq_class sum;
  std::vector<double> all;
  for (int i = 0; i < count; ++i) all.push_back(i % 2 == 0 ? std::nextafter(1.0, 0.0) : (0x1p53 - 1) * 0x1p-95);
  for (const double x : all) sum += rational(x);
  check(by, count, 1, true, 1.0, sum, [&](window_sums<2>& to, int i) { to.add(all[static_cast<std::size_t>(i)]); });
}

TEST(near_windows, far_numbers_are_brought_near_one) {
  for (const int top : {-1073, -1001, -191, 191, 600, 1001, 1024}) {
    const int up = detail::near_exponent(top);
    EXPECT_NE(up, 0);
    EXPECT_LE(std::abs(top - up), 80);
    EXPECT_TRUE(std::isnormal(detail::power_of_two(-up)));
  }
  for (const int top : {-190, 0, 1, 190}) EXPECT_EQ(detail::near_exponent(top), 0);
}

mpq_class times_power(mpq_class x, int exponent) {
  if (exponent < 0) mpq_div_2exp(x.get_mpq_t(), x.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  else mpq_mul_2exp(x.get_mpq_t(), x.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
  return x;
}

TEST(near_windows, factors_of_any_product) {
  engine random(1503);
  for (int trial = 0; trial < 20000; ++trial) {
    double x = testing_data::random_finite<double>(random), y = testing_data::random_finite<double>(random);
    if (trial % 5 == 0) x = std::ldexp(x, -1100);
    if (trial % 7 == 0) y *= 0x1p-1060;
    detail::product_scan scan;
    scan.see(x, y);
    const mpq_class wanted = rational(x) * rational(y);
    EXPECT_EQ(scan.none(), x == 0 || y == 0);
    EXPECT_LT(abs(wanted), times_power(1, scan.top()));
    const int up = scan.top() + static_cast<int>(random() % 1500);
    const detail::near_factors found = detail::factors_near(x, y, up);
    const mpq_class product = rational(found.x) * rational(found.y), scaled = times_power(wanted, -up);
    if (product != 0) {
      EXPECT_EQ(product, scaled);
    } else {
      EXPECT_LT(abs(scaled), times_power(1, -990));
    }
  }
  for (const double x : {HUGE_VAL, -HUGE_VAL, std::numeric_limits<double>::quiet_NaN()}) {
    for (const double y : {0.0, 1.0, 0x1p-1074, -HUGE_VAL}) {
      const detail::near_factors found = detail::factors_near(x, y, 0), turned = detail::factors_near(y, x, 0);
      EXPECT_TRUE(std::isnan(found.x * found.y));
      EXPECT_TRUE(std::isnan(turned.x * turned.y));
    }
  }
}

TEST(near_windows, results_of_any_size_are_rounded_right_or_not_at_all) {
  engine random(1504);
  int known = 0, all = 0;
  for (int trial = 0; trial < 60000 && !::testing::Test::HasFailure(); ++trial) {
    const double high = std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, static_cast<int>(random() % 200));
    const double low = high * 0x1p-54 * (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5);
    const double error = trial % 3 == 0 ? 0.0 : high * 0x1p-80;
    const double sign = trial % 2 == 0 ? 1 : -1;
    int exponent = 0;
    std::frexp(high, &exponent);
    const int to = trial % 4 == 0   ? 1020 + static_cast<int>(random() % 14)
                   : trial % 4 == 1 ? -1085 + static_cast<int>(random() % 70)
                   : trial % 4 == 2 ? static_cast<int>(random() % 4000) - 2000
                                    : static_cast<int>(random() % 2000) - 1000;
    const detail::near_value v{sign * high, sign * low, error};
    double out = 0;
    ++all;
    if (!detail::round_far_if_certain(v, to - exponent, out)) continue;
    ++known;
    const mpq_class exact = times_power(rational(v.high) + rational(v.low), to - exponent);
    for (const double off : {-error, 0.0, error}) {
      const mpq_class value = exact + times_power(rational(off), to - exponent);
      const auto wanted = testing_oracle::nearest<double>(value);
      EXPECT_EQ(testing_oracle::bits_of(out), wanted) << v.high << " " << v.low << " " << to;
    }
  }
  EXPECT_GT(known, all * 97 / 100);
}

template <int Parts>
void add_to_expansions() {
  wild_numbers next;
  for (int trial = 0; trial < 400 && !::testing::Test::HasFailure(); ++trial) {
    next.binades = 1 + static_cast<int>(next.random() % 300);
    next.least = -150;
    mpq_class wanted;
    expansion<Parts> all;
    double off = 0;
    for (int k = 0; k < 3; ++k) {
      expansion<Parts> some;
      for (int i = 0; i < 40; ++i) {
        const double x = next();
        wanted += rational(x);
        off += detail::add_roughly(some, x);
      }
      off += detail::add_roughly(all, some);
    }
    mpq_class found;
    for (const double part : all.part) found += rational(part);
    EXPECT_LE(abs(mpq_class(wanted - found)), rational(off * (1 + 0x1p-40)));
  }
}

TEST(rough_expansions, are_off_by_no_more_than_they_say) {
  add_to_expansions<2>();
  add_to_expansions<3>();
  add_to_expansions<4>();
}

TEST(rough_expansions, are_exact_where_their_parts_hold_everything) {
  expansion<2> sum;
  double off = 0;
  for (const double x : {0x1p60, 1.0, 0x1p-40}) off += detail::add_roughly(sum, x);
  EXPECT_EQ(off, 0);
  EXPECT_EQ(sum.part[0], 0x1p60);
  EXPECT_EQ(sum.part[1], 1 + 0x1p-40);
  EXPECT_EQ(detail::add_roughly(sum, 0x1p-60), 0x1p-60);
}

TEST(rough_expansions, keep_the_sign_of_zeros_and_tell_an_overflow) {
  expansion<2> sum;
  EXPECT_EQ(detail::add_roughly(sum, -0.0), 0);
  EXPECT_TRUE(sum.only_negative_zeros());
  detail::add_roughly(sum, 0x1.fp1023);
  const double off = detail::add_roughly(sum, 0x1.fp1023);
  EXPECT_TRUE(std::isnan(off));
}

TEST(sum_errors, are_never_less_than_what_was_added) {
  engine random(1502);
  std::uniform_int_distribution<int> exponent(-1000, 900), which(0, 2);
  for (int trial = 0; trial < 300; ++trial) {
    detail::sum_errors all;
    mpq_class wanted[3];
    for (int k = 0; k < 4; ++k) {
      detail::sum_errors some;
      for (int i = 0; i < 20; ++i) {
        const int at = which(random);
        const double x = std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, exponent(random));
        wanted[at] += rational(x);
        some.add(at, x);
      }
      all.merge(some);
    }
    for (int at = 0; at < 3; ++at) {
      EXPECT_GE(rational(all[at]), wanted[at]);
      EXPECT_LE(rational(all[at]), wanted[at] * rational(1.1));
    }
  }
}

TEST(sum_errors, of_nothing_are_none_and_of_no_numbers_unknown) {
  detail::sum_errors all;
  EXPECT_TRUE(all.none());
  all.add(1, 0.0);
  EXPECT_TRUE(all.none());
  all.add(1, std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(all.none());
  EXPECT_EQ(all[0], 0);
  EXPECT_EQ(all[1], std::numeric_limits<double>::infinity());
  detail::sum_errors other;
  other.add(2, std::numeric_limits<double>::infinity());
  other.merge(all);
  EXPECT_EQ(other[1], std::numeric_limits<double>::infinity());
  EXPECT_EQ(other[2], std::numeric_limits<double>::infinity());
  other.add(0, 0x1p-1074);
  EXPECT_GE(other[0], 0x1p-1074);
  EXPECT_LT(other[0], 0x1p-1000);
}

}  // namespace
}  // namespace multifold
