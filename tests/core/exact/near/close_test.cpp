// Rounding of numbers that are nearly known to formats of 2 and 4 bytes: what is certain is what both ends round to.
#include "multifold/exact/near/close.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "random_bits.hpp"

namespace multifold {
namespace {

template <floating_storage T>
class close_numbers : public ::testing::Test {};
using formats = ::testing::Types<f16, bf16, float>;
TYPED_TEST_SUITE(close_numbers, formats);

// Of the format's exponents and a few more, many of them near the middle between two numbers of it.
template <floating_storage T>
double number_of(test::random_bits& random) {
  constexpr int bias = detail::float_layout<T>::bias, places = detail::float_layout<T>::mantissa_bits;
  const auto exponent = static_cast<int>(random() % (2 * bias + 20)) - bias - 10;
  const auto whole = static_cast<double>((std::uint64_t{1} << places) + random() % (std::uint64_t{1} << places));
  const double beside = std::ldexp(static_cast<double>(random() % 2001) - 1000, -static_cast<int>(random() % 50));
  const double v = std::ldexp(whole + (random() % 2 == 0 ? 0.5 : 0.0) + 0x1p-12 * beside, exponent - places);
  return random() % 2 == 0 ? v : -v;
}

template <floating_storage T>
void expect_right(double v, double error, T out) {
  EXPECT_TRUE(detail::same_bits(out, detail::nearest<T>(v - error))) << v << " within " << error;
  EXPECT_TRUE(detail::same_bits(out, detail::nearest<T>(v + error))) << v << " within " << error;
}

TYPED_TEST(close_numbers, are_certain_where_both_ends_round_to_one) {
  test::random_bits random(1501);
  int certain = 0;
  constexpr int trials = 400'000;
  for (int i = 0; i < trials && !this->HasFailure(); ++i) {
    const double v = number_of<TypeParam>(random);
    const double error =
        std::fabs(v) * std::ldexp(1 + 0x1p-10 * static_cast<double>(random() % 1024), -static_cast<int>(random() % 48));
    TypeParam out{};
    if (!detail::round_if_within(v, error, out)) continue;
    ++certain;
    expect_right(v, error, out);
  }
  EXPECT_GT(certain, trials / 4);
}

TYPED_TEST(close_numbers, are_certain_but_beside_the_middle) {
  test::random_bits random(1502);
  int certain = 0;
  constexpr int trials = 200'000;
  for (int i = 0; i < trials && !this->HasFailure(); ++i) {
    const double v = number_of<TypeParam>(random);
    TypeParam out{};
    if (!detail::round_if_close(v, out)) continue;
    ++certain;
    expect_right(v, 0x1p-42 * std::fabs(v), out);
  }
  EXPECT_GT(certain, trials / 2);
  TypeParam zero{};
  EXPECT_TRUE(detail::round_if_close(0.0, zero) && to_double(zero) == 0);
  for (const double v : {HUGE_VAL, -HUGE_VAL, std::nan("")}) EXPECT_FALSE(detail::round_if_close(v, zero));
}

}  // namespace
}  // namespace multifold
