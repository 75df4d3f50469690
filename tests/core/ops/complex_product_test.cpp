// Products of complex numbers against rational ones: both parts within what is said of them, whatever their magnitudes.
#include "multifold/ops/complex_product.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

#include "core/exact/oracle.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

using testing_oracle::rational;
using testing_oracle::scaled;

struct exact_complex {
  mpq_class re = 1, im = 0;

  void multiply(double a, double b) {
    const mpq_class x = rational(a), y = rational(b), real = re * x - im * y;
    im = re * y + im * x;
    re = real;
  }
};

// Half a place of the result, of which the last one may be subnormal, and what the product is off by.
template <class T>
void expect_part(T found, const mpq_class& expected, const exact_complex& whole, std::size_t count) {
  const mpq_class magnitude = abs(whole.re) + abs(whole.im);  // up to 1.5 of it
  const mpq_class off = scaled(mpz_class(static_cast<unsigned long>(count)), -101) * magnitude;
  if (std::isinf(found)) {
    ASSERT_GT(abs(expected) + off, rational(static_cast<double>(std::numeric_limits<T>::max())));
    return;
  }
  int exponent = 0;
  std::frexp(static_cast<double>(found), &exponent);
  constexpr int digits = std::numeric_limits<T>::digits, least = std::numeric_limits<T>::min_exponent - digits;
  const mpq_class place = scaled(1, std::max(exponent - digits, least) - 1);
  ASSERT_LE(abs(expected - rational(static_cast<double>(found))), place + off) << found;
}

template <class T>
void check(const std::vector<std::complex<T>>& z) {
  const complex_product_fold<T> op;
  complex_product lanes[3];
  exact_complex expected;
  for (std::size_t i = 0; i < z.size(); ++i) {
    lanes[i % 3] = op.combine(lanes[i % 3], op.lift({z[i].real(), z[i].imag()}, 0));
    expected.multiply(static_cast<double>(z[i].real()), static_cast<double>(z[i].imag()));
  }
  const auto found = op.lower(op.combine(op.combine(lanes[0], lanes[1]), lanes[2]), 0);
  ASSERT_NO_FATAL_FAILURE(expect_part(found.real(), expected.re, expected, z.size()));
  ASSERT_NO_FATAL_FAILURE(expect_part(found.imag(), expected.im, expected, z.size()));
}

template <class T>
class complex_products : public ::testing::Test {};
using parts = ::testing::Types<float, double>;
TYPED_TEST_SUITE(complex_products, parts);

TYPED_TEST(complex_products, are_within_their_bound) {
  using T = TypeParam;
  test::random_bits random(11);
  std::uniform_real_distribution<double> significand(-2, 2);
  constexpr int widest = std::numeric_limits<T>::max_exponent - 3;
  for (int round = 0; round < 600; ++round) {
    const std::size_t count = random() % 40;
    const int spread = round % 3 == 0 ? widest : round % 3 == 1 ? 40 : 0;
    std::vector<std::complex<T>> z;
    for (std::size_t i = 0; i < count; ++i) {
      // Up and down in turn, so that the product of some is out of range, and that of all is not.
      const int exponent = spread == 0 ? 0 : static_cast<int>(random() % static_cast<unsigned>(spread));
      const double scale = std::ldexp(1.0, i % 2 == 0 ? exponent : -exponent);
      const double tilt = random() % 4 == 0 ? std::ldexp(1.0, -static_cast<int>(random() % 60)) : 1;
      z.push_back({static_cast<T>(significand(random) * scale), static_cast<T>(significand(random) * scale * tilt)});
      if (random() % 3 == 0) z.push_back(std::conj(z.back()));  // the imaginary parts cancel
    }
    ASSERT_NO_FATAL_FAILURE(check(z));
  }
}

TYPED_TEST(complex_products, of_few_numbers_of_few_bits_are_exact) {
  using complex = std::complex<TypeParam>;
  const complex_product_fold<TypeParam> op;
  complex_product all;
  for (int i = 0; i < 8; ++i) all = op.combine(all, op.lift({1, 1}, 0));
  EXPECT_EQ(op.lower(all, 8), complex(16, 0));
  EXPECT_EQ(op.lower(op.identity(), 0), complex(1, 0));
  all = op.combine(all, op.lift({0, 0}, 0));
  EXPECT_EQ(op.lower(all, 9), complex(0, 0));
}

TYPED_TEST(complex_products, that_are_not_finite_are_those_of_the_formula) {
  const complex_product_fold<TypeParam> op;
  constexpr TypeParam infinity = std::numeric_limits<TypeParam>::infinity();
  constexpr TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
  const auto of_two = [&](TypeParam a, TypeParam b, TypeParam c, TypeParam d) {
    return op.lower(op.combine(op.lift({a, b}, 0), op.lift({c, d}, 0)), 2);
  };
  EXPECT_EQ(of_two(infinity, 1, 2, 3).real(), infinity);
  EXPECT_EQ(of_two(infinity, 1, 2, 3).imag(), infinity);
  EXPECT_TRUE(std::isnan(of_two(infinity, 1, 2, 0).imag()));
  EXPECT_TRUE(std::isnan(of_two(nan, 1, 2, 3).real()));
  EXPECT_TRUE(std::isnan(of_two(1, 2, 3, nan).imag()));
}

}  // namespace
}  // namespace multifold
