// Integers and quotients of integers, rounded once to every floating dtype; and which integers fit which dtype.
#include "multifold/types/scalar.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "core/nearest.hpp"
#include "multifold/ops.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

using testing_oracle::binary_format;
using testing_oracle::is_nearest;

constexpr dtype floating_dtypes[] = {dtype::f16, dtype::bf16, dtype::f32, dtype::f64};

binary_format format_of(dtype type) {
  return type == dtype::f16    ? testing_oracle::binary16
         : type == dtype::bf16 ? testing_oracle::bfloat16
         : type == dtype::f32  ? testing_oracle::binary32
                               : testing_oracle::binary64;
}

// The bits that store() writes.
std::uint64_t stored(const scalar& value, dtype type) {
  alignas(8) unsigned char out[8] = {};
  EXPECT_EQ(store(value, type, out), status::ok);
  std::uint64_t bits = 0;
  std::memcpy(&bits, out, sizeof bits);
  return bits;
}

// Checks sign and magnitude of `value / divisor` in every floating dtype.
void expect_rounded(const scalar& value, int128_t numerator, std::int64_t divisor) {
  for (const dtype type : floating_dtypes) {
    const std::uint64_t sign = std::uint64_t{1} << (8 * item_bytes(type) - 1);
    const std::uint64_t bits = stored(value, type);
    ASSERT_EQ((bits & sign) != 0, numerator < 0);
    ASSERT_TRUE(
        is_nearest(detail::magnitude_of(numerator), static_cast<std::uint64_t>(divisor), bits & ~sign, format_of(type)))
        << name(type) << " " << std::hex << bits << " from " << static_cast<std::uint64_t>(numerator >> 64) << ":"
        << static_cast<std::uint64_t>(numerator) << " / " << divisor;
  }
}

void expect_rounded(int128_t value) { expect_rounded(scalar::of_integer(value, 1), value, 1); }

int128_t random_integer(test::random_bits& random, int width) {
  const uint128_t bits = static_cast<uint128_t>(random()) << 64 | random();
  const auto value = width == 0 ? int128_t{0} : static_cast<int128_t>(bits >> (128 - width));
  return (random() & 1) != 0 ? -value : value;
}

TEST(scalar, random_integers_round_once_to_every_floating_dtype) {
  test::random_bits random(1);
  for (int width = 1; width <= 127; ++width) {
    for (int i = 0; i < 40; ++i) ASSERT_NO_FATAL_FAILURE(expect_rounded(random_integer(random, width)));
  }
}

// A tie of a format with p bits, alone and with one more bit at the very bottom or top of what follows.
TEST(scalar, integer_ties_and_their_neighbours_round_to_nearest_even) {
  test::random_bits random(2);
  for (const int p : {8, 11, 24, 53}) {
    for (int width = p + 1; width <= 126; ++width) {
      for (int i = 0; i < 6; ++i) {
        const int128_t leading = (int128_t{1} << (p - 1)) | static_cast<int128_t>(random() >> (65 - p));
        const int128_t tie = (2 * leading + 1) << (width - p - 1);
        for (const int128_t value : {tie, tie - 1, tie + 1}) {
          ASSERT_NO_FATAL_FAILURE(expect_rounded(value));
          ASSERT_NO_FATAL_FAILURE(expect_rounded(-value));
        }
      }
    }
  }
}

TEST(scalar, powers_of_two_and_their_neighbours) {
  for (int k = 0; k <= 126; ++k) {
    for (const int d : {-1, 0, 1}) {
      const int128_t value = (int128_t{1} << k) + d;
      if (value == 0) continue;
      ASSERT_NO_FATAL_FAILURE(expect_rounded(value));
      ASSERT_NO_FATAL_FAILURE(expect_rounded(-value));
    }
  }
}

TEST(scalar, the_extremes_of_128_bits) {
  constexpr int128_t least = static_cast<int128_t>(uint128_t{1} << 127);
  EXPECT_EQ(integer_to_double(least, 0), -0x1p127);
  EXPECT_EQ(integer_to_float(least, 0), -0x1p127f);
  EXPECT_EQ(integer_to_odd(least, 0), -0x1p127);
  EXPECT_EQ(integer_to_double(~least, 0), 0x1p127);
  EXPECT_EQ(integer_to_float(~least, 0), 0x1p127f);
  EXPECT_EQ(integer_to_odd(~least, 0), 0x1.fffffffffffffp126);
  EXPECT_EQ(stored(divide(least, 1), dtype::f64), std::bit_cast<std::uint64_t>(-0x1p127));
  EXPECT_EQ(stored(scalar::of_integer(0, 1), dtype::f64), 0u);  // +0, not -0
  EXPECT_EQ(stored(divide(0, 7), dtype::f64), 0u);
}

TEST(scalar, random_quotients_round_once_to_every_floating_dtype) {
  test::random_bits random(3);
  for (int i = 0; i < 20000; ++i) {
    const auto width = static_cast<int>(random() % 127);
    const std::int64_t divisor = std::max<std::int64_t>(1, static_cast<std::int64_t>(random() >> (1 + random() % 63)));
    int128_t value = random_integer(random, width);
    if (value == 0) value = 1;
    ASSERT_NO_FATAL_FAILURE(expect_rounded(divide(value, divisor), value, divisor));
  }
}

