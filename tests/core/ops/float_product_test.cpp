// Products rounded to real numbers, of floating point and of integers, against MPFR: any exponents, any order, any
// tree, every result dtype, with zeros, infinities, NaN and an initial value.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/exact/oracle.hpp"
#include "multifold/ops/product.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

using engine = test::random_bits;
using testing_oracle::bits_of;

template <class Op, class T>
scalar product_of(const Op& op, std::vector<T> elements, engine& random) {
  std::shuffle(elements.begin(), elements.end(), random);
  std::vector<typename Op::accumulator> left;
  for (const T x : elements) {
    // Some go into a running product, as lanes do, and some become one.
    if (!left.empty() && random() % 2 == 0) left.back() = lane_of<Op>::absorb(op, left.back(), x, 0);
    else left.push_back(op.lift(x, 0));
  }
  if (left.empty()) left.push_back(op.identity());
  while (left.size() > 1) {
    const std::size_t at = random() % (left.size() - 1);
    left[at] = op.combine(left[at], left[at + 1]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  return op.lower(left[0], static_cast<std::int64_t>(elements.size()));
}

// The exact product, which has as many bits as it takes.
class exact_product {
 public:
  explicit exact_product(std::size_t factors) {
    mpfr_init2(value_, static_cast<mpfr_prec_t>(64 * (factors + 2)));
    mpfr_set_ui(value_, 1, MPFR_RNDN);
  }
  exact_product(const exact_product&) = delete;
  exact_product& operator=(const exact_product&) = delete;
  ~exact_product() { mpfr_clear(value_); }
  void times(double x) { EXPECT_EQ(mpfr_mul_d(value_, value_, x, MPFR_RNDN), 0); }
  void times(std::int64_t x) { EXPECT_EQ(mpfr_mul_si(value_, value_, x, MPFR_RNDN), 0); }
  void times(std::uint64_t x) { EXPECT_EQ(mpfr_mul_ui(value_, value_, x, MPFR_RNDN), 0); }
  template <floating_storage T>
  std::uint64_t rounded() const {
    mpz_class significand;
    const auto exponent = mpfr_get_z_2exp(significand.get_mpz_t(), value_);
    return testing_oracle::nearest<T>(significand, static_cast<int>(exponent));
  }

 private:
  mpfr_t value_;
};

template <floating_storage T>
void expect_rounded(const scalar& s, const exact_product& product) {
  T found{};
  ASSERT_EQ(store(s, dtype_of<T>, &found), status::ok);
  ASSERT_EQ(bits_of(found), product.rounded<T>()) << name(dtype_of<T>);
}
void expect_rounded(const scalar& s, const exact_product& product) {
  ASSERT_NO_FATAL_FAILURE(expect_rounded<double>(s, product));
  ASSERT_NO_FATAL_FAILURE(expect_rounded<float>(s, product));
  ASSERT_NO_FATAL_FAILURE(expect_rounded<f16>(s, product));
  ASSERT_NO_FATAL_FAILURE(expect_rounded<bf16>(s, product));
}

template <floating_storage T>
T element_of(double x) {
  if constexpr (std::is_same_v<T, f16>) return to_f16(x);
  else if constexpr (std::is_same_v<T, bf16>) return to_bf16(x);
  else return static_cast<T>(x);
}

// Any bits of T but those of zero, infinity and NaN.
template <floating_storage T>
T any_finite(engine& random) {
  using bits = typename detail::float_layout<T>::bits_type;
  for (;;) {
    const T x = bit_copy<T>(static_cast<bits>(random()));
    if (std::isfinite(to_double(x)) && to_double(x) != 0) return x;
  }
}

template <class T>
class float_product_of : public ::testing::Test {};
using reals = ::testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(float_product_of, reals);

// Factors whose product comes back into the range of the results, wherever it has been before.
template <floating_storage T>
std::vector<T> balanced(std::size_t count, double target, engine& random) {
  std::vector<T> x;
  double exponent = 0;
  constexpr double widest = std::is_same_v<T, f16> ? 13 : std::is_same_v<T, double> ? 1000 : 120;
  for (std::size_t i = 0; i < count; ++i) {
    const double left = std::clamp(target - exponent, -widest, widest);
    const double next = i + 4 < count ? std::uniform_real_distribution<double>(-widest, widest)(random) : left;
    x.push_back(element_of<T>((random() % 2 == 0 ? 1 : -1) * std::exp2(next)));
    exponent += std::log2(std::abs(to_double(x.back())));
  }
  return x;
}

TYPED_TEST(float_product_of, any_elements_rounds_once) {
  engine random(1);
  const float_product<TypeParam> op{std::numeric_limits<double>::quiet_NaN()};
  for (int round = 0; round < 4000; ++round) {
    const std::size_t count = random() % 60;
    std::vector<TypeParam> x;
    if (round % 2 == 0) {
      x = balanced<TypeParam>(count, std::uniform_real_distribution<double>(-1090, 1030)(random) / (round % 3 + 1),
                              random);
    } else {
      for (std::size_t i = 0; i < count; ++i) x.push_back(any_finite<TypeParam>(random));
    }
    exact_product expected(count);
    for (const TypeParam e : x) expected.times(to_double(e));
    ASSERT_NO_FATAL_FAILURE(expect_rounded(product_of(op, x, random), expected));
  }
}

TYPED_TEST(float_product_of, long_ones_stay_within_their_bound) {
  engine random(2);
  const float_product<TypeParam> op{1.0};
  std::vector<TypeParam> x;
  for (int i = 0; i < 20000; ++i)
    x.push_back(element_of<TypeParam>(std::uniform_real_distribution<double>(0.7, 1.4)(random)));
  exact_product expected(x.size());
  for (const TypeParam e : x) expected.times(to_double(e));
  ASSERT_NO_FATAL_FAILURE(expect_rounded(product_of(op, x, random), expected));
}

TYPED_TEST(float_product_of, ties_are_found_and_go_to_even) {
  engine random(3);
  const float_product<TypeParam> op{1.0};
  // Small factors whose product has one bit more than a double: a tie, and beside it what a later factor makes of it.
  for (int round = 0; round < 2000; ++round) {
    std::vector<TypeParam> x;
    exact_product expected(80);
    for (std::uint64_t product = 1; product < (std::uint64_t{1} << 53);) {
      const auto factor = static_cast<std::uint64_t>(3 + 2 * (random() % 60));
      product *= factor;
      x.push_back(element_of<TypeParam>(static_cast<double>(factor)));
      expected.times(factor);
    }
    for (int i = 0; i < 30; ++i) {
      const double power = random() % 2 == 0 ? 0x1p13 : 0x1p-13;
      x.push_back(element_of<TypeParam>(power));
      expected.times(power);
    }
    ASSERT_NO_FATAL_FAILURE(expect_rounded(product_of(op, x, random), expected));
  }
}

TEST(float_product, halves_of_the_least_subnormal_are_ties) {
  engine random(4);
  const float_product<double> op{1.0};
  for (const double last : {0.5, 0.5000000000000001, 0.49999999999999994, 1.5, 2.5}) {
    exact_product expected(4);
    const std::vector<double> x{0x1p-600, 0x1p-474, last, -1.0};
    for (const double e : x) expected.times(e);
    ASSERT_NO_FATAL_FAILURE(expect_rounded(product_of(op, x, random), expected));
  }
}

TEST(float_product, nothing_between_leaves_the_range) {
  engine random(5);
  const float_product<double> op{std::numeric_limits<double>::quiet_NaN()};
  for (int round = 0; round < 50; ++round) {
    const std::vector<double> four{1e300, 1e300, 1e-300, 1e-300};
    exact_product expected(4);
    for (const double e : four) expected.times(e);
    ASSERT_NO_FATAL_FAILURE(expect_rounded(product_of(op, four, random), expected));
    double out = 0;
    std::vector<double> x(3000, 5e-324);
    x.insert(x.end(), 3000, 0x1p1000);
    x.insert(x.end(), 3000, 0x1p74);
    store(product_of(op, x, random), dtype::f64, &out);
    EXPECT_EQ(out, 1.0);
  }
}

TYPED_TEST(float_product_of, specials_in_any_order) {
  engine random(6);
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const double pool[] = {inf, -inf, 0.0, -0.0, nan, -2.0, 3.0, 0x1p-14};
  for (int round = 0; round < 4000; ++round) {
    const bool omit = random() % 2 == 0;
    const float_product<TypeParam> op{omit ? 1.0 : nan};
    std::vector<TypeParam> x;
    double expected = 1;
    for (int i = 0; i < 6; ++i) {
      const double e = pool[random() % (round % 4 == 0 ? 8 : 7)];
      x.push_back(element_of<TypeParam>(e));
      if (!(omit && e != e)) expected *= e;
    }
    double out = 42;
    ASSERT_EQ(store(product_of(op, x, random), dtype::f64, &out), status::ok);
    if (expected != expected) ASSERT_EQ(std::bit_cast<std::uint64_t>(out), 0x7ff8000000000000u);
    else ASSERT_EQ(std::bit_cast<std::uint64_t>(out), std::bit_cast<std::uint64_t>(expected));
  }
}

TEST(float_product, an_initial_factor_is_rounded_with_it) {
  engine random(7);
  const float_product<double> op{1.0};
  for (int round = 0; round < 2000; ++round) {
    const double initial = any_finite<double>(random);
    const std::vector<double> x = balanced<double>(random() % 8, -std::log2(std::abs(initial)), random);
    exact_product expected(x.size() + 1);
    for (const double e : x) expected.times(e);
    expected.times(initial);
    const scalar s = finish_scalar(op_kind::prod, product_of(op, x, random), {true, false, 0, initial});
    ASSERT_NO_FATAL_FAILURE(expect_rounded(s, expected));
  }
  double out = 1;
  const scalar negative = product_of<float_product<double>, double>(op, {-1e300, 1e300}, random);
  for (const bool integer : {false, true}) {
    store(finish_scalar(op_kind::prod, negative, {true, integer, 0, 0.0}), dtype::f64, &out);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(out), std::bit_cast<std::uint64_t>(-0.0));
  }
}

template <class T>
void expect_integers_rounded(engine& random, int most_bits, std::size_t most_factors) {
  const integer_product<T> op;
  for (int round = 0; round < 3000; ++round) {
    std::vector<T> x;
    exact_product expected(most_factors);
    for (std::size_t i = random() % most_factors; i > 0; --i) {
      T e = static_cast<T>(static_cast<T>(random()) >> (random() % static_cast<unsigned>(most_bits)));
      if (e == 0) e = 1;
      x.push_back(e);
      if constexpr (std::is_signed_v<T>) expected.times(static_cast<std::int64_t>(e));
      else expected.times(static_cast<std::uint64_t>(e));
    }
    ASSERT_NO_FATAL_FAILURE(expect_rounded(product_of(op, x, random), expected));
  }
}

TEST(integer_product, as_a_real_number_rounds_once) {
  engine random(8);
  expect_integers_rounded<std::int8_t>(random, 7, 200);
  expect_integers_rounded<std::uint16_t>(random, 15, 100);
  expect_integers_rounded<std::int32_t>(random, 31, 60);
  expect_integers_rounded<std::int64_t>(random, 63, 40);
  expect_integers_rounded<std::uint64_t>(random, 63, 40);
}

TEST(integer_product, beyond_64_bits_as_f64) {
  engine random(9);
  const integer_product<std::int64_t> op;
  double out = 0;
  store(product_of<integer_product<std::int64_t>, std::int64_t>(op, std::vector<std::int64_t>(2, INT64_C(1) << 32),
                                                                random),
        dtype::f64, &out);
  EXPECT_EQ(out, 0x1p64);
  std::vector<std::int64_t> twos(1023, 2);
  store(product_of(op, twos, random), dtype::f64, &out);
  EXPECT_EQ(out, 0x1p1023);
  twos.push_back(-2);
  store(product_of(op, twos, random), dtype::f64, &out);
  EXPECT_EQ(out, -HUGE_VAL);
  twos.insert(twos.end(), 100000, 2);
  twos.push_back(0);
  store(product_of(op, twos, random), dtype::f64, &out);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(out), 0u);
}

}  // namespace
}  // namespace multifold
