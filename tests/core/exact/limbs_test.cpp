// The limbs of exact sums against GMP integers: carries, borrows, headroom, merges, and what is refused.
#include <gtest/gtest.h>

#include <cstdint>

#include "core/exact/data.hpp"
#include "core/exact/oracle.hpp"
#include "multifold/error.hpp"
#include "multifold/exact.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

using testing_oracle::integer_of;

template <class Format>
class exact_limbs : public ::testing::Test {};

using formats = ::testing::Types<exact_traits<f16>, exact_traits<bf16>, exact_traits<float>, exact_traits<double>,
                                 exact_product_traits<f16>, exact_product_traits<bf16>, exact_product_traits<float>,
                                 exact_product_traits<double>>;
TYPED_TEST_SUITE(exact_limbs, formats);

mpz_class power_of_two(int e) { return mpz_class(1) << static_cast<mp_bitcnt_t>(e); }

template <class Format>
bool canonical(const exact_accumulator<Format>& sum) {
  const auto normalised = sum.normalised_limbs();
  for (int i = 0; i + 1 < Format::limb_count; ++i) {
    if (normalised.limb[i] < 0 || normalised.limb[i] > 0xffffffff) return false;
  }
  return normalised.in_range();
}

TYPED_TEST(exact_limbs, random_quanta_and_merges_are_integer_additions) {
  test::random_bits random(11);
  constexpr int bits = 32 * TypeParam::limb_count - 66;  // what 64 bits can be added to without overflow
  for (int round = 0; round < 60; ++round) {
    exact_accumulator<TypeParam> sum, parts[4];
    mpz_class expected = 0;
    for (int i = 0; i < 200; ++i) {
      const auto value = static_cast<std::int64_t>(random()) >> (random() % 64);
      const int position = static_cast<int>(random() % bits);
      parts[random() % 4].add_quanta(value, TypeParam::unit_exponent + position);
      expected += mpz_class(static_cast<long>(value)) << static_cast<mp_bitcnt_t>(position);
    }
    for (const auto& part : parts) sum.merge(part);
    ASSERT_EQ(integer_of(sum.lazy_limbs()), expected);
    ASSERT_EQ(integer_of(sum), expected);
    ASSERT_TRUE(canonical(sum));
  }
}

// 2^k - 1 and back: a borrow and a carry over every limb below k.
TYPED_TEST(exact_limbs, borrows_and_carries_run_over_every_limb) {
  constexpr int unit = TypeParam::unit_exponent;
  constexpr int stride = TypeParam::limb_count > 20 ? 5 : 1;
  for (int k = 0; k < 32 * TypeParam::limb_count - 1; k += stride) {
    for (const int sign : {1, -1}) {
      exact_accumulator<TypeParam> sum;
      sum.add_quanta(sign, unit + k);
      sum.add_quanta(-sign, unit);
      ASSERT_EQ(integer_of(sum), sign * (power_of_two(k) - 1)) << k;
      ASSERT_TRUE(canonical(sum));
      sum.normalise();
      sum.add_quanta(sign, unit);
      ASSERT_EQ(integer_of(sum), sign * power_of_two(k)) << k;
      sum.add_quanta(-sign, unit + k);
      ASSERT_TRUE(sum == exact_accumulator<TypeParam>()) << k;
    }
  }
}

TYPED_TEST(exact_limbs, headroom_is_used_to_its_end_and_never_beyond) {
  using accumulator = exact_accumulator<TypeParam>;
  constexpr std::int64_t limit = accumulator::limbs_type::weight_limit;
  for (const std::int64_t sign : {1, -1}) {
    typename accumulator::limbs_type full{};
    for (int i = 0; i + 2 < TypeParam::limb_count; ++i) full.limb[i] = sign * (limit - 1) * (std::int64_t{1} << 32);
    const mpz_class each = integer_of(full);
    accumulator sum;
    sum.add_limbs(full, limit - 1);
    ASSERT_EQ(sum.weight(), limit);
    ASSERT_EQ(integer_of(sum.lazy_limbs()), each);
    sum.add_quanta(sign, TypeParam::unit_exponent);  // no headroom left: it normalises first
    ASSERT_EQ(sum.weight(), 2);
    ASSERT_EQ(integer_of(sum), each + sign);
    accumulator twin;
    twin.add_limbs(full, limit - 1);
    sum.merge(twin);
    ASSERT_EQ(integer_of(sum), 2 * each + sign);
    twin.merge(twin);
    ASSERT_EQ(integer_of(twin), 2 * each);
    for (auto& limb : full.limb) limb += sign * (limb != 0) * (std::int64_t{1} << 32);
    twin.add_limbs(full, limit);
    ASSERT_EQ(integer_of(twin), 2 * each + integer_of(full));
  }
}

// Inputs whose words are as large as words can be: the weight never promises too little.
TYPED_TEST(exact_limbs, weights_bound_the_limbs) {
  testing_data::engine random(13);
  using element = typename TypeParam::element;
  for (int round = 0; round < 100; ++round) {
    exact_accumulator<TypeParam> sum;
    const element x = testing_data::random_finite<element>(random);
    const element y = testing_oracle::from_bits<element>(testing_oracle::bits_of(x) | 0x3f);
    for (int i = 0; i < 50; ++i) {
      if constexpr (TypeParam::products) sum.add_product(y, x);
      else sum.add(y);
      for (const std::int64_t limb : sum.lazy_limbs().limb) {
        ASSERT_LE(std::abs(limb), sum.weight() * (std::int64_t{1} << 32));
      }
    }
  }
}

