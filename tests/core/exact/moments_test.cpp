// Means, norms, variances and covariances of exact sums, correctly rounded: against rational numbers.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "core/exact/data.hpp"
#include "core/exact/oracle.hpp"
#include "multifold/error.hpp"
#include "multifold/exact.hpp"

namespace multifold {
namespace {

using testing_oracle::bits_of;
using testing_oracle::from_bits;
using testing_oracle::integer_of;
using testing_oracle::is_nearest_root;
using testing_oracle::nearest;
using testing_oracle::rational;
using testing_oracle::scaled;

template <floating_storage T>
class exact_moments : public ::testing::Test {};

using elements = ::testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(exact_moments, elements);

mpq_class count_of(std::int64_t n) { return mpq_class(mpz_class(static_cast<long>(n))); }

void expect_nearest_everywhere(const exact_value& found, const mpq_class& expected) {
  ASSERT_EQ(found.zero(), expected == 0);
  if (found.zero()) return;  // signs of zero have tests of their own
  ASSERT_EQ(round_to<f16>(found).bits, nearest<f16>(expected));
  ASSERT_EQ(round_to<bf16>(found).bits, nearest<bf16>(expected));
  ASSERT_EQ(bits_of(round_to<float>(found)), nearest<float>(expected));
  ASSERT_EQ(bits_of(round_to<double>(found)), nearest<double>(expected));
}

void expect_root_everywhere(const exact_value& found, const mpq_class& square) {
  ASSERT_TRUE(is_nearest_root<f16>(square, round_to<f16>(found).bits));
  ASSERT_TRUE(is_nearest_root<bf16>(square, round_to<bf16>(found).bits));
  ASSERT_TRUE(is_nearest_root<float>(square, bits_of(round_to<float>(found))));
  ASSERT_TRUE(is_nearest_root<double>(square, bits_of(round_to<double>(found))));
}

template <floating_storage T>
struct moments {
  exact_sum<T> x, y;
  exact_dot<T> xx, xy;
  mpq_class sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;

  void add(T a, T b) {
    x.add(a);
    y.add(b);
    xx.add_product(a, a);
    xy.add_product(a, b);
    const mpq_class p = rational(to_double(a)), q = rational(to_double(b));
    sum_x += p;
    sum_y += q;
    sum_xx += p * p;
    sum_xy += p * q;
  }

