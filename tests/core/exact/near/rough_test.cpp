// Rough quotients and roots: whatever is sure is the rounding of the exact value, and ties and zeros of a few elements
// are rounded, too.
#include "multifold/exact/near/rough.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "core/exact/data.hpp"
#include "core/exact/oracle.hpp"

namespace multifold {
namespace {

using detail::near_of;
using detail::near_value;
using testing_oracle::bits_of;
using testing_oracle::format_of;
using testing_oracle::is_nearest_root;
using testing_oracle::rational;
using engine = testing_data::engine;

template <floating_storage T>
class rough_values : public ::testing::Test {};

using results = ::testing::Types<f16, bf16, float>;
TYPED_TEST_SUITE(rough_values, results);

mpq_class rational(const near_value& v) { return rational(v.high) + rational(v.low); }

near_value any_value(engine& random) {
  const auto high = static_cast<double>(static_cast<std::int64_t>(random()) >> (random() % 63));
  const auto low = static_cast<double>(static_cast<std::int64_t>(random()) >> (random() % 63));
  return near_of(
      value_of(exact_pair{} + std::ldexp(high, static_cast<int>(random() % 40) - 60) + std::ldexp(low, -120)));
}

// In the middle between two numbers near 1.
template <floating_storage T>
double tie(engine& random) {
  constexpr int precision = format_of<T>().precision;
  const auto number = static_cast<double>((random() >> (64 - precision)) | (std::uint64_t{1} << (precision - 1)));
  return std::ldexp(2 * number + 1, -precision - 1);
}

/// Sums of some pairs of elements, and what their covariance is.
struct few_elements {
  near_value x{0, 0, 0}, y{0, 0, 0}, products{0, 0, 0};
  std::int64_t count = 0;

