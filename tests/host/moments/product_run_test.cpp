// Runs of products of doubles, by themselves: up to the limits of their windows they come to the exact sum, and what
// is beyond is refused.
#include "host/moments/product_run.hpp"
#include "random_bits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace multifold;
using namespace multifold::host;

using factors = std::vector<std::pair<double, double>>;

constexpr double odd = 1 + 0x1p-52;   // its square reaches down to 2^-104
constexpr double most = 2 - 0x1p-52;  // its square is below 4

struct arrays {
  std::vector<packed<double>> x, y;
  explicit arrays(const factors& from) {
    for (const auto& [a, b] : from) x.push_back({a}), y.push_back({b});
  }
  std::int64_t size() const { return static_cast<std::int64_t>(x.size()); }
};

exact_dot<double> sum_of(const factors& f) {
  exact_dot<double> sum;
  for (const auto& [a, b] : f) sum.add_product(a, b);
  return sum;
}

// A run whose windows have this top, and nothing in them.
double_product_run run_below(int top) {
  double_product_run run;
  exact_dot<double> none;
  const packed<double> zero{0};
  const int unit = product_windows{top}.unit(), half = unit / 2;
  const value_bounds x{top / 2, half, false}, y{top - top / 2, unit - half, false};
  // The second time they fit, and what comes next is added before it is looked at.
  for (int i = 0; i < 2; ++i) EXPECT_TRUE((run.add<false, false>(none, &zero, &zero, 1, x, y))) << top;
  return run;
}

template <bool Fma, bool Square>
void check_taken(int top, const factors& f, int times) {
  const arrays a(f);
  double_product_run run = run_below(top);
  exact_dot<double> found, expected;
  for (int i = 0; i < times; ++i) {
    ASSERT_TRUE((run.add<Fma, Square>(a.x.data(), a.y.data(), a.size()))) << top;
    expected.add_limbs(sum_of(f).normalised_limbs(), 1);
  }
  run.finish(found);
  ASSERT_EQ(found.normalised_limbs(), expected.normalised_limbs()) << top << (Fma ? " fma" : "");
}

void check_taken(int top, const factors& f, int times = 1) {
  bool square = true;
  for (const auto& [a, b] : f) square = square && a == b;
  ASSERT_NO_FATAL_FAILURE((check_taken<false, false>(top, f, times)));
  ASSERT_NO_FATAL_FAILURE((check_taken<true, false>(top, f, times)));
  if (!square) return;
  ASSERT_NO_FATAL_FAILURE((check_taken<false, true>(top, f, times)));
  ASSERT_NO_FATAL_FAILURE((check_taken<true, true>(top, f, times)));
}

template <bool Fma>
void check_refused(int top, const factors& f) {
  const arrays a(f);
  double_product_run run = run_below(top);
  EXPECT_FALSE((run.add<Fma, false>(a.x.data(), a.y.data(), a.size()))) << top;
  exact_dot<double> found;
  run.finish(found);
  EXPECT_EQ(found.normalised_limbs(), exact_dot<double>{}.normalised_limbs()) << top;
}

// x y = u v 2^exponent, both factors about as large.
std::pair<double, double> scaled(double u, double v, int exponent) {
  const int half = exponent / 2;
  return {std::ldexp(u, half), std::ldexp(v, exponent - half)};
}

constexpr int tops[] = {product_windows::least_top, -924, -300, -1, 0, 3, 60, 500, 979, 980};

}  // namespace

TEST(product_run, holds_as_many_of_the_largest_products_as_it_says) {
  for (const int top : tops) {
    const factors positive(moment_tile_elements, scaled(most, most, top - 2));
    factors negative = positive, both = positive;
    for (auto& f : negative) f.first = -f.first;
    for (std::size_t i = 0; i < both.size() / 2; ++i) both[i].second = -both[i].second;
    constexpr int all = double_product_run::capacity / moment_tile_elements;
    for (const factors& f : {positive, negative, both}) ASSERT_NO_FATAL_FAILURE(check_taken(top, f, all));
  }
}

TEST(product_run, refuses_products_from_its_top_on) {
  for (const int top : tops) {
    for (const std::size_t at : {0, 31, 32, 700, 1023}) {
      for (const double sign : {1.0, -1.0}) {
        factors f(moment_tile_elements, scaled(1, 1, top - 3));
        f[at] = scaled(sign, 1, top);
        check_refused<false>(top, f);
        check_refused<true>(top, f);
        f[at] = scaled(sign * most, 1, top - 1);
        ASSERT_NO_FATAL_FAILURE(check_taken(top, f));
      }
    }
  }
}