  void check() const {
    const mpq_class n = count_of(x.counters().n);
    ASSERT_NO_FATAL_FAILURE(expect_nearest_everywhere(exact_mean(x), sum_x / n));
    ASSERT_NO_FATAL_FAILURE(expect_nearest_everywhere(exact_mean(xy), sum_xy / n));
    ASSERT_NO_FATAL_FAILURE(expect_root_everywhere(exact_root(xx), sum_xx));
    for (const std::int64_t ddof : {0, 1, -3}) {
      if (ddof >= x.counters().n) continue;
      const mpq_class divisor = n * (n - count_of(ddof));
      const mpq_class variance = (n * sum_xx - sum_x * sum_x) / divisor;
      const mpq_class covariance = (n * sum_xy - sum_x * sum_y) / divisor;
      const exact_value found = exact_variance(x, xx, ddof);
      ASSERT_NO_FATAL_FAILURE(expect_nearest_everywhere(found, variance));
      ASSERT_NO_FATAL_FAILURE(expect_root_everywhere(exact_root(found), variance));
      ASSERT_NO_FATAL_FAILURE(expect_nearest_everywhere(exact_covariance(x, y, xy, ddof), covariance));
    }
  }
};

TYPED_TEST(exact_moments, are_correctly_rounded_for_every_kind_of_data) {
  testing_data::engine random(51);
  for (const int count : {1, 2, 3, 7, 100}) {
    auto sets = testing_data::ordinary_data<TypeParam>(random, count);
    for (auto& set : testing_data::hard_data<TypeParam>(random, count)) sets.push_back(std::move(set));
    for (const auto& set : sets) {
      SCOPED_TRACE(set.name + ", " + std::to_string(count));
      moments<TypeParam> m;
      for (std::size_t i = 0; i < set.values.size(); ++i) {
        m.add(set.values[i], testing_data::random_finite<TypeParam>(random));
      }
      ASSERT_NO_FATAL_FAILURE(m.check());
    }
  }
}

TYPED_TEST(exact_moments, of_many_pairs_of_random_bits) {
  testing_data::engine random(52);
  for (int round = 0; round < 200; ++round) {
    moments<TypeParam> m;
    const auto count = 1 + random() % 5;
    for (std::uint64_t i = 0; i < count; ++i) {
      m.add(testing_data::random_finite<TypeParam>(random), testing_data::random_finite<TypeParam>(random));
    }
    ASSERT_NO_FATAL_FAILURE(m.check());
  }
}

// x - mean in one pass: a variance that plain one-pass sums lose altogether.
TYPED_TEST(exact_moments, small_variance_around_a_large_mean) {
  testing_data::engine random(53);
  const auto base = bits_of(testing_data::clamped<TypeParam>(30000));
  moments<TypeParam> m;
  for (int i = 0; i < 500; ++i)
    m.add(from_bits<TypeParam>(base + random() % 3), from_bits<TypeParam>(base - random() % 3));
  ASSERT_NO_FATAL_FAILURE(m.check());
}

// Quotients on a tie, and as close to one as a count allows: sums that are made for their mean.
TYPED_TEST(exact_moments, means_that_are_ties_or_nearly) {
  testing_data::engine random(54);
  using format = exact_traits<TypeParam>;
  constexpr int p = testing_oracle::format_of<TypeParam>().precision;
  for (int round = 0; round < 2000; ++round) {
    const std::int64_t n = static_cast<std::int64_t>(random() >> (1 + random() % 62)) | 1;
    const auto odd = static_cast<std::int64_t>((random() >> (63 - p)) | 1);  // one bit too many
    const auto shift = random() % (32 * format::limb_count - 2 * 63);
    mpz_class total = (mpz_class(static_cast<long>(odd)) * mpz_class(static_cast<long>(n))) << shift;
    total += static_cast<int>(random() % 3) - 1;
    if (random() % 2 != 0) total = -total;
    auto sum = testing_oracle::sum_of<format>(total);
    sum.add_counts({n - 1, 0, 0, 0, n - 1});
    ASSERT_EQ(integer_of(sum), total);
    ASSERT_NO_FATAL_FAILURE(
        expect_nearest_everywhere(exact_mean(sum), scaled(total, format::unit_exponent) / count_of(n)));
  }
}

// Squares of numbers with one bit too many, and one bit more or less at every distance below.
TYPED_TEST(exact_moments, roots_that_are_ties_or_nearly) {
  testing_data::engine random(55);
  using format = exact_product_traits<TypeParam>;
  for (const int p : {8, 11, 24, 53}) {
    for (unsigned i = 0; i < 4 * 140; ++i) {
      // p + 1 bits that end in 01 or 11 and begin with 100 or 111: both parities, and both of the square's width.
      const std::uint64_t leading = (i & 1) != 0 ? std::uint64_t{7} << (p - 2) : std::uint64_t{1} << p;
      const std::uint64_t last = 1 + (i & 2);
      const mpz_class root(static_cast<unsigned long>(leading | ((random() >> (68 - p)) << 2) | last));
      const mpz_class tie = (root * root) << 300, least = mpz_class(1) << (300 - i / 4);
      for (const mpz_class& square : {tie, mpz_class(tie - least), mpz_class(tie + least)}) {
        const exact_value found = exact_root(testing_oracle::sum_of<format>(square));
        ASSERT_NO_FATAL_FAILURE(expect_root_everywhere(found, scaled(square, format::unit_exponent)));
      }
    }
  }
}

// The largest numbers there are, as often as can be counted: no step of the integers overflows.
TYPED_TEST(exact_moments, at_the_end_of_the_range_and_of_the_count) {
  const TypeParam largest = from_bits<TypeParam>(testing_data::infinity_bits<TypeParam> - 1);
  const mpq_class x = rational(to_double(largest)), n = count_of(INT64_MAX);
  exact_sum<TypeParam> sum, power;
  exact_dot<TypeParam> squares, power_squares, products;
  power.add(largest);
  power_squares.add_product(largest, largest);
  for (int i = 0; i < 63; ++i) {
    sum.merge(power);
    squares.merge(power_squares);
    if (i == 62) break;
    power.merge(power);
    power_squares.merge(power_squares);
  }
  ASSERT_NO_FATAL_FAILURE(expect_nearest_everywhere(exact_mean(sum), x));
  ASSERT_NO_FATAL_FAILURE(expect_root_everywhere(exact_root(squares), n * x * x));
  EXPECT_TRUE(exact_variance(sum, squares).zero());

  // 2^62 of x, and the rest of -x: a variance of nearly x^2; and their products with x.
  exact_sum<TypeParam> mixed = power;
  exact_sum<TypeParam> minus_one;
  minus_one.add(testing_data::negated(largest));
  exact_dot<TypeParam> minus_product;
  minus_product.add_product(largest, testing_data::negated(largest));
  products = power_squares;
  for (int i = 0; i < 62; ++i) {
    mixed.merge(minus_one);
    products.merge(minus_product);
    minus_one.merge(minus_one);
    minus_product.merge(minus_product);
  }
  ASSERT_EQ(mixed.counters().n, INT64_MAX);
  const mpq_class balance = x;  // 2^62 - (2^62 - 1) times x
  for (const std::int64_t ddof : {std::int64_t{0}, std::int64_t{1}, INT64_MAX - 1, INT64_MIN}) {
    const mpq_class divisor = n * (n - count_of(ddof));
    const mpq_class variance = (n * (n * x * x) - balance * balance) / divisor;
    const exact_value found = exact_variance(mixed, squares, ddof);
    ASSERT_NO_FATAL_FAILURE(expect_nearest_everywhere(found, variance));
    ASSERT_NO_FATAL_FAILURE(expect_root_everywhere(exact_root(found), variance));
    const mpq_class covariance = (n * (balance * x) - balance * (n * x)) / divisor;
    ASSERT_NO_FATAL_FAILURE(expect_nearest_everywhere(exact_covariance(mixed, sum, products, ddof), covariance));
  }
}

TEST(exact_covariance, of_different_numbers_of_inputs_is_refused) {
  exact_sum<float> x, y;
  exact_dot<float> xy;
  x.add(1);
  xy.add_product(1, 2);
  EXPECT_THROW(exact_covariance(x, y, xy), shape_error);
  EXPECT_THROW(exact_variance(y, xy), shape_error);
  y.add(2);
  EXPECT_TRUE(exact_covariance(x, y, xy).zero());
}

}  // namespace
}  // namespace multifold
