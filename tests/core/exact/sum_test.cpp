// Exact sums and dot products of whole data sets: limbs against GMP, results against MPFR, and the same bits whatever
// the order and however the data is cut.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "core/exact/data.hpp"
#include "core/exact/oracle.hpp"
#include "multifold/exact.hpp"

namespace multifold {
namespace {

using testing_data::data_set;
using testing_oracle::bits_of;
using testing_oracle::from_bits;
using testing_oracle::integer_of;
using testing_oracle::nearest;
using testing_oracle::units_of;

template <floating_storage T>
class exact_sum_of : public ::testing::Test {};

using elements = ::testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(exact_sum_of, elements);

template <floating_storage T>
exact_sum<T> sum_of(const std::vector<T>& x) {
  exact_sum<T> sum;
  for (const T value : x) sum.add(value);
  return sum;
}

template <floating_storage T>
exact_dot<T> dot_of(const std::vector<T>& x, const std::vector<T>& y) {
  exact_dot<T> dot;
  for (std::size_t i = 0; i < x.size(); ++i) dot.add_product(x[i], y[i]);
  return dot;
}

template <class Format>
void expect_rounds_everywhere(const exact_accumulator<Format>& sum, const mpz_class& expected) {
  if (expected == 0) return;  // signs of zero have tests of their own
  constexpr int unit = Format::unit_exponent;
  ASSERT_EQ(round_to<f16>(sum).bits, nearest<f16>(expected, unit));
  ASSERT_EQ(round_to<bf16>(sum).bits, nearest<bf16>(expected, unit));
  ASSERT_EQ(bits_of(round_to<float>(sum)), nearest<float>(expected, unit));
  ASSERT_EQ(bits_of(round_to<double>(sum)), nearest<double>(expected, unit));
}

template <floating_storage T>
void expect_exact_sum(const std::vector<T>& x) {
  mpz_class expected = 0;
  for (const T value : x) expected += units_of(to_double(value), exact_traits<T>::unit_exponent);
  const auto sum = sum_of(x);
  ASSERT_EQ(integer_of(sum), expected);
  ASSERT_EQ(sum.counters().n, static_cast<std::int64_t>(x.size()));
  ASSERT_NO_FATAL_FAILURE(expect_rounds_everywhere(sum, expected));
}

template <floating_storage T>
void expect_exact_dot(const std::vector<T>& x, const std::vector<T>& y) {
  constexpr int unit = exact_product_traits<T>::unit_exponent;
  mpz_class expected = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    expected += units_of(to_double(x[i]), unit / 2) * units_of(to_double(y[i]), unit / 2);
  }
  const auto dot = dot_of(x, y);
  ASSERT_EQ(integer_of(dot), expected);
  ASSERT_NO_FATAL_FAILURE(expect_rounds_everywhere(dot, expected));
}

TYPED_TEST(exact_sum_of, ordinary_and_hard_data_sums_exactly_and_rounds_once) {
  testing_data::engine random(31);
  for (const int count : {1, 2, 31, 1000}) {
    auto sets = testing_data::ordinary_data<TypeParam>(random, count);
    for (auto& set : testing_data::hard_data<TypeParam>(random, count)) sets.push_back(std::move(set));
    for (const auto& set : sets) {
      SCOPED_TRACE(set.name);
      ASSERT_NO_FATAL_FAILURE(expect_exact_sum(set.values));
      std::vector<TypeParam> other = set.values;
      ASSERT_NO_FATAL_FAILURE(expect_exact_dot(set.values, other));
      std::shuffle(other.begin(), other.end(), random);
      ASSERT_NO_FATAL_FAILURE(expect_exact_dot(set.values, other));
    }
  }
}

TYPED_TEST(exact_sum_of, a_fresh_seed_every_run) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  testing_data::engine random(seed);
  for (const auto& set : testing_data::hard_data<TypeParam>(random, 200)) {
    SCOPED_TRACE(set.name);
    ASSERT_NO_FATAL_FAILURE(expect_exact_sum(set.values));
    ASSERT_NO_FATAL_FAILURE(expect_exact_dot(set.values, set.values));
  }
}

template <floating_storage T>
void expect_invariant(std::vector<T> x, testing_data::engine& random) {
  const auto sum = sum_of(x);
  const auto squares = dot_of(x, x);
  for (int round = 0; round < 8; ++round) {
    std::shuffle(x.begin(), x.end(), random);
    exact_sum<T> parts[5];
    exact_dot<T> dots[5];
    for (const T value : x) {
      parts[random() % 5].add(value);
      dots[random() % 5].add_product(value, value);
    }
    if (round % 2 != 0) parts[1].normalise();
    const auto a = random() % 5;
    for (auto i = a + 1; i < a + 5; ++i) {
      parts[a].merge(parts[i % 5]);
      dots[a].merge(dots[i % 5]);
    }
    ASSERT_TRUE(parts[a] == sum);
    ASSERT_TRUE(dots[a] == squares);
    ASSERT_EQ(bits_of(round_to<T>(parts[a])), bits_of(round_to<T>(sum)));
  }
}

TYPED_TEST(exact_sum_of, permutations_splits_and_merges_leave_the_same_bits) {
  testing_data::engine random(32);
  for (auto& set : testing_data::hard_data<TypeParam>(random, 300)) {
    SCOPED_TRACE(set.name);
    set.values.push_back(from_bits<TypeParam>(testing_data::infinity_bits<TypeParam>));
    ASSERT_NO_FATAL_FAILURE(expect_invariant(set.values, random));
  }
}

