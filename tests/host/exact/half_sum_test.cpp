// Tiles of f16 at the bounds of their fixed point, at every SIMD level.
#include "host/exact/half_sum.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "host/exact/instance.hpp"
#include "host/simd_guard.hpp"
#include "random_bits.hpp"

namespace {

using namespace multifold;

constexpr std::int64_t most = host::exact_tile_elements<f16>;
constexpr std::uint16_t infinity = 0x7c00, negative = 0x8000;

exact_pair sum_of(host::simd_level level, const std::byte* x, std::int64_t count) {
  const auto& kernels = host::exact_kernels_of<f16>[static_cast<std::size_t>(level)];
  return kernels.sum_tile(host::packed_at<f16>(x), count);
}
exact_pair sum_of(host::simd_level level, const std::vector<std::uint16_t>& bits) {
  return sum_of(level, reinterpret_cast<const std::byte*>(bits.data()), static_cast<std::int64_t>(bits.size()));
}

bool is_finite(std::uint16_t bits) { return (bits & infinity) != infinity; }

// In units of 2^-24, by the definition of the format.
std::int64_t units_of(std::uint16_t bits) {
  const int field = (bits & infinity) >> 10, fraction = bits & 0x3ff;
  const std::int64_t magnitude = field == 0 ? fraction : std::int64_t{1024 + fraction} << (field - 1);
  return (bits & negative) != 0 ? -magnitude : magnitude;
}

void expect_units(const exact_pair& found, std::int64_t units, bool negative_zero = false) {
  ASSERT_FALSE(found.lost());
  ASSERT_EQ(found.low, 0);
  ASSERT_EQ(std::ldexp(found.high, 24), static_cast<double>(units));
  ASSERT_EQ(std::signbit(found.high), units < 0 || negative_zero);
}

std::uint16_t any_finite(test::random_bits& random) {
  const auto bits = static_cast<std::uint16_t>(random());
  return is_finite(bits) ? bits : static_cast<std::uint16_t>(bits ^ 0x4000);
}

}  // namespace

TEST(half_sum, a_tile_of_any_one_element_is_exact) {
  for (const host::simd_level level : test::levels()) {
    for (unsigned pattern = 0; pattern <= 0xffff; ++pattern) {
      const auto bits = static_cast<std::uint16_t>(pattern);
      const std::vector<std::uint16_t> x(static_cast<std::size_t>(most), bits);
      const exact_pair found = sum_of(level, x);
      if (is_finite(bits))
        ASSERT_NO_FATAL_FAILURE(expect_units(found, units_of(bits) * most, bits == negative)) << bits;
      else ASSERT_TRUE(found.lost()) << bits;
    }
  }
}

TEST(half_sum, any_elements_add_up_at_any_length_and_address) {
  test::random_bits random(16);
  std::vector<std::int64_t> counts{most - 1, most};
  for (std::int64_t count = 0; count <= 200; ++count) counts.push_back(count);
  for (const host::simd_level level : test::levels()) {
    for (const std::int64_t count : counts) {
      std::vector<std::byte> memory(static_cast<std::size_t>(2 * count + 1));
      std::int64_t units = 0;
      for (std::int64_t k = 0; k < count; ++k) {
        const std::uint16_t bits = any_finite(random);
        std::memcpy(memory.data() + 1 + 2 * k, &bits, 2);
        units += units_of(bits);
      }
      const exact_pair found = sum_of(level, memory.data() + 1, count);
      ASSERT_NO_FATAL_FAILURE(expect_units(found, units, count == 0)) << count;
    }
  }
}

// The largest, and beside it what is rounded away from it: elements on both sides of all halfway cases of 2^-4.
TEST(half_sum, the_largest_cancel_and_leave_the_least) {
  for (const host::simd_level level : test::levels()) {
    for (unsigned pattern = 0; pattern < infinity; ++pattern) {
      std::vector<std::uint16_t> x(96, 0x7bff);
      for (std::size_t k = 0; k < 47; ++k) x[k] = 0xfbff;
      const auto bits = static_cast<std::uint16_t>(pattern);
      x[95] = bits;
      x[0] = 0x8001;
      ASSERT_NO_FATAL_FAILURE(expect_units(sum_of(level, x), 2 * units_of(0x7bff) - 1 + units_of(bits))) << bits;
    }
  }
}

TEST(half_sum, a_special_is_noticed_wherever_it_is) {
  for (const host::simd_level level : test::levels()) {
    for (const std::uint16_t special : {0x7c00, 0xfc00, 0x7c01, 0x7dff, 0x7e00, 0xfe00, 0xffff}) {
      for (std::size_t at = 0; at < 100; ++at) {
        std::vector<std::uint16_t> x(100, 0x7bff);
        x[at] = special;
        ASSERT_TRUE(sum_of(level, x).lost()) << special << " " << at;
      }
      // Two that cancel, in one lane and in two.
      for (const std::size_t other : {1, 32}) {
        std::vector<std::uint16_t> x(100, 0);
        x[0] = special;
        x[other] = special ^ negative;
        ASSERT_TRUE(sum_of(level, x).lost()) << special;
      }
    }
  }
}

TEST(half_sum, zeros_have_the_sign_of_their_sum) {
  for (const host::simd_level level : test::levels()) {
    for (const std::size_t count : {1, 31, 32, 33, 100}) {
      std::vector<std::uint16_t> x(count, negative);
      ASSERT_NO_FATAL_FAILURE(expect_units(sum_of(level, x), 0, true));
      for (std::size_t k = 0; k < count; ++k) {
        x[k] = 0;
        ASSERT_NO_FATAL_FAILURE(expect_units(sum_of(level, x), 0));
        x[k] = negative;
      }
    }
    ASSERT_NO_FATAL_FAILURE(expect_units(sum_of(level, {0x0001, 0x8001}), 0));
  }
}
