// The one rounding, from limbs to every format, against MPFR: ties, sticky bits, borders, overflow, both signs.
#include <gtest/gtest.h>

#include <cstdint>

#include "core/exact/data.hpp"
#include "core/exact/oracle.hpp"
#include "multifold/exact.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

using testing_oracle::bits_of;
using testing_oracle::format_of;
using testing_oracle::nearest;
using testing_oracle::sum_of;

template <floating_storage T, class Format>
void expect_nearest(const mpz_class& value) {
  const T found = round_to<T>(sum_of<Format>(value));
  ASSERT_EQ(bits_of(found), nearest<T>(value, Format::unit_exponent))
      << name(dtype_of<T>) << " of " << value.get_str(16) << " * 2^" << Format::unit_exponent;
}

template <class Format>
void expect_nearest_everywhere(const mpz_class& value) {
  for (const mpz_class& x : {value, mpz_class(-value)}) {
    ASSERT_NO_FATAL_FAILURE((expect_nearest<f16, Format>(x)));
    ASSERT_NO_FATAL_FAILURE((expect_nearest<bf16, Format>(x)));
    ASSERT_NO_FATAL_FAILURE((expect_nearest<float, Format>(x)));
    ASSERT_NO_FATAL_FAILURE((expect_nearest<double, Format>(x)));
  }
}

// In the format whose significands have `precision` bits.
template <class Format>
void expect_nearest_of(int precision, const mpz_class& value) {
  switch (precision) {
    case 8: return expect_nearest<bf16, Format>(value);
    case 11: return expect_nearest<f16, Format>(value);
    case 24: return expect_nearest<float, Format>(value);
    default: return expect_nearest<double, Format>(value);
  }
}

template <class Format>
class exact_round : public ::testing::Test {};

using formats = ::testing::Types<exact_traits<f16>, exact_traits<float>, exact_traits<double>,
                                 exact_product_traits<float>, exact_product_traits<double>>;
TYPED_TEST_SUITE(exact_round, formats);

mpz_class power_of_two(int e) { return mpz_class(1) << static_cast<mp_bitcnt_t>(e); }

template <class Format>
int stride() {
  return Format::limb_count > 20 ? 3 : 1;
}

TYPED_TEST(exact_round, powers_of_two_and_their_neighbours) {
  for (int k = 0; k < 32 * TypeParam::limb_count - 1; k += stride<TypeParam>()) {
    const mpz_class x = power_of_two(k);
    for (const mpz_class& y : {x, mpz_class(x - 1), mpz_class(x + 1)}) {
      ASSERT_NO_FATAL_FAILURE(expect_nearest_everywhere<TypeParam>(y));
    }
  }
}

// A tie of a format with p bits at every height of its last bit: even, odd and all ones, and one unit to either side,
// however far below. In subnormal ranges the same patterns tie at the fixed last bit.
TYPED_TEST(exact_round, ties_and_the_least_that_breaks_them) {
  test::random_bits random(21);
  constexpr int bits = 32 * TypeParam::limb_count - 1;
  for (const int p : {8, 11, 24, 53}) {
    for (int last = 1 + static_cast<int>(random() % 3); last + p < bits; last += stride<TypeParam>()) {
      const std::uint64_t any = (random() >> (64 - p)) | (std::uint64_t{1} << (p - 1));
      const std::uint64_t ones = ~std::uint64_t{0} >> (64 - p);
      for (const std::uint64_t leading : {any & ~std::uint64_t{1}, any | 1, ones}) {
        const mpz_class tie = (2 * mpz_class(static_cast<unsigned long>(leading)) + 1)
                              << static_cast<mp_bitcnt_t>(last - 1);
        for (const mpz_class& x : {tie, mpz_class(tie - 1), mpz_class(tie + 1)}) {
          const mpz_class y = (random() & 1) != 0 ? x : mpz_class(-x);
          ASSERT_NO_FATAL_FAILURE((expect_nearest_of<TypeParam>(p, y)));
        }
      }
    }
  }
}

