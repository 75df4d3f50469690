// NaN, infinities, signed zeros and no inputs at all: what an exact sum comes to, wherever they stand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "core/exact/data.hpp"
#include "core/exact/oracle.hpp"
#include "multifold/exact.hpp"

namespace multifold {
namespace {

using testing_oracle::bits_of;
using testing_oracle::from_bits;

template <floating_storage T>
struct exact_specials : public ::testing::Test {
  static constexpr std::uint64_t inf = testing_data::infinity_bits<T>, sign = testing_data::sign_bit<T>;
  static constexpr std::uint64_t nan = inf | (inf & ~(inf - 1)) >> 1;  // quiet, positive, no payload
  static constexpr std::uint64_t one = (static_cast<std::uint64_t>(testing_oracle::format_of<T>().bias))
                                       << (testing_oracle::format_of<T>().precision - 1);

  static exact_sum<T> sum(const std::vector<std::uint64_t>& x) {
    exact_sum<T> result;
    for (const std::uint64_t bits : x) result.add(from_bits<T>(bits));
    return result;
  }
  static std::uint64_t total(const std::vector<std::uint64_t>& x) { return bits_of(round_to<T>(sum(x))); }
  static std::uint64_t mean(const std::vector<std::uint64_t>& x) { return bits_of(round_to<T>(exact_mean(sum(x)))); }
  static std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    exact_dot<T> result;
    result.add_product(from_bits<T>(a), from_bits<T>(b));
    return bits_of(round_to<T>(result));
  }
};

using elements = ::testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(exact_specials, elements);

TYPED_TEST(exact_specials, nan_and_both_infinities_are_the_canonical_nan) {
  using f = TestFixture;
  const std::uint64_t payload = f::inf | 5, negative = f::inf | f::sign | 1, largest = f::inf - 1;
  for (const std::uint64_t any : {f::nan, f::nan | f::sign, payload, negative}) {
    EXPECT_EQ(f::total({any}), f::nan);
    EXPECT_EQ(f::total({f::one, any, f::inf}), f::nan);
    EXPECT_EQ(f::total({f::inf | f::sign, largest, any}), f::nan);
    EXPECT_EQ(f::mean({f::one, any}), f::nan);
  }
  EXPECT_EQ(f::total({f::inf, f::inf | f::sign}), f::nan);
  EXPECT_EQ(f::mean({f::inf | f::sign, f::one, f::inf}), f::nan);
}

TYPED_TEST(exact_specials, one_sign_of_infinity_wins_against_everything_finite) {
  using f = TestFixture;
  const std::uint64_t largest = f::inf - 1, smaller = f::inf | f::sign;
  EXPECT_EQ(f::total({f::inf, f::inf, largest | f::sign, largest | f::sign}), f::inf);
  EXPECT_EQ(f::total({largest, smaller, largest, largest}), smaller);
  EXPECT_EQ(f::mean({largest, smaller, largest, f::sign}), smaller);
  EXPECT_EQ(f::total({largest, largest}), f::inf);
  EXPECT_EQ(f::total({largest | f::sign, largest | f::sign}), smaller);
  EXPECT_EQ(f::mean({largest, largest}), largest);
}

TYPED_TEST(exact_specials, zero_is_negative_only_if_every_input_is) {
  using f = TestFixture;
  EXPECT_EQ(f::total({}), 0u);
  EXPECT_EQ(f::total({0}), 0u);
  EXPECT_EQ(f::total({f::sign}), f::sign);
  EXPECT_EQ(f::total({f::sign, f::sign, f::sign}), f::sign);
  EXPECT_EQ(f::total({f::sign, 0, f::sign}), 0u);
  EXPECT_EQ(f::total({f::one, f::sign, f::one | f::sign}), 0u);
  EXPECT_EQ(f::mean({f::sign, f::sign}), f::sign);
  EXPECT_EQ(f::mean({f::sign, 0}), 0u);
  EXPECT_EQ(f::mean({}), f::nan);

  auto merged = f::sum({f::sign});
  merged.merge(exact_sum<TypeParam>());
  EXPECT_EQ(bits_of(round_to<TypeParam>(merged)), f::sign);
  merged.merge(f::sum({0}));
  EXPECT_EQ(bits_of(round_to<TypeParam>(merged)), 0u);
}

TYPED_TEST(exact_specials, products_follow_ieee_754) {
  using f = TestFixture;
  EXPECT_EQ(f::product(f::inf, 0), f::nan);
  EXPECT_EQ(f::product(f::sign, f::inf), f::nan);
  EXPECT_EQ(f::product(f::nan, 0), f::nan);
  EXPECT_EQ(f::product(f::inf | 1, f::inf), f::nan);
  EXPECT_EQ(f::product(f::one, f::nan), f::nan);
  EXPECT_EQ(f::product(f::inf, f::inf | f::sign), f::inf | f::sign);
  EXPECT_EQ(f::product(f::one | f::sign, f::inf | f::sign), f::inf);
  EXPECT_EQ(f::product(f::inf, 1), f::inf);
  EXPECT_EQ(f::product(f::sign, f::sign), 0u);
  EXPECT_EQ(f::product(f::sign, f::one), f::sign);
  EXPECT_EQ(f::product(0, f::one | f::sign), f::sign);
  EXPECT_EQ(f::product(1, 1), 0u);  // not a zero, but far below the smallest subnormal
  EXPECT_EQ(f::product(1, 1 | f::sign), f::sign);
}

// A product is counted as what it is, once.
TYPED_TEST(exact_specials, counts_of_products) {
  using f = TestFixture;
  const std::uint64_t some[] = {0, f::sign, f::one, f::one | f::sign, f::inf, f::inf | f::sign, f::nan};
  for (const std::uint64_t a : some) {
    for (const std::uint64_t b : some) {
      exact_dot<TypeParam> dot;
      dot.add_product(from_bits<TypeParam>(a), from_bits<TypeParam>(b));
      const double expected = to_double(from_bits<TypeParam>(a)) * to_double(from_bits<TypeParam>(b));
      const exact_counters& counters = dot.counters();
      EXPECT_EQ(counters.n, 1);
      EXPECT_EQ(counters.nan, std::isnan(expected));
      EXPECT_EQ(counters.positive_infinity, std::isinf(expected) && expected > 0);
      EXPECT_EQ(counters.negative_infinity, std::isinf(expected) && expected < 0);
      EXPECT_EQ(counters.not_negative_zero, bits_of(expected) != testing_data::sign_bit<double>);
    }
  }
}

TYPED_TEST(exact_specials, roots_and_moments) {
  using f = TestFixture;
  const auto root = [](std::uint64_t a, std::uint64_t b) {
    exact_dot<TypeParam> squares;
    squares.add_product(from_bits<TypeParam>(a), from_bits<TypeParam>(b));
    return bits_of(round_to<TypeParam>(exact_root(squares)));
  };
  EXPECT_EQ(root(f::inf | f::sign, f::inf | f::sign), f::inf);
  EXPECT_EQ(root(f::nan, f::one), f::nan);
  EXPECT_EQ(root(f::sign, f::sign), 0u);
  EXPECT_EQ(root(f::one | f::sign, f::one), f::nan);
  EXPECT_EQ(root(f::one, f::inf | f::sign), f::nan);
  EXPECT_EQ(root(f::inf - 1, f::inf - 1), f::inf - 1);
  EXPECT_EQ(root(1, 1), 1u);
  EXPECT_EQ(bits_of(round_to<TypeParam>(exact_root(exact_dot<TypeParam>()))), 0u);

  const auto variance = [](const std::vector<std::uint64_t>& x, std::int64_t ddof) {
    exact_dot<TypeParam> squares;
    for (const auto bits : x) squares.add_product(from_bits<TypeParam>(bits), from_bits<TypeParam>(bits));
    return bits_of(round_to<TypeParam>(exact_variance(f::sum(x), squares, ddof)));
  };
  EXPECT_EQ(variance({}, 0), f::nan);
  EXPECT_EQ(variance({f::one, f::inf}, 0), f::nan);
  EXPECT_EQ(variance({f::one, f::nan}, 0), f::nan);
  EXPECT_EQ(variance({f::sign, f::sign}, 0), 0u);
  EXPECT_EQ(variance({f::one}, 0), 0u);
  EXPECT_EQ(variance({f::one}, 1), f::nan);  // 0 / 0, as in NumPy
  EXPECT_EQ(variance({f::one, 0}, 2), f::inf);
  EXPECT_EQ(variance({f::one, 0}, 7), f::inf);
}

// Specials at every position of a longer input, against what IEEE 754 says of their combination.
TYPED_TEST(exact_specials, any_mixture_anywhere) {
  using f = TestFixture;
  testing_data::engine random(41);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint64_t> x;
    for (int i = 0; i < 40; ++i) x.push_back(bits_of(testing_data::random_finite<TypeParam>(random)));
    const std::uint64_t specials[] = {f::inf, f::inf | f::sign, f::nan, f::inf | 1};
    const auto kinds = random() % 5;
    double expected = 0;
    for (std::uint64_t k = 0; k < kinds; ++k) {
      const std::uint64_t special = specials[random() % 4];
      x[random() % x.size()] = special;
    }
    bool any = false;
    for (const auto bits : x) {
      const double value = to_double(from_bits<TypeParam>(bits));
      if (std::isfinite(value)) continue;
      expected += value;
      any = true;
    }
    if (!any) continue;
    const std::uint64_t bits = std::isnan(expected) ? f::nan : expected < 0 ? f::inf | f::sign : f::inf;
    ASSERT_EQ(f::total(x), bits);
  }
}

TEST(exact_nan, canonical_nans_have_these_bits_in_every_format) {
  exact_sum<float> sum;
  sum.add(std::bit_cast<float>(0xffc12345u));
  EXPECT_EQ(round_to<f16>(sum).bits, 0x7e00);
  EXPECT_EQ(round_to<bf16>(sum).bits, 0x7fc0);
  EXPECT_EQ(bits_of(round_to<float>(sum)), 0x7fc00000u);
  EXPECT_EQ(bits_of(round_to<double>(sum)), 0x7ff8000000000000u);
}

}  // namespace
}  // namespace multifold
