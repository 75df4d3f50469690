// Windows of exact sums, by themselves: at the limit of what a number of windows holds, what they emit is the exact
// sum.
#include "host/moments/windows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "host/moments/checks.hpp"
#include "host/moments/terms.hpp"
#include "random_bits.hpp"

namespace {

using namespace multifold;
using namespace multifold::host;

exact_sum<double> sum_of(const std::vector<double>& x) {
  exact_sum<double> sum;
  for (const double e : x) sum.add(e);
  return sum;
}

// Numbers below 2^top that are odd multiples of 2^unit or zero: all as large as can be, or of any size.
std::vector<double> numbers(int top, int unit, bool largest, test::random_bits& random) {
  std::vector<double> x(moment_tile_elements);
  for (double& e : x) {
    const int exponent = unit + 1 + static_cast<int>(random() % static_cast<unsigned>(top - unit));
    const int width = std::min(53, largest ? 53 : exponent - unit);
    const double odd = static_cast<double>((((std::uint64_t{1} << width) - 1) & random()) | 1);
    e = largest ? std::ldexp(static_cast<double>((std::uint64_t{1} << 53) - 1), top - 53)
                : std::ldexp(odd, std::max(unit, exponent - width));
  }
  x[random() % x.size()] = std::ldexp(1.0, unit);
  x[random() % x.size()] = std::ldexp(3.0, unit);
  return x;
}

template <int Windows>
void check_lanes(const std::vector<double>& x, const window_list& list, const exact_sum<double>& expected) {
  window_lanes<Windows> lanes;
  lanes.start(list);
  for (std::size_t k = 0; k < x.size(); ++k) lanes.add(static_cast<int>(k % window_width), x[k]);
  exact_sum<double> found;
  lanes.finish([&](double part) { found.add(part); });
  ASSERT_EQ(found.normalised_limbs(), expected.normalised_limbs()) << Windows;
}

}  // namespace

TEST(moments_windows, emit_the_exact_sum_up_to_their_limit) {
  const unsigned fresh = std::random_device{}();
  for (const unsigned seed : {1u, fresh}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::random_bits random(seed);
    for (int round = 0; round < 400; ++round) {
      const int width = 54 + static_cast<int>(random() % 130);
      const int unit = round % 5 == 0 ? -1074 : static_cast<int>(random() % 1800) - 1000;
      if (unit + width > 990) continue;
      const window_list list{unit + width, 10};
      std::vector<double> x = numbers(list.top, unit, round % 2 == 0, random);
      if (round % 3 == 0) {
        for (double& e : x) e = random() % 2 == 0 ? e : -e;
      }
      const exact_sum<double> expected = sum_of(x);
      if (list.ends(1, unit)) check_lanes<2>(x, list, expected);
      if (list.ends(2, unit)) check_lanes<3>(x, list, expected);
      if (list.ends(3, unit)) check_lanes<4>(x, list, expected);
      if (HasFatalFailure()) return;
      exact_sum<double> found;
      sum_by_windows(x.data(), moment_tile_elements, list, unit, [&](double part) { found.add(part); });
      ASSERT_EQ(found.normalised_limbs(), expected.normalised_limbs()) << width << " " << unit;
    }
  }
}

TEST(moments_windows, one_is_enough_for_43_bits) {
  const std::vector<double> x(1024, std::ldexp(0x1p43 - 1, -20));
  const window_list list{23, 10};
  EXPECT_TRUE(list.ends(0, -20));
  EXPECT_FALSE(list.ends(0, -21));
  EXPECT_FALSE(list.ends(1, -20 - 42));
  EXPECT_TRUE(list.ends(1, -20 - 41));
  check_lanes<1>(x, list, sum_of(x));
}

// What rounding loses is added up again, so it shows: x y - fl(x y), down to where it underflows.
TEST(moments_windows, errors_of_products_down_to_the_least_unit) {
  test::random_bits random(2);
  for (int exponent = -985; exponent < -955; ++exponent) {
    for (int round = 0; round < 20; ++round) {
      const auto odd = [&] { return std::bit_cast<double>((random() >> 12) | 1 | 0x3ff0000000000000u); };
      const int up = static_cast<int>(random() % 400) - 200;
      const double x = std::ldexp(odd(), up), y = std::ldexp(odd(), exponent - up);
      test::array_pair a;
      std::vector<double> first(16, 0.0), second(16, 0.0);
      for (const std::size_t i : {2u, 11u}) {  // twice, or halves of the least number would round to the result
        first[i] = x, second[i] = y;
        first[i + 1] = -std::ldexp(x * y, up - exponent), second[i + 1] = std::ldexp(1.0, exponent - up);
      }
      a.x.view = make_view(first.data(), {16});
      a.y.view = make_view(second.data(), {16});
      SCOPED_TRACE(std::to_string(exponent) + " " + std::to_string(up));
      const reduction what = make_reduction(op_kind::dot, dtype::f64);
      ASSERT_NO_FATAL_FAILURE(test::check_rows_of_moments(what, test::family::normal, a));
    }
  }
}