TYPED_TEST(exact_sum_of, laws_of_addition) {
  testing_data::engine random(33);
  for (int round = 0; round < 2000; ++round) {
    const auto x = testing_data::random_finite<TypeParam>(random);
    const auto y = testing_data::random_finite<TypeParam>(random);
    ASSERT_EQ(bits_of(round_to<TypeParam>(sum_of<TypeParam>({x, testing_data::negated(x)}))), 0u);
    ASSERT_EQ(bits_of(round_to<TypeParam>(sum_of<TypeParam>({x, y, testing_data::negated(x)}))),
              bits_of(y) == testing_data::sign_bit<TypeParam> ? 0 : bits_of(y));
  }
}

// f16 and bf16 are small enough to try them all.
template <floating_storage T>
void expect_every_pattern() {
  testing_data::engine random(34);
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const T x = from_bits<T>(bits);
    const exact_sum<T> alone = sum_of<T>({x});
    const std::uint64_t magnitude = bits & 0x7fffu;
    if (magnitude > testing_data::infinity_bits<T>) {
      ASSERT_EQ(round_to<T>(alone).bits, testing_data::infinity_bits<T> | (std::is_same_v<T, f16> ? 0x200u : 0x40u));
      continue;
    }
    ASSERT_EQ(round_to<T>(alone).bits, bits);
    if (magnitude == testing_data::infinity_bits<T>) continue;
    ASSERT_EQ(integer_of(alone), units_of(to_double(x), exact_traits<T>::unit_exponent));
    const T y = testing_data::random_finite<T>(random);
    ASSERT_NO_FATAL_FAILURE((expect_exact_sum<T>({x, y}))) << bits << " " << y.bits;
    ASSERT_NO_FATAL_FAILURE((expect_exact_dot<T>({x}, {y}))) << bits << " " << y.bits;
  }
}

TEST(exact_patterns, every_f16_alone_and_in_pairs) { expect_every_pattern<f16>(); }
TEST(exact_patterns, every_bf16_alone_and_in_pairs) { expect_every_pattern<bf16>(); }

// The same number of terms, in which all but the last bits cancel.
TEST(exact_conditions, dots_and_sums_of_condition_numbers_up_to_1e300) {
  testing_data::engine random(35);
  for (int decades = 0; decades <= 300; decades += 10) {
    SCOPED_TRACE("condition number 1e" + std::to_string(decades));
    const auto [x, y] = testing_data::ill_conditioned_dot(random, 100, decades * std::log2(10.0));
    ASSERT_NO_FATAL_FAILURE(expect_exact_dot(x, y));
    mpz_class total = 0, absolute = 0;
    std::vector<double> terms;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const mpz_class product = units_of(x[i], -1074) * units_of(y[i], -1074);
      total += product;
      absolute += abs(product);
      terms.push_back(x[i] * y[i]);
      terms.push_back(std::fma(x[i], y[i], -terms.back()));
    }
    ASSERT_NE(total, 0);
    const mpf_class condition = mpf_class(2 * absolute, 64) / mpf_class(abs(total), 64);
    long exponent = 0;
    mpf_get_d_2exp(&exponent, condition.get_mpf_t());
    EXPECT_NEAR(static_cast<double>(exponent) * std::log10(2.0), decades, 12) << "the data is not what it claims to be";
    ASSERT_NO_FATAL_FAILURE(expect_exact_sum(terms));
  }
}

TEST(exact_conditions, dots_of_f32_of_condition_numbers_up_to_1e60) {
  testing_data::engine random(36);
  for (int decades = 0; decades <= 60; decades += 5) {
    const auto [x, y] = testing_data::ill_conditioned_dot(random, 100, decades * std::log2(10.0));
    std::vector<float> a(x.begin(), x.end()), b(y.begin(), y.end());
    ASSERT_NO_FATAL_FAILURE(expect_exact_dot(a, b));
    for (std::size_t i = 0; i < x.size(); ++i) b.push_back(-b[i]);
    a.insert(a.end(), x.begin(), x.end());
    a.push_back(0x1p-149f);
    b.push_back(0x1p-149f);
    ASSERT_NO_FATAL_FAILURE(expect_exact_dot(a, b));
    ASSERT_EQ(integer_of(dot_of(a, b)), 1);
  }
}

// Products below the smallest and above the largest number of their format.
TYPED_TEST(exact_sum_of, products_have_no_range_of_their_own) {
  const TypeParam smallest = from_bits<TypeParam>(1);
  const TypeParam largest = from_bits<TypeParam>(testing_data::infinity_bits<TypeParam> - 1);
  ASSERT_NO_FATAL_FAILURE((expect_exact_dot<TypeParam>({smallest}, {smallest})));
  ASSERT_NO_FATAL_FAILURE((expect_exact_dot<TypeParam>({largest}, {largest})));
  ASSERT_NO_FATAL_FAILURE(
      (expect_exact_dot<TypeParam>({largest, smallest, testing_data::negated(largest)}, {largest, smallest, largest})));
  const auto dot = dot_of<TypeParam>({largest, smallest, testing_data::negated(largest)}, {largest, smallest, largest});
  EXPECT_GT(to_double(smallest), 0);
  EXPECT_EQ(integer_of(dot), units_of(to_double(smallest), -1074) * units_of(to_double(smallest), -1074) >>
                                 (2148 + exact_product_traits<TypeParam>::unit_exponent));
}

}  // namespace
}  // namespace multifold