TEST(product_run, refuses_products_whose_last_bit_it_cannot_hold) {
  for (const int top : tops) {
    for (const std::size_t at : {0, 31, 32, 700, 1023}) {
      factors f(moment_tile_elements, scaled(most, most, top - 2));
      f[at] = scaled(odd, odd, top - product_windows::span);
      ASSERT_NO_FATAL_FAILURE(check_taken(top, f));
      f[at] = scaled(odd, -odd, top - product_windows::span);
      ASSERT_NO_FATAL_FAILURE(check_taken(top, f));
      f[at] = scaled(odd, odd, top - product_windows::span - 1);
      check_refused<false>(top, f);
      check_refused<true>(top, f);
      f[at == 0 ? 1 : 0] = {0, 1};  // hides the least product, but not its factors
      f[at] = scaled(odd, odd, -900 - top);
      check_refused<false>(top, f);
      check_refused<true>(top, f);
    }
  }
}

// What is left for the third window is at most half a unit of the second: here nearly that, everywhere.
TEST(product_run, holds_the_largest_rests) {
  test::random_bits random(3);
  for (const int top : {product_windows::least_top, 0, 1, 400}) {
    for (const double sign : {1.0, -1.0}) {
      std::pair<double, double> worst;
      double largest = 0;
      for (int i = 0; i < 5000; ++i) {
        const auto any = [&] { return std::bit_cast<double>((random() >> 12) | 0x3ff0000000000000u); };
        const double u = any(), v = any();
        // x y = u v 2^(top - 2); a unit of the second window is 2^-100 of u v.
        const double error = sign * std::fma(u, v, -(u * v));
        const double units = std::ldexp(error, 100), rest = units - std::nearbyint(units);
        if (rest > largest) largest = rest, worst = scaled(u, v, top - 2);
      }
      EXPECT_GT(largest, 0.49);
      ASSERT_NO_FATAL_FAILURE(check_taken(top, factors(moment_tile_elements, worst)));
      worst.first = -worst.first;
      ASSERT_NO_FATAL_FAILURE(check_taken(top, factors(moment_tile_elements, worst)));
    }
  }
}

TEST(product_run, sums_any_products_within_its_span) {
  const unsigned fresh = std::random_device{}();
  for (const unsigned seed : {1u, fresh}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::random_bits random(seed);
    const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
    for (int round = 0; round < 300; ++round) {
      const int top = product_windows::least_top + below(1900);
      const bool square = round % 3 == 0;
      factors f(1 + random() % moment_tile_elements);
      for (auto& [x, y] : f) {
        const auto any = [&] {
          const std::uint64_t kept = ~std::uint64_t{0} << below(53);
          const double v = std::bit_cast<double>((random() >> 12 & kept) | 0x3ff0000000000000u);
          return random() % 2 == 0 ? v : -v;
        };
        const int exponent = top - product_windows::span + below(product_windows::span - 1);
        const double u = any(), v = any();
        std::tie(x, y) = scaled(u, v, exponent);
        if (square)
          y = x = std::ldexp(
              u, (exponent - (exponent & 1)) / 2 + (exponent == top - product_windows::span ? exponent & 1 : 0));
        if (below(50) == 0 && round % 2 == 0) x = 0, y = square ? x : y;
      }
      ASSERT_NO_FATAL_FAILURE(check_taken(top, f)) << round;
    }
  }
}

TEST(product_run, refuses_what_has_no_exact_product) {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double huge = 0x1p1000, tiny = 0x1p-1000;
  const std::pair<double, double> wrong[] = {{inf, 0},   {inf, 1},     {-inf, -inf}, {nan, 1},      {0, nan},
                                             {nan, inf}, {huge, huge}, {tiny, tiny}, {-tiny, tiny}, {0x1p-1074, 0.5}};
  for (const int top : {product_windows::least_top, 0, 900}) {
    for (const auto& pair : wrong) {
      for (const std::size_t at : {0, 40, 1023}) {
        factors f(moment_tile_elements, scaled(odd, most, top - 5));
        for (const bool zero : {false, true}) {
          if (zero) f[500] = {0, 1};
          f[at] = pair;
          check_refused<false>(top, f);
          check_refused<true>(top, f);
        }
      }
    }
  }
  // Veltkamp's splitting overflows where fma does not.
  factors f(96, scaled(odd, most, -5));
  f[3] = {0x1.8p1000, 0x1.8p-1003};
  check_refused<false>(0, f);
  ASSERT_NO_FATAL_FAILURE((check_taken<true, false>(0, f, 1)));
}

// Such products have their last bits higher than their magnitudes say, but not high enough.
TEST(product_run, refuses_factors_below_normal) {
  constexpr int least = -1074;
  const value_bounds x{1, least, false}, y{70, -52, false};
  const arrays a(factors(64, {std::ldexp(3.0, least), odd}));
  double_product_run run;
  exact_dot<double> sum;
  EXPECT_FALSE((run.add<true, false>(sum, a.x.data(), a.y.data(), a.size(), x, y)));
  EXPECT_FALSE((run.add<true, false>(sum, a.x.data(), a.y.data(), a.size(), y, x)));
  factors f(64, {std::ldexp(3.0, least), std::ldexp(odd, 80)});
  f[0] = {0, 1};
  check_refused<true>(product_windows::least_top, f);
}
