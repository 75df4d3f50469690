// Runs of products of floats: up to the limits of their windows they come to the exact sum, and what is beyond is
// refused.
#include "host/moments/float_products.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "host/moments/tile.hpp"
#include "random_bits.hpp"

namespace {

using namespace multifold;
using namespace multifold::host;

using factors = std::vector<std::pair<float, float>>;

constexpr float odd = 1 + 0x1p-23f;   // its square reaches down to 2^-46
constexpr float most = 2 - 0x1p-23f;  // its square is below 4
constexpr int span = 90;              // from the top to the unit

struct arrays {
  std::vector<packed<float>> x, y;
  explicit arrays(const factors& from) {
    for (const auto& [a, b] : from) x.push_back({a}), y.push_back({b});
  }
  std::int64_t size() const { return static_cast<std::int64_t>(x.size()); }
  value_bounds bounds_x() const { return bounds_of(range_of(x.data(), size())); }
  value_bounds bounds_y() const { return bounds_of(range_of(y.data(), size())); }
};

exact_dot<float> sum_of(const factors& f) {
  exact_dot<float> sum;
  for (const auto& [a, b] : f) sum.add_product(a, b);
  return sum;
}

// A run whose windows have this top, and nothing in them.
float_product_run run_below(int top) {
  float_product_run run;
  exact_dot<float> none;
  const packed<float> zero{0};
  const value_bounds x{top / 2, 0, false}, y{top - top / 2, top - span, false};
  // The second time they fit, and what comes next may be added before it is looked at.
  for (int i = 0; i < 2; ++i) EXPECT_TRUE((run.add<false, false>(none, &zero, &zero, 1, x, y))) << top;
  return run;
}

template <bool Fma, bool Square>
void check_taken(int top, const factors& f, int times) {
  const arrays a(f);
  const value_bounds bounds_x = a.bounds_x(), bounds_y = a.bounds_y();
  float_product_run run = run_below(top);
  exact_dot<float> found, expected;
  for (int i = 0; i < times; ++i) {
    ASSERT_TRUE((run.add<Fma, Square>(found, a.x.data(), a.y.data(), a.size(), bounds_x, bounds_y))) << top;
    ASSERT_EQ(found.normalised_limbs(), exact_dot<float>{}.normalised_limbs()) << "other windows than those of top";
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

// x y = u v 2^exponent, both factors about as large.
std::pair<float, float> scaled(float u, float v, int exponent) {
  const int half = exponent / 2;
  return {std::ldexp(u, half), std::ldexp(v, exponent - half)};
}

constexpr int all = float_product_run::capacity / moment_tile_elements;
constexpr int tops[] = {float_product_windows::least_top, -249, -201, -100, -1, 0, 3, 60, 255, 256};

}  // namespace

TEST(float_products, as_many_of_the_largest_as_a_run_holds) {
  for (const int top : tops) {
    factors positive(moment_tile_elements, scaled(most, most, top - 2));
    if (top < -200) positive.assign(moment_tile_elements, scaled(1.5f, 1, top - 1));
    factors negative = positive, both = positive;
    for (auto& f : negative) f.first = -f.first;
    for (std::size_t i = 0; i < both.size() / 2; ++i) both[i].second = -both[i].second;
    for (const factors& f : {positive, negative, both}) ASSERT_NO_FATAL_FAILURE(check_taken(top, f, all));
  }
}

// Each of these leaves half a unit of the first window, of one sign, to the second, which they fill to the brim.
TEST(float_products, largest_rests) {
  for (const int top : {-201, -1, 0, 3, 100, 256}) {
    for (const float sign : {1.0f, -1.0f}) {
      factors f(moment_tile_elements, scaled(sign, 1, top - 45));
      ASSERT_NO_FATAL_FAILURE(check_taken(top, f, all));
      for (std::size_t i = 0; i < f.size(); ++i) {  // with all that is below
        if (i / 16 % 2 == 0) f[i] = scaled(sign * most, odd, top - 46);
      }
      ASSERT_NO_FATAL_FAILURE(check_taken(top, f, all));
      // Units of the first window that are even, and the half.
      f.assign(moment_tile_elements, scaled(sign * 0x1.00002p0f, 1, top - 45 + 16));
      ASSERT_NO_FATAL_FAILURE(check_taken(top, f, all));
    }
  }
}

TEST(float_products, smallest_unit_and_one_below) {
  for (const int top : {-150, -1, 0, 3, 60, 240}) {
    for (const std::size_t at : {0, 15, 16, 700, 1023}) {
      factors f(moment_tile_elements, scaled(most, most, top - 2));
      const int lowest = top - span + 46;  // of a product that reaches down to the unit
      const int x = std::ilogb(f[0].first), y = lowest - x;
      f.assign(moment_tile_elements, {std::ldexp(most, x), std::ldexp(most, top - 2 - x)});
      if (y < -126 || top - 2 - x > 127) continue;
      f[at].second = std::ldexp(odd, y);
      ASSERT_NO_FATAL_FAILURE(check_taken(top, f, all));
      f[at].second = -f[at].second;
      ASSERT_NO_FATAL_FAILURE(check_taken(top, f, all));
      if (y == -126) continue;
      f[at].second = std::ldexp(odd, y - 1);
      const arrays a(f);
      float_product_run run = run_below(top);
      exact_dot<float> sum;
      EXPECT_FALSE((run.add<true, false>(sum, a.x.data(), a.y.data(), a.size(), a.bounds_x(), a.bounds_y())));
      run.finish(sum);
      EXPECT_EQ(sum.normalised_limbs(), exact_dot<float>{}.normalised_limbs());
    }
  }
}

// Added first, and looked at then: by their factors, whose least and greatest exponents count. Zeros take no part.
TEST(float_products, added_before_they_are_looked_at) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  for (const int top : {-150, -1, 0, 3, 60, 240}) {
    for (const std::size_t at : {0, 15, 16, 700, 1023}) {
      const auto [x, y] = scaled(most, most, top - 2);
      const auto taken = [&, x = x, y = y](std::pair<float, float> other, bool zero) {
        factors f(moment_tile_elements, {x, y});
        f[at] = other;
        if (zero) f[at == 0 ? 1 : 0].first = 0;
        const arrays a(f);
        float_product_run run = run_below(top), portable = run_below(top);
        const bool held = run.add<true, false>(a.x.data(), a.y.data(), a.size());
        EXPECT_EQ((portable.add<false, false>(a.x.data(), a.y.data(), a.size())), held);
        const exact_dot<float> expected = held ? sum_of(f) : exact_dot<float>{};
        for (float_product_run* const each : {&run, &portable}) {
          exact_dot<float> sum;
          each->finish(sum);
          EXPECT_EQ(sum.normalised_limbs(), expected.normalised_limbs()) << top << ' ' << at;
        }
        return held;
      };
      for (const bool zero : {false, true}) {
        // Factors whose last bits make units of 2^-46 of the greatest product's place, and 42 binades below.
        EXPECT_TRUE(taken({std::ldexp(x, -21), std::ldexp(y, -21)}, zero)) << top;
        EXPECT_TRUE(taken({std::ldexp(x, -42), -y}, zero)) << top;
        EXPECT_FALSE(taken({std::ldexp(x, -43), y}, zero)) << top;
        EXPECT_FALSE(taken({std::ldexp(x, -21), std::ldexp(-y, -22)}, zero)) << top;
        EXPECT_FALSE(taken({x, 2 * y}, zero)) << top;
        EXPECT_TRUE(taken({-x, y}, zero)) << top;
        EXPECT_TRUE(taken({0, y}, zero)) << top;
        for (const float special : {nan, inf, -inf}) {
          for (const float other : {1.0f, 0.0f, special}) {
            EXPECT_FALSE(taken({special, other}, zero)) << special << ' ' << other;
            EXPECT_FALSE(taken({other, special}, zero)) << special << ' ' << other;
          }
        }
      }
    }
  }
}

// What did not fit is looked at first the next time, until a tile fits again.
TEST(float_products, looked_at_first_after_one_that_did_not_fit) {
  const arrays good(factors(moment_tile_elements, scaled(most, odd, -2))), bad(factors(1024, scaled(1, 1, 50)));
  float_product_run run = run_below(0);
  const auto try_first = [&](const arrays& a) { return run.add<true, true>(a.x.data(), a.x.data(), a.size()); };
  const auto look_first = [&](const arrays& a) {
    exact_dot<float> sum;
    return run.add<true, true>(sum, a.x.data(), a.x.data(), a.size(), a.bounds_x(), a.bounds_x());
  };
  EXPECT_TRUE(try_first(good));
  EXPECT_FALSE(try_first(bad));
  EXPECT_FALSE(try_first(good));
  EXPECT_TRUE(look_first(good));
  EXPECT_TRUE(try_first(good));
  EXPECT_TRUE(look_first(bad));
  EXPECT_FALSE(try_first(bad));
  EXPECT_TRUE(look_first(bad));
  EXPECT_TRUE(try_first(bad));
}

TEST(float_products, products_from_the_top_on_take_other_windows) {
  for (const int top : {-150, -1, 0, 3, 60, 240}) {
    for (const int above : {0, 1, 2, 3, 8}) {
      const factors f(moment_tile_elements, scaled(most, most, top - 2)),
          more(moment_tile_elements, scaled(most, -most, top + above - 2));
      float_product_run run = run_below(top);
      exact_dot<float> found, expected = sum_of(f);
      for (const factors& part : {f, more}) {
        const arrays a(part);
        EXPECT_EQ(found.normalised_limbs(), exact_dot<float>{}.normalised_limbs());
        ASSERT_TRUE((run.add<true, false>(found, a.x.data(), a.y.data(), a.size(), a.bounds_x(), a.bounds_y())));
      }
      const exact_dot<float> none;
      EXPECT_EQ(found.normalised_limbs(), (above > 0 ? expected : none).normalised_limbs()) << top << ' ' << above;
      run.finish(found);
      expected.add_limbs(sum_of(more).normalised_limbs(), 1);
      EXPECT_EQ(found.normalised_limbs(), expected.normalised_limbs()) << top << ' ' << above;
    }
  }
}

TEST(float_products, any_within_the_span_and_windows_that_change) {
  const unsigned fresh = std::random_device{}();
  for (const unsigned seed : {1u, fresh}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::random_bits random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    for (int round = 0; round < 60; ++round) {
      float_product_run run, portable;
      exact_dot<float> found, found_portable, expected;
      for (int tile = 0; tile < 12; ++tile) {
        const int wide_x = below(43), wide_y = below(43 - wide_x);
        const int low_x = -126 + below(254 - wide_x), low_y = -126 + below(254 - wide_y);
        factors f(static_cast<std::size_t>(1 + below(moment_tile_elements)));
        for (auto& [x, y] : f) {
          const auto any = [&](int low, int wide) {
            const std::uint32_t kept = ~std::uint32_t{0} << below(24);
            const float v = std::bit_cast<float>((static_cast<std::uint32_t>(random() >> 41) & kept) | 0x3f800000u);
            const float sized = std::ldexp(v, low + below(wide + 1));
            return random() % 2 == 0 ? sized : -sized;
          };
          x = any(low_x, wide_x);
          y = any(low_y, wide_y);
          if (below(50) == 0 && round % 2 == 0) x = 0;
        }
        const arrays a(f);
        const value_bounds x = a.bounds_x(), y = a.bounds_y();
        if (x.zero || y.zero) continue;
        ASSERT_TRUE((run.add<true, false>(found, a.x.data(), a.y.data(), a.size(), x, y)));
        ASSERT_TRUE((portable.add<false, false>(found_portable, a.x.data(), a.y.data(), a.size(), x, y)));
        expected.add_limbs(sum_of(f).normalised_limbs(), 1);
      }
      run.finish(found);
      portable.finish(found_portable);
      ASSERT_EQ(found.normalised_limbs(), expected.normalised_limbs()) << round;
      ASSERT_EQ(found_portable.normalised_limbs(), expected.normalised_limbs()) << round;
    }
  }
}