// Every multiple of half a unit in the last place around the borders of T, and one unit of the limbs to either side.
template <floating_storage T, class Format>
void expect_borders() {
  constexpr auto f = format_of<T>();
  const int half = f.least() - 1 - Format::unit_exponent;  // of the smallest subnormal
  const mpz_class normal = power_of_two(f.precision - 1);
  for (int k = -20; k <= 20; ++k) {
    for (const int offset : {-1, 0, 1}) {
      for (const mpz_class& border : {mpz_class(0), mpz_class(2 * normal), mpz_class(4 * normal)}) {
        if (half < 0) continue;
        const mpz_class x = ((border + k) << static_cast<mp_bitcnt_t>(half)) + offset;
        ASSERT_NO_FATAL_FAILURE((expect_nearest<T, Format>(x)));
      }
      const int top = f.bias + 1 - Format::unit_exponent, half_of_last = top - f.precision - 1;
      if (top + 1 >= 32 * Format::limb_count || half_of_last < 0) continue;
      const mpz_class x = power_of_two(top) + (mpz_class(k) << static_cast<mp_bitcnt_t>(half_of_last)) + offset;
      ASSERT_NO_FATAL_FAILURE((expect_nearest<T, Format>(x)));
      ASSERT_NO_FATAL_FAILURE((expect_nearest<T, Format>(-x)));
    }
  }
}

TYPED_TEST(exact_round, borders_of_subnormals_and_of_overflow) {
  expect_borders<f16, TypeParam>();
  expect_borders<bf16, TypeParam>();
  expect_borders<float, TypeParam>();
  expect_borders<double, TypeParam>();
}

TYPED_TEST(exact_round, random_sums_of_every_width_and_sparse_ones) {
  test::random_bits random(22);
  gmp_randclass source(gmp_randinit_default);
  source.seed(22);
  for (int width = 1; width < 32 * TypeParam::limb_count; width += stride<TypeParam>()) {
    mpz_class x = source.get_z_bits(static_cast<mp_bitcnt_t>(width));
    ASSERT_NO_FATAL_FAILURE(expect_nearest_everywhere<TypeParam>(x));
    x = power_of_two(width - 1) + power_of_two(static_cast<int>(random() % static_cast<unsigned>(width)));
    if (mpz_sizeinbase(x.get_mpz_t(), 2) >= 32 * TypeParam::limb_count) continue;
    ASSERT_NO_FATAL_FAILURE(expect_nearest_everywhere<TypeParam>(x));
  }
}

// Limbs that are all ones below the sign, as -1 and its multiples are.
TYPED_TEST(exact_round, negative_sums_of_ones) {
  for (int k = 0; k + 60 < 32 * TypeParam::limb_count; k += stride<TypeParam>()) {
    const int low = k < 70 ? 0 : k - 70;
    for (const mpz_class& x : {mpz_class(power_of_two(k) - power_of_two(low)), mpz_class(power_of_two(k) - 1)}) {
      ASSERT_NO_FATAL_FAILURE(expect_nearest_everywhere<TypeParam>(x));
    }
  }
}

TEST(exact_round_to, a_dtype_at_run_time_is_the_same_rounding) {
  exact_sum<double> sum;
  sum.add(1.0);
  sum.add(0x1p-60);
  sum.add(-0x1p-9);
  const exact_value value = exact_total(sum);
  f16 half{};
  bf16 brain{};
  float single = 0;
  double wide = 0;
  round_to(value, dtype::f16, &half);
  round_to(value, dtype::bf16, &brain);
  round_to(value, dtype::f32, &single);
  round_to(value, dtype::f64, &wide);
  EXPECT_EQ(half.bits, round_to<f16>(sum).bits);
  EXPECT_EQ(brain.bits, round_to<bf16>(sum).bits);
  EXPECT_EQ(bits_of(single), bits_of(round_to<float>(sum)));
  EXPECT_EQ(bits_of(wide), bits_of(round_to<double>(sum)));
}

}  // namespace
}  // namespace multifold