// Doubling reaches 2^62 inputs; with one more of every smaller power of two there are 2^63 - 1.
TYPED_TEST(exact_limbs, as_many_inputs_as_can_be_counted_of_the_largest_size) {
  using element = typename TypeParam::element;
  const element largest = testing_oracle::from_bits<element>(testing_data::infinity_bits<element> - 1);
  for (const element x : {largest, testing_data::negated(largest)}) {
    exact_accumulator<TypeParam> power, sum;
    if constexpr (TypeParam::products) power.add_product(x, largest);
    else power.add(x);
    const mpz_class one = integer_of(power);
    for (int i = 0; i < 63; ++i) {
      sum.merge(power);
      if (i < 62) power.merge(power);
    }
    ASSERT_EQ(sum.counters().n, INT64_MAX);
    ASSERT_EQ(integer_of(sum), one * (power_of_two(63) - 1));
    ASSERT_TRUE(canonical(sum));

    const exact_accumulator<TypeParam> before = sum;
    if constexpr (TypeParam::products) EXPECT_THROW(sum.add_product(x, x), overflow_error);
    else EXPECT_THROW(sum.add(x), overflow_error);
    EXPECT_THROW(sum.merge(power), overflow_error);
    EXPECT_THROW(sum.add_counts({1, 0, 0, 0, 0}), overflow_error);
    ASSERT_TRUE(sum == before);
    sum.merge(exact_accumulator<TypeParam>());
    ASSERT_TRUE(sum == before);
  }
}

TYPED_TEST(exact_limbs, quanta_that_do_not_fit_are_refused) {
  constexpr int unit = TypeParam::unit_exponent, bits = 32 * TypeParam::limb_count;
  exact_accumulator<TypeParam> sum;
  sum.add_quanta(5, unit);
  const exact_accumulator<TypeParam> before = sum;
  for (const int exponent : {unit - 1, unit - 63, unit - 64, unit - 1000, INT32_MIN}) {
    EXPECT_THROW(sum.add_quanta(1, exponent), overflow_error) << exponent;
    EXPECT_THROW(sum.add_quanta(-3, exponent), overflow_error) << exponent;
  }
  for (const int exponent : {unit + bits - 1, unit + bits, unit + bits + 100, INT32_MAX}) {
    EXPECT_THROW(sum.add_quanta(1, exponent), overflow_error) << exponent;
    EXPECT_THROW(sum.add_quanta(-1, exponent), overflow_error) << exponent;
  }
  EXPECT_THROW(sum.add_quanta(INT64_MIN, unit + bits - 64), overflow_error);
  sum.add_quanta(0, INT32_MAX);
  sum.add_quanta(0, INT32_MIN);
  EXPECT_TRUE(sum == before);

  sum.add_quanta(3 << 20, unit - 20);  // multiples of the unit
  sum.add_quanta(INT64_MIN, unit - 63);
  EXPECT_EQ(integer_of(sum), 5 + 3 - 1);
  sum.add_quanta(INT64_MIN, unit + bits - 65);
  EXPECT_EQ(integer_of(sum), 7 - power_of_two(bits - 2));
}

template <class Narrow, class Wide>
void expect_widened(test::random_bits& random) {
  for (int round = 0; round < 20; ++round) {
    exact_accumulator<Narrow> narrow;
    for (int i = 0; i < 50; ++i) {
      const auto x = testing_data::random_finite<typename Narrow::element>(random);
      if constexpr (Narrow::products) narrow.add_product(x, x);
      else narrow.add(x);
    }
    narrow.add_counts({3, 1, 1, 0, 2});
    exact_accumulator<Wide> wide;
    wide.add_quanta(-7, Wide::unit_exponent + 5);
    wide.merge(narrow);
    const mpz_class shifted = integer_of(narrow)
                              << static_cast<mp_bitcnt_t>(Narrow::unit_exponent - Wide::unit_exponent);
    ASSERT_EQ(integer_of(wide), shifted - 7 * 32);
    ASSERT_TRUE(wide.counters() == narrow.counters());
  }
}

TEST(exact_widening, a_sum_of_a_narrower_kind_merges_into_a_wider_one) {
  test::random_bits random(12);
  expect_widened<exact_traits<f16>, exact_traits<float>>(random);
  expect_widened<exact_traits<f16>, exact_traits<double>>(random);
  expect_widened<exact_traits<bf16>, exact_traits<float>>(random);
  expect_widened<exact_traits<float>, exact_traits<double>>(random);
  expect_widened<exact_traits<float>, exact_product_traits<float>>(random);
  expect_widened<exact_traits<double>, exact_product_traits<double>>(random);
  expect_widened<exact_product_traits<float>, exact_traits<double>>(random);
  expect_widened<exact_product_traits<bf16>, exact_product_traits<double>>(random);
  static_assert(!exact_fits_in<exact_traits<double>, exact_traits<float>>);
  static_assert(!exact_fits_in<exact_product_traits<double>, exact_traits<double>>);
}

}  // namespace
}  // namespace multifold
