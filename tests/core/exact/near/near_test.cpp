// Numbers near a pair: whatever is certain is the rounding of the exact value, and ordinary values are certain.
#include "multifold/exact/near/near.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "core/exact/data.hpp"
#include "core/exact/oracle.hpp"
#include "core/fractional_correction.hpp"

namespace multifold {
namespace {

using detail::near_of;
using detail::near_value;
using detail::round_if_certain;
using testing_oracle::bits_of;
using testing_oracle::format_of;
using testing_oracle::is_nearest_root;
using testing_oracle::rational;
using testing_oracle::scaled;
using engine = testing_data::engine;

template <floating_storage T>
class near_pairs : public ::testing::Test {};

using results = ::testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(near_pairs, results);

mpq_class rational(const exact_pair& pair) { return rational(pair.high) + rational(pair.low); }

// Near 1, at all distances from a number with one bit more than T; the tie itself in one of four.
template <floating_storage T>
exact_pair near_tie(engine& random) {
  constexpr int precision = format_of<T>().precision;
  const auto odd = static_cast<double>((random() >> (64 - precision)) | (std::uint64_t{1} << (precision - 1)));
  exact_pair pair = exact_pair{} + std::ldexp(2 * odd + 1, -precision - 1);
  const auto distance = random() % 4 == 0 ? 0.0 : std::ldexp(1.0, -static_cast<int>(random() % 1070));
  pair = pair + (random() % 2 == 0 ? distance : -distance);
  return random() % 2 == 0 ? pair : exact_pair{-pair.high, -pair.low};
}

exact_pair any_pair(engine& random) {
  const auto high = static_cast<double>(static_cast<std::int64_t>(random()) >> (random() % 63));
  const auto low = static_cast<double>(static_cast<std::int64_t>(random()) >> (random() % 63));
  return exact_pair{} + std::ldexp(high, static_cast<int>(random() % 40) - 60) + std::ldexp(low, -120);
}

std::int64_t any_count(engine& random, int bits) {
  return 1 + static_cast<std::int64_t>(random() >> (64 - 1 - random() % static_cast<unsigned>(bits)));
}

bool within(const near_value& found, const mpq_class& expected) {
  if (std::isinf(found.error) || std::abs(found.high) < 0x1p-900) return true;
  return abs(expected - rational(found.high) - rational(found.low)) <= rational(found.error);
}

bool root_within(const near_value& found, const mpq_class& square) {
  if (!(found.error < found.high)) return true;
  const mpq_class root = rational(found.high) + rational(found.low), error = rational(found.error);
  return (root - error) * (root - error) <= square && square <= (root + error) * (root + error);
}

template <floating_storage T>
bool agrees(const near_value& found, const mpq_class& expected) {
  EXPECT_TRUE(within(found, expected)) << found.high << " " << found.low << " " << found.error;
  T rounded{};
  if (!round_if_certain(found, rounded)) return false;
  EXPECT_EQ(bits_of(rounded), testing_oracle::nearest<T>(expected)) << found.high << " " << found.low;
  return true;
}

TYPED_TEST(near_pairs, sums_round_as_they_do_exactly) {
  engine random(90);
  for (int i = 0; i < 20000 && !this->HasFailure(); ++i) {
    const exact_pair pair = i % 2 == 0 ? near_tie<TypeParam>(random) : any_pair(random);
    if (pair.lost() || rational(pair) == 0) continue;
    ASSERT_EQ(bits_of(detail::nearest<TypeParam>(pair)), testing_oracle::nearest<TypeParam>(rational(pair)));
  }
  EXPECT_EQ(bits_of(detail::nearest<TypeParam>(exact_pair{})), bits_of(detail::nearest<TypeParam>(-0.0)));
}

TYPED_TEST(near_pairs, quotients_of_any_pair) {
  engine random(91);
  int certain = 0;
  for (int i = 0; i < 10000 && !this->HasFailure(); ++i) {
    const std::int64_t count = any_count(random, 52);
    const exact_pair pair = any_pair(random);
    if (pair.lost()) continue;
    certain += agrees<TypeParam>(detail::near_quotient(pair, count), rational(pair) / rational(count));
  }
  EXPECT_GT(certain, 9000);
}

// A value without an error is certain, in the middle between two numbers, too.
TYPED_TEST(near_pairs, exact_values_and_ties) {
  engine random(98);
  for (int i = 0; i < 5000 && !this->HasFailure(); ++i) {
    const exact_pair pair = i % 2 == 0 ? near_tie<TypeParam>(random) : any_pair(random);
    const exact_pair tight = detail::tightened(pair);
    if (pair.lost() || std::abs(tight.high) < 0x1p-800) continue;
    EXPECT_TRUE(agrees<TypeParam>({tight.high, tight.low, 0.0}, rational(pair)));
  }
}

// A tie times a count is a sum, and so is what lies anywhere beside it.
TYPED_TEST(near_pairs, quotients_that_are_ties_or_nearly) {
  engine random(92);
  for (int i = 0; i < 20000 && !this->HasFailure(); ++i) {
    const exact_pair tie = near_tie<TypeParam>(random);
    const std::int64_t count = any_count(random, 40);
    const double high = tie.high * static_cast<double>(count);
    const exact_pair sum = exact_pair{high, std::fma(tie.high, static_cast<double>(count), -high)} + tie.low;
    if (sum.lost()) continue;
    agrees<TypeParam>(detail::near_quotient(sum, count), rational(sum) / rational(count));
  }
}

// Quotients rounded to odd are never uncertain: any of them, those of ties and of what lies anywhere beside them.
TYPED_TEST(near_pairs, quotients_rounded_to_odd) {
  if constexpr (sizeof(TypeParam) < 8) {
    engine random(99);
    for (int i = 0; i < 40000 && !this->HasFailure(); ++i) {
      const std::int64_t count = i % 3 == 0 ? 1 + static_cast<std::int64_t>(random() % 20) : any_count(random, 52);
      exact_pair sum = any_pair(random);
      if (i % 2 == 0) {
        const exact_pair tie = near_tie<TypeParam>(random);
        const double high = tie.high * static_cast<double>(count);
        sum = exact_pair{high, std::fma(tie.high, static_cast<double>(count), -high)} + tie.low;
      }
      if (sum.lost()) continue;
      const exact_pair tight = detail::tightened(sum);
      const auto divisor = static_cast<double>(count);
      const double odd = detail::odd_fraction({tight.high, tight.low}, divisor, 1 / divisor);
      ASSERT_EQ(bits_of(detail::nearest<TypeParam>(odd)),
                testing_oracle::nearest<TypeParam>(rational(sum) / rational(count)))
          << std::hexfloat << tight.high << " " << tight.low << " " << count;
      ASSERT_EQ(bits_of(detail::nearest<TypeParam>(detail::odd_fraction(tight.high, divisor, 1 / divisor))),
                testing_oracle::nearest<TypeParam>(rational(tight.high) / rational(count)));
    }
    for (const double zero : {0.0, -0.0}) {
      EXPECT_EQ(bits_of(detail::odd_fraction({zero, 0.0}, 3.0, 1.0 / 3)), bits_of(zero));
      EXPECT_EQ(bits_of(detail::odd_fraction(zero, 3.0, 1.0 / 3)), bits_of(zero));
    }
  }
}

TYPED_TEST(near_pairs, quotients_of_sums_of_integers) {
  engine random(101);
  int certain = 0;
  for (int i = 0; i < 20000 && !this->HasFailure(); ++i) {
    const int down = static_cast<int>(random() % 100);
    const int128_t sum = static_cast<int128_t>(static_cast<uint128_t>(random()) << 64 | random()) >> down;
    const auto upper = static_cast<std::int64_t>(sum >> 32);
    const std::int64_t count = i % 2 == 0 ? 1 + static_cast<std::int64_t>(random() % 40) : any_count(random, 52);
    const mpq_class expected =
        (scaled(mpz_class(static_cast<long>(upper)), 32) + rational(static_cast<double>(sum & 0xffffffff))) /
        rational(count);
    const near_value found = detail::near_quotient(sum, count, 1.0 / static_cast<double>(count));
    ASSERT_TRUE(down < 43 || !std::isinf(found.error));
    if (std::isinf(found.error) || expected == 0) continue;
    certain += agrees<TypeParam>(found, expected);
  }
  EXPECT_GT(certain, 11000);
}

// Means of a few f64 are often in the middle between two, and never uncertain then.
TEST(near_quotient, of_ties_between_doubles) {
  engine random(100);
  for (int i = 0; i < 20000; ++i) {
    const std::int64_t count = 2 + static_cast<std::int64_t>(random() % 62);
    const auto tie = static_cast<int128_t>(2 * (random() >> 11 | std::uint64_t{1} << 52) + 1) * count;
    const auto high = static_cast<double>(tie);
    const exact_pair sum{high, static_cast<double>(tie - static_cast<int128_t>(high))};
    ASSERT_TRUE(agrees<double>(detail::near_quotient(sum, count), rational(sum) / rational(count))) << count;
  }
}

// Counts that double does not hold: dividing by what they round to is not within the error.
TYPED_TEST(near_pairs, quotients_by_inexact_counts) {
  engine random(95);
  for (int i = 0; i < 2000 && !this->HasFailure(); ++i) {
    const std::int64_t count =
        (std::int64_t{1} << 53) + 1 + 2 * static_cast<std::int64_t>(random() >> (12 + random() % 52));
    const exact_pair sum = exact_pair{} + std::ldexp(1.0, static_cast<int>(random() % 40)) +
                           std::ldexp(static_cast<double>(random() % 1000), -40);
    agrees<TypeParam>(detail::near_quotient(sum, count), rational(sum) / rational(count));
  }
  // 2^53 + 1 over as many is 1, and over 2^53 it is not.
  const std::int64_t count = (std::int64_t{1} << 53) + 1;
  TypeParam rounded{};
  const near_value found = detail::near_quotient(exact_pair{0x1p53, 1.0}, count);
  EXPECT_TRUE(!round_if_certain(found, rounded) || bits_of(rounded) == bits_of(detail::nearest<TypeParam>(1.0)));
}

// The low part of the quotient underflows, and decides all the same.
TEST(near_quotient, of_a_tie_and_the_smallest_number) {
  for (const double tail : {0x1p-1074, -0x1p-1074}) {
    float rounded = 0;
    const near_value found = detail::near_quotient({3 * (1 + 0x1p-24), tail}, 3);
    EXPECT_FALSE(round_if_certain(found, rounded));
    ASSERT_TRUE(round_if_certain(detail::near_quotient({3 * (1 + 0x1p-24), 0.0}, 3), rounded));
    EXPECT_EQ(rounded, 1.0f);
  }
}

TYPED_TEST(near_pairs, covariances_and_roots) {
  engine random(93);
  int certain = 0;
  for (int i = 0; i < 6000 && !this->HasFailure(); ++i) {
    const exact_pair x = any_pair(random), y = random() % 8 == 0 ? exact_pair{0.0, 0.0} : any_pair(random);
    const std::int64_t count = any_count(random, 52);
    // Of the size of x y / count, or so that most of it goes.
    exact_pair products{x.high * y.high / static_cast<double>(count), 0.0};
    if (random() % 2 == 0) products = products + any_pair(random);
    if (x.lost() || y.lost() || products.lost()) continue;
    const std::int64_t correction = std::min<std::int64_t>(count - 1, static_cast<std::int64_t>(random() % 5) - 2);
    const near_value found = detail::near_covariance(near_of(value_of(x)), near_of(value_of(y)),
                                                     near_of(value_of(products)), count, correction);
    const mpq_class n = rational(count), numerator = n * rational(products) - rational(x) * rational(y);
    const mpq_class expected = numerator / (n * (n - rational(correction)));
    certain += agrees<TypeParam>(found, expected);
    const near_value near = detail::near_root(found);
    TypeParam root{};
    ASSERT_TRUE(root_within(near, expected));
    if (round_if_certain(near, root)) {
      ASSERT_TRUE(is_nearest_root<TypeParam>(expected, bits_of(root)));
    }
  }
  EXPECT_GT(certain, 1500);  // where most of it goes, a double often is not
}

// Corrections that leave a fraction of few places, of many, or next to nothing of the count.
TYPED_TEST(near_pairs, covariances_with_fractions_off_the_count) {
  engine random(97);
  int certain = 0;
  for (int i = 0; i < 6000 && !this->HasFailure(); ++i) {
    const exact_pair x = any_pair(random), y = any_pair(random);
    const std::int64_t count = any_count(random, random() % 2 == 0 ? 8 : 53);
    const auto n = static_cast<double>(count);
    const exact_pair products = exact_pair{x.high * y.high / n, 0.0} + any_pair(random);
    if (x.lost() || y.lost() || products.lost()) continue;
    const double any = static_cast<double>(random() >> 11) * 0x1p-53;
    const double taken = i % 4 == 0   ? std::floor(any * 1024) / 1024
                         : i % 4 == 1 ? any
                         : i % 4 == 2 ? std::ldexp(any, -static_cast<int>(random() % 1000))
                                      : n - std::ldexp(any, static_cast<int>(random() % 53) - 50);
    const near_value found = detail::near_covariance_of(near_of(value_of(x)), near_of(value_of(y)),
                                                        near_of(value_of(products)), count, correction(taken).held());
    if (taken >= n) {
      TypeParam rounded{};
      ASSERT_FALSE(round_if_certain(found, rounded));
      continue;
    }
    const mpq_class c = rational(count), numerator = c * rational(products) - rational(x) * rational(y);
    const mpq_class expected = numerator / (c * (c - rational(taken)));
    certain += agrees<TypeParam>(found, expected);
    const near_value near = detail::near_root(found);
    TypeParam root{};
    ASSERT_TRUE(root_within(near, expected));
    if (round_if_certain(near, root)) {
      ASSERT_TRUE(is_nearest_root<TypeParam>(expected, bits_of(root)));
    }
  }
  EXPECT_GT(certain, 2000);
}

// Squares of numbers with one bit more than T, and what lies anywhere beside them.
TYPED_TEST(near_pairs, roots_that_are_ties_or_nearly) {
  engine random(94);
  constexpr int precision = format_of<TypeParam>().precision;
  for (int i = 0; i < 20000 && !this->HasFailure(); ++i) {
    const auto odd = 2 * ((random() >> (64 - precision)) | (std::uint64_t{1} << (precision - 1))) + 1;
    const mpz_class root(static_cast<unsigned long>(odd));
    const mpz_class square = ((root * root) << 200) + static_cast<int>(random() % 3 - 1) * (mpz_class(1) << (i % 200));
    const exact_value value = exact_total(testing_oracle::sum_of<exact_product_traits<double>>(square));
    const int unit = exact_product_traits<double>::unit_exponent;
    exact_value moderate = value;
    moderate.exponent -= unit + 200 + 100;
    const near_value near = detail::near_root(near_of(moderate));
    ASSERT_TRUE(root_within(near, scaled(square, -300)));
    TypeParam rounded{};
    if (!round_if_certain(near, rounded)) continue;
    ASSERT_TRUE(is_nearest_root<TypeParam>(scaled(square, -300), bits_of(rounded)));
  }
}

// A few elements of narrow types: their moments are often results or in the middle between two, and never uncertain.
TYPED_TEST(near_pairs, moments_of_a_few_elements) {
  engine random(96);
  const int bits = static_cast<int>(std::min<unsigned>(format_of<TypeParam>().precision, 24));
  for (int i = 0; i < 20000 && !this->HasFailure(); ++i) {
    const std::int64_t count = 2 + static_cast<std::int64_t>(random() % 8);
    double sums[2] = {0, 0};
    exact_pair products{0.0, 0.0};
    for (std::int64_t k = 0; k < count; ++k) {
      double element[2];
      for (int j = 0; j < 2; ++j) {
        const auto integer = static_cast<std::int64_t>(random()) >> (64 - 1 - random() % static_cast<unsigned>(bits));
        element[j] = std::ldexp(static_cast<double>(integer), static_cast<int>(random() % 4) - 30);
        sums[j] += element[j];
      }
      if (i % 2 == 0) {
        sums[1] += element[0] - element[1];
        element[1] = element[0];
      }
      products = products + element[0] * element[1];
    }
    ASSERT_FALSE(products.lost());
    const exact_pair tight = detail::tightened(products);
    const near_value x{sums[0], 0, 0}, y{sums[1], 0, 0}, of_products{tight.high, tight.low, 0};
    const std::int64_t correction = static_cast<std::int64_t>(random() % 2);
    const near_value found = detail::near_covariance(x, y, of_products, count, correction);
    const mpq_class n = rational(count), numerator = n * rational(products) - rational(sums[0]) * rational(sums[1]);
    const mpq_class expected = numerator / (n * (n - rational(correction)));
    if (expected == 0) {
      ASSERT_TRUE(found.high == 0 && found.error == 0);
      continue;
    }
    const bool certain = agrees<TypeParam>(found, expected);
    const near_value near = detail::near_root(found);
    TypeParam root{};
    const bool root_certain = round_if_certain(near, root);
    if (root_certain) {
      ASSERT_TRUE(is_nearest_root<TypeParam>(expected, bits_of(root)));
    }
    if constexpr (sizeof(TypeParam) < 8) {
      ASSERT_TRUE(certain);
      ASSERT_TRUE(root_certain || expected < 0);
    }
  }
}

}  // namespace
}  // namespace multifold
