// Exact sums of the engine where its cheap forms end: one less and one more than lanes hold, specials at every
// position, means next to ties.
#include <cmath>
#include <utility>

#include "host/exact/checks.hpp"

namespace {

using namespace multifold;
using namespace test;

}  // namespace

TEST(exact_limits_host, specials_at_every_position) {
  for (const double special : {INFINITY, -INFINITY, NAN}) {
    for (std::size_t length : {9, 40, 150, 2100}) {
      for (std::size_t at = 0; at<length; at += length> 1000 ? 61 : 1) {
        std::vector<float> x(length, 1.0f);
        x[at] = static_cast<float>(special);
        ASSERT_NO_FATAL_FAILURE(expect_total(x));
        std::vector<f16> h(length, to_f16(1.0));
        h[at] = to_f16(special);
        ASSERT_NO_FATAL_FAILURE(expect_total(h));
        std::vector<double> d(length, 1.0);
        d[at] = special;
        d[length - 1 - at] += INFINITY;
        ASSERT_NO_FATAL_FAILURE(expect_total(d));
      }
    }
  }
}

// Where plain double ends: exponents that differ by as much as it holds, one less and one more, in sums of one sign.
TEST(exact_limits_host, the_limits_of_lanes) {
  for (std::size_t length : {16, 100, 128, 1023, 1024, 1025, 2048, 4096}) {
    for (int apart = 10; apart < 36; ++apart) {
      std::vector<float> x(length, 0x1.fffffep0f);
      x[length / 3] = std::ldexp(0x1.000002p0f, -apart);
      ASSERT_NO_FATAL_FAILURE(expect_total(x));
      ASSERT_NO_FATAL_FAILURE(expect_total(cancelled(x, length / 3)));
    }
    for (int apart = 26; apart < 50; ++apart) {
      std::vector<bf16> x(length, to_bf16(0x1.fep0));
      x[length / 2] = to_bf16(std::ldexp(0x1.02p0, -apart));
      ASSERT_NO_FATAL_FAILURE(expect_total(x));
      ASSERT_NO_FATAL_FAILURE(expect_total(cancelled(x, length / 2)));
    }
  }
  for (std::size_t length : {4095, 4096, 4097, 8192, 3 * 4096 + 1}) {
    std::vector<f16> x(length, to_f16(65504));
    x[length - 1] = std::bit_cast<f16>(std::uint16_t{1});
    ASSERT_NO_FATAL_FAILURE(expect_total(x));
    // One limb of the slow form takes the upper parts of all of these.
    std::vector<double> d(length, 0x1.fffffffffffffp-1);
    d[0] = 0x1p900;
    d[1] = -0x1p-1074;
    ASSERT_NO_FATAL_FAILURE(expect_total(d));
    for (double& e : d) e = -std::ldexp(e, 8);
    ASSERT_NO_FATAL_FAILURE(expect_total(d));
  }
}

TEST(exact_limits_host, columns_at_the_limits_of_lanes) {
  for (std::int64_t rows : {255, 256, 257, 513}) {
    for (int apart = 16; apart < 26; ++apart) {
      constexpr std::int64_t width = 70;
      std::vector<float> x(static_cast<std::size_t>(rows * width), 0x1.fffffep0f);
      for (std::size_t j = 0; j < width; ++j) x[j] = std::ldexp(0x1.000002p0f, -apart);
      // The second tile takes away what is not lost.
      for (std::size_t i = 256 * width; i < x.size(); ++i) x[i] = -x[i];
      const array_view view = make_view(x.data(), {rows, width});
      const plan p = plan_for(exact_reduction(op_kind::sum, dtype::f32, dtype::f64), view, {0});
      exact_sum<float> column;
      for (std::int64_t r = 0; r < rows; ++r) column.add(x[static_cast<std::size_t>(r * width)]);
      bytes expected(8 * width);
      const double value = round_to<double>(column);
      for (std::size_t j = 0; j < width; ++j) std::memcpy(expected.data() + 8 * j, &value, 8);
      ASSERT_NO_FATAL_FAILURE(expect_everywhere(expected, p, view, family::normal));
    }
  }
}

// Quotients next to where rounding changes, so near that only the exact way tells.
TEST(exact_limits_host, means_next_to_ties) {
  for (const auto& [result, half] : {std::pair{dtype::f64, 0x1p-53}, {dtype::f32, 0x1p-24}, {dtype::f16, 0x1p-11}}) {
    for (int tail = 54; tail < 130; ++tail) {
      for (const double sign : {1.0, 0.0, -1.0}) {
        for (std::int64_t zeros : {1, 5, 94}) {
          const auto n = static_cast<double>(5 + zeros);
          std::vector<double> x{n / 2, n / 4, n / 4, n * half, sign * std::ldexp(1.0, -tail)};
          x.resize(static_cast<std::size_t>(n));
          const array_view view = make_view(x.data(), {static_cast<std::int64_t>(x.size())});
          const plan p = plan_for(exact_reduction(op_kind::mean, dtype::f64, result), view, {0});
          ASSERT_EQ(by_elements(p, view), run_engine(p, view.data, 1))
              << name(result) << " tail " << tail << " n " << n;
        }
      }
    }
  }
}