  void add(double a, double b) {
    x.high += a;
    y.high += b;
    const exact_pair sum = detail::tightened(exact_pair{products.high, products.low} + a * b);
    products = {sum.high, sum.low, 0};
    ++count;
  }
  mpq_class covariance(std::int64_t correction) const {
    const mpq_class n = rational(count);
    return (n * rational(products) - rational(x) * rational(y)) / (n * (n - rational(correction)));
  }
};

// Whether round_fraction knew; what it knows is right.
template <floating_storage T>
bool agrees(const few_elements& few, std::int64_t correction, bool has_root) {
  T rounded{};
  if (!detail::round_fraction(few.x, few.y, few.products, few.count, correction, has_root, rounded)) return false;
  const mpq_class expected = few.covariance(correction);
  if (expected == 0) EXPECT_EQ(bits_of(rounded), bits_of(detail::nearest<T>(0.0)));
  else if (has_root) EXPECT_TRUE(is_nearest_root<T>(expected, bits_of(rounded)));
  else EXPECT_EQ(bits_of(rounded), testing_oracle::nearest<T>(expected));
  return true;
}

TYPED_TEST(rough_values, that_are_sure_are_rounded_as_the_exact_ones) {
  engine random(97);
  int sure = 0;
  for (int i = 0; i < 10000 && !this->HasFailure(); ++i) {
    const std::int64_t count = 3 + static_cast<std::int64_t>(random() >> (24 + random() % 40));
    const auto correction = static_cast<std::int64_t>(random() % 2);
    const near_value x = any_value(random), y = any_value(random), products = any_value(random);
    const mpq_class n = rational(count);
    const mpq_class expected = (n * rational(products) - rational(x) * rational(y)) / (n * (n - rational(correction)));
    const double rough = detail::rough_covariance(x, y, products, count, detail::rough_reciprocal(count, correction));
    if (rough == 0) continue;
    EXPECT_LE(abs(expected - rational(rough)), abs(expected) * rational(0x1p-45));
    TypeParam rounded{};
    if (!detail::round_if_sure(rough, rounded)) continue;
    EXPECT_EQ(bits_of(rounded), testing_oracle::nearest<TypeParam>(expected));
    ++sure;
  }
  EXPECT_GT(sure, 8000);
}

TYPED_TEST(rough_values, of_roots_are_never_sure_of_the_wrong_side) {
  engine random(103);
  for (int i = 0; i < 2000 && !this->HasFailure(); ++i) {
    const double middle = tie<TypeParam>(random);
    TypeParam rounded{};
    if (!detail::round_if_sure(detail::rough_root(middle * middle), rounded)) continue;
    EXPECT_EQ(bits_of(rounded), testing_oracle::nearest<TypeParam>(rational(middle)));
  }
}

// Elements a and b: their deviation is |a - b| / 2, which has one bit more than a result in one of five; and next to
// it.
TYPED_TEST(rough_values, deviations_of_two_elements) {
  engine random(104);
  const int bits = format_of<TypeParam>().precision;
  int known = 0;
  constexpr int trials = 40000;
  for (int i = 0; i < trials && !this->HasFailure(); ++i) {
    few_elements few;
    const auto element = [&] {
      const auto integer = static_cast<std::int64_t>(random()) >> (64 - 1 - bits + static_cast<int>(random() % 3));
      return to_double(detail::nearest<TypeParam>(std::ldexp(static_cast<double>(integer), -bits)));
    };
    const double a = element(), b = i % 8 == 0 ? a : element();
    few.add(a, a);
    few.add(b, b);
    for (const bool has_root : {false, true}) known += agrees<TypeParam>(few, i % 2, has_root);
  }
  EXPECT_GT(known, trials * 19 / 10);
}

TYPED_TEST(rough_values, fractions_of_a_few_elements) {
  engine random(105);
  const int bits = format_of<TypeParam>().precision;
  int known = 0;
  for (int i = 0; i < 40000 && !this->HasFailure(); ++i) {
    few_elements few;
    const int count = 1 + static_cast<int>(random() % 9), common = static_cast<int>(random() % 5);
    for (int k = 0; k < count; ++k) {
      double element[2];
      for (double& each : element) {
        const auto integer = static_cast<std::int64_t>(random()) >> (64 - 1 - random() % static_cast<unsigned>(bits));
        each = common == 0 ? 0.0 : common == 1 ? 0.75 : std::ldexp(static_cast<double>(integer), -30);
      }
      few.add(element[0], i % 2 == 0 ? element[0] : element[1]);
    }
    const std::int64_t correction = static_cast<std::int64_t>(random() % 4) - 2;
    known += agrees<TypeParam>(few, correction, false);
    if (i % 2 == 0) known += agrees<TypeParam>(few, correction, true);
  }
  EXPECT_GT(known, 30000);
}

// Quotients that are ties of T, at every place of its range, and one unit of the numerator beside them.
TYPED_TEST(rough_values, fractions_that_are_ties_or_nearly) {
  engine random(106);
  constexpr auto format = format_of<TypeParam>();
  int known = 0;
  for (int i = 0; i < 40000 && !this->HasFailure(); ++i) {
    // Of one element whose sum is 0, so that the fraction is its product.
    const int down = static_cast<int>(random() % (sizeof(TypeParam) == 2 && format.precision == 11 ? 20u : 120u));
    const bool has_root = i % 2 == 1;
    const double middle = std::ldexp(tie<TypeParam>(random), -down);
    const double square = has_root ? middle * middle : middle;
    double numerator = square;
    if (i % 3 == 1) numerator = std::nextafter(square, 2 * square);
    if (i % 3 == 2) numerator = std::nextafter(square, 0.0);
    few_elements few;
    few.count = 1;
    few.products.high = has_root || random() % 2 == 0 ? numerator : -numerator;
    known += agrees<TypeParam>(few, 0, has_root);
  }
  EXPECT_EQ(known, 40000);
}

// Behind the greatest number, in the middle between it and the next one that there would be, is an infinity.
TYPED_TEST(rough_values, fractions_at_the_end_of_the_range) {
  using limits = detail::float_layout<TypeParam>;
  const double greatest = to_double(bit_copy<TypeParam>(static_cast<typename limits::bits_type>(limits::infinity - 1)));
  for (const double more : {0.0, 0x1p-30, 0x1p-20, 0x1p-12, 0x1p-11, 0x1p-9, 0x1p-8, 0x1p-7}) {
    few_elements few;
    few.count = 1;
    few.products.high = greatest * (1 + more);
    agrees<TypeParam>(few, 0, false);
  }
}

}  // namespace
}  // namespace multifold