// (2 m + 1) d / (2 d) for m of p bits is a tie; one more in the numerator is the faintest sticky bit there is.
TEST(scalar, quotients_at_a_tie_and_next_to_it) {
  test::random_bits random(4);
  for (const int p : {8, 11, 24, 53}) {
    for (int i = 0; i < 2000; ++i) {
      const std::int64_t half = std::max<std::int64_t>(1, static_cast<std::int64_t>(random() >> (2 + random() % 61)));
      const int128_t leading = (int128_t{1} << (p - 1)) | static_cast<int128_t>(random() >> (65 - p));
      const int128_t tie = (2 * leading + 1) * half;
      for (const int128_t value : {tie, tie - 1, tie + 1, -tie, -tie - 1, -tie + 1}) {
        ASSERT_NO_FATAL_FAILURE(expect_rounded(divide(value, 2 * half), value, 2 * half));
      }
    }
  }
}

TEST(scalar, the_smallest_and_the_largest_quotients) {
  for (const std::int64_t divisor :
       {INT64_MAX, INT64_MAX - 1, std::int64_t{1} << 62, std::int64_t{3}, std::int64_t{1}}) {
    for (const int128_t value : {int128_t{1}, int128_t{2}, int128_t{3}, int128_t{INT64_MAX}, (int128_t{1} << 126) - 1,
                                 static_cast<int128_t>(INT64_MAX) * INT64_MAX}) {
      ASSERT_NO_FATAL_FAILURE(expect_rounded(divide(value, divisor), value, divisor));
      ASSERT_NO_FATAL_FAILURE(expect_rounded(divide(-value, divisor), -value, divisor));
    }
  }
}

// A quotient that fills 64 bits as it is: what is left over is all that tells a tie from what lies above it.
TEST(scalar_division, a_rest_behind_a_full_quotient) {
  for (const std::int64_t half : {std::int64_t{512}, std::int64_t{256}, std::int64_t{1} << 8, std::int64_t{1} << 9}) {
    const int128_t tie = static_cast<int128_t>((std::int64_t{1} << 53) + 1) * half;
    for (const std::int64_t divisor : {3, 7, 1000}) {
      for (const int rest : {-1, 0, 1}) {
        const int128_t sum = tie * divisor + rest;
        ASSERT_NO_FATAL_FAILURE(expect_rounded(divide(sum, divisor), sum, divisor));
        ASSERT_NO_FATAL_FAILURE(expect_rounded(divide(-sum, divisor), -sum, divisor));
      }
    }
  }
}

TEST(scalar, exact_quotients_stay_integers) {
  const scalar s = divide(int128_t{-84}, 2);
  EXPECT_EQ(s.what, scalar::kind::integer);
  EXPECT_EQ(s.exponent, 0);
  EXPECT_TRUE(s.integer == -42);
}

TEST(scalar, integers_fit_their_dtype_up_to_its_limits_and_no_further) {
  for (int d = 0; d <= static_cast<int>(dtype::u64); ++d) {
    const auto type = static_cast<dtype>(d);
    const int bits = type == dtype::boolean ? 1 : static_cast<int>(8 * item_bytes(type));
    const bool no_sign = is_unsigned(type) || type == dtype::boolean;
    const int128_t least = no_sign ? int128_t{0} : -(int128_t{1} << (bits - 1));
    const int128_t greatest = (int128_t{1} << (no_sign ? bits : bits - 1)) - 1;
    for (const int128_t value : {least, least + 1, int128_t{0}, int128_t{1}, greatest - 1, greatest}) {
      const std::uint64_t mask = item_bytes(type) == 8 ? ~0ull : (1ull << (8 * item_bytes(type))) - 1;
      EXPECT_EQ(stored(scalar::of_integer(value, 1), type), static_cast<std::uint64_t>(value) & mask) << name(type);
    }
    for (const int128_t value : {least - 1, greatest + 1, int128_t{1} << 100, -(int128_t{1} << 100)}) {
      std::uint64_t untouched = 0x5555555555555555u;
      EXPECT_EQ(store(scalar::of_integer(value, 1), type, &untouched), status::overflow) << name(type);
      EXPECT_EQ(untouched, 0x5555555555555555u);
    }
  }
}

TEST(scalar, failures_pass_through_and_write_nothing) {
  for (const dtype type : {dtype::i32, dtype::f16, dtype::f64}) {
    std::uint64_t untouched = 0x5555555555555555u;
    EXPECT_EQ(store(scalar::failed(scalar::kind::overflow, 3), type, &untouched), status::overflow);
    EXPECT_EQ(store(scalar::failed(scalar::kind::empty, 3), type, &untouched), status::empty);
    EXPECT_EQ(untouched, 0x5555555555555555u);
  }
  std::uint64_t untouched = 7;
  EXPECT_EQ(store(scalar::of_real(1.0, 1), dtype::i64, &untouched), status::overflow);
  EXPECT_EQ(untouched, 7u);
}

TEST(scalar, reals_keep_signed_zeros_and_infinities_and_make_nan_canonical) {
  const double infinity = std::numeric_limits<double>::infinity();
  constexpr std::uint64_t infinities[] = {0x7c00, 0x7f80, 0x7f800000, 0x7ff0000000000000};
  constexpr std::uint64_t nans[] = {0x7e00, 0x7fc0, 0x7fc00000, 0x7ff8000000000000};
  const double odd_nan = std::bit_cast<double>(0xfff8000000001234ull);
  for (std::size_t i = 0; i < 4; ++i) {
    const dtype type = floating_dtypes[i];
    const std::uint64_t sign = std::uint64_t{1} << (8 * item_bytes(type) - 1);
    EXPECT_EQ(stored(scalar::of_real(0.0, 1), type), 0u);
    EXPECT_EQ(stored(scalar::of_real(-0.0, 1), type), sign);
    EXPECT_EQ(stored(scalar::of_real(infinity, 1), type), infinities[i]);
    EXPECT_EQ(stored(scalar::of_real(-infinity, 1), type), infinities[i] | sign);
    EXPECT_EQ(stored(scalar::of_real(odd_nan, 1), type), nans[i]);
  }
}

}  // namespace
}  // namespace multifold
