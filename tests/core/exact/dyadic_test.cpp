// Binary fractions of any size against GMP's rational numbers.
#include "multifold/exact/dyadic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/exact/oracle.hpp"
#include "multifold/error.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

namespace oracle = testing_oracle;

using number = std::pair<dyadic, mpq_class>;

// Some limbs, many of them all ones or zeros, at any exponent.
number random_number(test::random_bits& random) {
  const auto count = static_cast<std::size_t>(random() % (random() % 4 == 0 ? 40 : 4));
  std::vector<std::uint64_t> limbs(count);
  mpz_class integer = 0;
  for (std::uint64_t& limb : limbs) {
    limb = random() % 4 == 0 ? 0 : random() % 4 == 0 ? UINT64_MAX : random() >> random() % 64;
  }
  for (std::size_t i = count; i-- > 0;) integer = (integer << 64) + mpz_class(static_cast<unsigned long>(limbs[i]));
  const int exponent = static_cast<int>(random() % 400) - 200;
  dyadic x;
  x.grow(limbs, exponent);
  const bool negative = random() % 2 == 0;
  return {negative ? -x : x, oracle::scaled(negative ? mpz_class(-integer) : integer, exponent)};
}

// The leading bits and the sticky one, which say whether a value is exact.
bool same(const exact_value& found, const mpq_class& expected) {
  if (expected == 0) return found.zero();
  mpz_class significand = static_cast<unsigned long>(found.significand >> 64);
  significand = (significand << 64) + mpz_class(static_cast<unsigned long>(found.significand & UINT64_MAX));
  const mpq_class low = oracle::scaled(significand, found.exponent),
                  high = oracle::scaled(significand + 1, found.exponent);
  const mpq_class magnitude = abs(expected);
  return found.significand >> 127 == 1 && found.negative == (expected < 0) &&
         (found.sticky ? low < magnitude && magnitude < high : low == magnitude);
}

TEST(dyadic, arithmetic_is_exact) {
  test::random_bits random(20261128);
  for (int trial = 0; trial < 6'000; ++trial) {
    const auto [a, exact_a] = random_number(random);
    const auto [b, exact_b] = random_number(random);
    ASSERT_TRUE(same(quotient(a, 1), exact_a)) << trial;
    ASSERT_TRUE(same(quotient(a + b, 1), exact_a + exact_b)) << trial;
    ASSERT_TRUE(same(quotient(a - b, 1), exact_a - exact_b)) << trial;
    ASSERT_TRUE(same(quotient(a * b, 1), exact_a * exact_b)) << trial;
    ASSERT_TRUE((a - a).zero());
    ASSERT_EQ((a - b).negative(), exact_a < exact_b);
    if (exact_b == 0) continue;
    ASSERT_TRUE(same(quotient(a, b), exact_a / exact_b)) << trial;
    ASSERT_TRUE(same(quotient(a * b, b), exact_a)) << trial;
  }
}

// Digits of the quotient that are first taken too great.
TEST(dyadic, quotients_whose_digits_are_corrected) {
  for (const std::uint64_t low : {std::uint64_t{0}, std::uint64_t{1}, UINT64_MAX}) {
    for (const std::uint64_t middle : {std::uint64_t{0}, std::uint64_t{1}, UINT64_MAX}) {
      for (const std::uint64_t top : {std::uint64_t{1} << 63, (std::uint64_t{1} << 63) + 1, UINT64_MAX}) {
        const std::vector<std::uint64_t> limbs{low, middle, top};
        const auto integer_of = [&](int shift) {
          mpz_class x = static_cast<unsigned long>(top);
          x = (x << 64) + mpz_class(static_cast<unsigned long>(middle));
          return oracle::scaled((x << 64) + mpz_class(static_cast<unsigned long>(low)), shift);
        };
        dyadic divisor;
        divisor.grow(limbs, 0);
        for (int k = 0; k < 300; ++k) {
          const dyadic above = divisor * dyadic(1, k, false) - 1;
          ASSERT_TRUE(same(quotient(above, divisor), (integer_of(k) - 1) / integer_of(0)));
          const dyadic one(1, k, false);
          ASSERT_TRUE(same(quotient(one, divisor), oracle::scaled(1, k) / integer_of(0)));
        }
      }
    }
  }
}

TEST(dyadic, numbers_are_what_they_are) {
  EXPECT_TRUE(same(quotient(0.1, 1), oracle::rational(0.1)));
  EXPECT_TRUE(same(quotient(-0x1p-1074, 1), oracle::rational(-0x1p-1074)));
  EXPECT_TRUE(
      same(quotient(std::numeric_limits<double>::max(), 1), oracle::rational(std::numeric_limits<double>::max())));
  EXPECT_TRUE(same(quotient(INT64_MIN, 1), oracle::rational(-0x1p63)));
  EXPECT_TRUE(same(quotient(UINT64_MAX, 1), oracle::rational(0x1p64) - 1));
  EXPECT_TRUE(same(quotient(to_f16(0.5f), 1), oracle::rational(0.5)));
  EXPECT_TRUE(same(quotient(to_bf16(-3.0f), 1), oracle::rational(-3.0)));
  EXPECT_TRUE(dyadic(-0.0).zero() && !dyadic(-0.0).negative() && !(-dyadic(0)).negative());
  EXPECT_THROW(dyadic(std::nan("")), unsupported_error);
  EXPECT_THROW(dyadic(-HUGE_VALF), unsupported_error);
}

}  // namespace
}  // namespace multifold
