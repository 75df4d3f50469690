// Fast sums of f16 along rows: the same bits at every SIMD level, those of the exact sum while double holds it.
#include "host/ops/half_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "host/kernels/instantiate.hpp"
#include "random_bits.hpp"

namespace {

using namespace multifold;
using namespace multifold::host;

double row_sum(simd_level level, const std::vector<f16>& x) {
  const half_float_sum<false> op;
  double sum = op.identity();
  rows_work w{};
  w.data = reinterpret_cast<const std::byte*>(x.data());
  w.acc = reinterpret_cast<std::byte*>(&sum);
  w.rows = 1;
  w.length = w.row_stride = static_cast<std::int64_t>(x.size());
  table_of<half_float_sum<false>>.kernels[static_cast<std::size_t>(level)].rows(&op, w);
  return sum;
}

void check(const std::vector<f16>& x) {
  double expected = -0.0;  // multiples of 2^-24 below 2^16: 2^13 of them add up exactly
  for (const f16 v : x) expected += to_double(v);
  for (const simd_level level : {simd_level::portable, simd_level::avx2, simd_level::avx512}) {
    if (!supported(level)) continue;
    const double found = row_sum(level, x);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(found)) << name(level) << ' ' << x.size();
    } else {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(found), std::bit_cast<std::uint64_t>(expected))
          << name(level) << ' ' << x.size() << ' ' << found << ' ' << expected;
    }
  }
}

constexpr std::size_t lengths[] = {0, 1, 8, 9, 127, 128, 129, 1023, 1024, 1025, 8191, 8192, 8193, 20000};

}  // namespace

TEST(half_rows, sums) {
  test::random_bits random(7);
  for (const std::size_t length : lengths) {
    for (int round = 0; round < 20; ++round) {
      std::vector<f16> x(length);
      for (f16& v : x) {
        do v.bits = static_cast<std::uint16_t>(random());
        while ((v.bits & 0x7c00u) == 0x7c00u);
        if (length > 8192) v.bits &= 0xbfff;  // below 2, which leaves room for more of them
      }
      ASSERT_NO_FATAL_FAILURE(check(x));
    }
  }
}

TEST(half_rows, zeros_and_specials) {
  for (const std::size_t length : lengths) {
    for (const std::uint16_t fill : {0x8000, 0x0000, 0x0001, 0x7bff, 0xfbff}) {
      if (length > 8192 && (fill & 0x7fffu) > 1) continue;
      std::vector<f16> x(length, f16{fill});
      ASSERT_NO_FATAL_FAILURE(check(x));
      if (length == 0) continue;
      for (const std::uint16_t other : {0x0000, 0x8000, 0x7c00, 0xfc00, 0x7e00}) {
        x.back().bits = other;
        ASSERT_NO_FATAL_FAILURE(check(x));
        x[length / 2].bits = 0xfc00;
        ASSERT_NO_FATAL_FAILURE(check(x));
        x.assign(length, f16{fill});
      }
    }
  }
}
