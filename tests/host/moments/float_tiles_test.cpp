// Tiles of floating point of 2 and 4 bytes to their sums of moments, beside sums one by one: of many kinds, alike or not.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "host/moments/rows.hpp"
#include "host/moments/tile.hpp"
#include "random_bits.hpp"

namespace {

using namespace multifold;
using namespace multifold::host;

// Tiles of many kinds: ordinary ones, wide ones, subnormal ones, zeros, some with specials.
template <class T>
std::vector<T> any_elements(test::random_bits& random, std::size_t count) {
  using bits = decltype(bits_of_element(T{}));
  using layout = multifold::detail::float_layout<T>;
  std::vector<T> v(count);
  const auto ordinary = static_cast<bits>(layout::bias) << layout::mantissa_bits;
  const bits fraction = static_cast<bits>((bits{1} << layout::mantissa_bits) - 1);
  const bool alike = random() % 2 == 0;
  unsigned kind = random() % 6;
  for (std::size_t k = 0; k < count; k += 500) {
    if (!alike || random() % 16 == 0) kind = random() % 6;
    for (std::size_t i = k; i < std::min(count, k + 500); ++i) {
      bits b = static_cast<bits>(random());
      const bits exponent = static_cast<bits>(ordinary - (bits{1} << layout::mantissa_bits) * (random() % 12));
      if (kind < 3) b = static_cast<bits>((b & (layout::sign | fraction)) | exponent);
      else if (kind == 3) b = static_cast<bits>(b & (layout::sign | fraction));
      else if (kind == 4) b = static_cast<bits>(b & layout::sign);
      const bool special = static_cast<bits>(b & ~layout::sign) >= layout::infinity;
      if (special && random() % 4 != 0) b = static_cast<bits>(b & (layout::sign | fraction));
      v[i] = std::bit_cast<T>(b);
    }
  }
  return v;
}

template <exact_format Format>
void expect_same(const exact_accumulator<Format>& found, const exact_accumulator<Format>& expected) {
  const exact_counters &a = found.counters(), &b = expected.counters();
  EXPECT_EQ(found.normalised_limbs(), expected.normalised_limbs());
  EXPECT_EQ(a.n, b.n);
  EXPECT_EQ(a.nan, b.nan);
  EXPECT_EQ(a.positive_infinity, b.positive_infinity);
  EXPECT_EQ(a.negative_infinity, b.negative_infinity);
  EXPECT_EQ(a.not_negative_zero > 0, b.not_negative_zero > 0);
}

template <class T, moment_set Set>
void check_tiles(test::random_bits& random) {
  using Op = exact_moments<T, Set>;
  constexpr bool two = reads_two_arrays(Set);
  for (const std::size_t count : {7, 100, 1023, 1025, 5000, 32768, 40001}) {
    const std::vector<T> x = any_elements<T>(random, count), y = two ? any_elements<T>(random, count) : x;
    for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit}) {
      const Op op{nan};
      auto expected = op.identity();
      for (std::size_t i = 0; i < count; ++i) {
        if constexpr (two) op.add(expected, {x[i], y[i]}, static_cast<std::int64_t>(i));
        else op.add(expected, x[i], static_cast<std::int64_t>(i));
      }
      for (const simd_level level : {simd_level::portable, simd_level::avx2, simd_level::avx512}) {
        if (!supported(level)) continue;
        SCOPED_TRACE(std::string(name(level)) + " " + std::to_string(count));
        auto found = op.identity();
        const moment_tile<T> s{reinterpret_cast<const packed<T>*>(x.data()),
                               reinterpret_cast<const packed<T>*>(y.data()),
                               {0, 1, static_cast<std::int64_t>(count)}};
        add_tiles<Op>(op, found, s,
                      level == simd_level::portable ? gather_portable<Op>
                      : level == simd_level::avx2   ? gather_avx2<Op>
                                                    : gather_avx512<Op>);
        expect_same(found.products, expected.products);
        if constexpr (sums_elements(Set)) expect_same(found.x, expected.x);
        if constexpr (Set == moment_set::joint) expect_same(found.y, expected.y);
      }
    }
  }
}

template <class T>
void check_sets() {
  for (const unsigned seed : {1u, std::random_device{}()}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::random_bits random(seed);
    check_tiles<T, moment_set::squares>(random);
    check_tiles<T, moment_set::products>(random);
    check_tiles<T, moment_set::spread>(random);
    check_tiles<T, moment_set::joint>(random);
  }
}

}  // namespace

TEST(float_tiles, of_f32) { check_sets<float>(); }
TEST(float_tiles, of_bf16) { check_sets<bf16>(); }
TEST(float_tiles, of_f16) { check_sets<f16>(); }
