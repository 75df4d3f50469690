// Windows that stay open beside integers: elements at the very ends of what each way reaches, as many as may be added.
#include "multifold/exact/open_windows.hpp"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "core/exact/oracle.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

using testing_oracle::units_of;

template <class Carrier, int Bits>
struct elements_of {
  using windows = product_windows<Carrier, Bits>;
  static constexpr int bits = Bits;
  static constexpr int least_exponent = sizeof(Carrier) == 8 ? -1022 : -126;
};

using pairs = std::vector<std::pair<double, double>>;

template <class Of>
class open_windows : public testing::Test {
 protected:
  using windows = typename Of::windows;
  static constexpr int ways = windows::ways, chains = windows::chains, most = windows::most;
  static constexpr std::uint64_t leading = std::uint64_t{1} << (Of::bits - 1);
  test::random_bits by{20261127};

  static double element(std::uint64_t significand, int exponent) {
    return std::ldexp(static_cast<double>(significand), exponent - (Of::bits - 1));
  }
  // Ends and near ends of a binade, and what is between.
  std::uint64_t any_significand() {
    switch (by() % 5) {
      case 0: return leading + by() % 2;
      case 1: return 2 * leading - 1 - by() % 2;
      default: return leading + by() % leading;
    }
  }
  static int bottom(int top, int span) { return std::max(top - span, Of::least_exponent); }
  double any(int top, int span) {
    const int least = bottom(top, span);
    int exponent = least + static_cast<int>(by() % static_cast<unsigned>(top - least + 1));
    if (by() % 4 == 0) exponent = by() % 2 == 0 ? top : least;
    const double x = by() % 50 == 0 ? 0.0 : element(any_significand(), exponent);
    return by() % 2 == 0 ? x : -x;
  }
  template <class Make>
  static pairs make(const Make& one) {
    pairs all;
    for (int i = 0; i < most; ++i) all.push_back(one(i));
    return all;
  }

  template <int Way = 1>
  static void add(windows& to, int way, int chain, double a, double b) {
    if (way == Way) to.template add<Way>(chain, a, b);
    else if constexpr (Way < ways) add<Way + 1>(to, way, chain, a, b);
  }
  // Pair i goes way way_of(i).
  template <class WayOf>
  static void expect_exact(const pairs& all, int first, int second, const WayOf& way_of) {
    ASSERT_TRUE(windows::opens(first, second));
    const int unit_a = bottom(first, windows::span(ways)) - (Of::bits - 1),
              unit_b = bottom(second, windows::span(ways)) - (Of::bits - 1);
    const double start = open_start(first + second + 1), start_a = open_start(first);
    ASSERT_TRUE(std::isfinite(start) && std::isfinite(start_a));
    windows products;
    element_windows<chains> elements;
    products.open(start);
    elements.open(start_a);
    mpz_class sum = 0, sum_a = 0;
    for (int i = 0; i < most; ++i) {
      const auto [a, b] = all[static_cast<std::size_t>(i)];
      const int way = way_of(i);
      add(products, way, i % chains, a, b);
      if (windows::one_takes(way)) elements.template add<true>(i % chains, a);
      else elements.template add<false>(i % chains, a);
      const mpz_class exact = units_of(a, unit_a);
      sum_a += exact;
      sum += exact * units_of(b, unit_b);
    }
    double part[windows::parts], part_a[element_windows<chains>::parts];
    products.close(start, part);
    elements.close(start_a, part_a);
    for (const double x : part) sum -= units_of(x, unit_a + unit_b);
    for (const double x : part_a) sum_a -= units_of(x, unit_a);
    ASSERT_EQ(sum, 0) << first << ' ' << second << ' ' << way_of(0);
    ASSERT_EQ(sum_a, 0) << first << ' ' << way_of(0);
  }
  static void expect_exact(const pairs& all, int first, int second, int way) {
    expect_exact(all, first, second, [=](int) { return way; });
  }

  // Of each way that there is.
  template <class Try>
  static void each_way(const Try& attempt) {
    for (int way = 1; way <= ways; ++way) {
      if (windows::span(way) <= 0) continue;
      ASSERT_NO_FATAL_FAILURE(attempt(way, windows::span(way)));
    }
  }
  static std::vector<std::pair<int, int>> ends_of_range() {
    if (Of::bits == 53) return {{504, 504}, {1009, -1}, {-1, 1009}, {-454, -454}, {-991, 83}, {83, -991}, {0, 0}};
    const int least = -126 + windows::span(2);
    return {{126, 126}, {126, least}, {least, 126}, {least, least}, {0, 0}};
  }
};

using kinds = testing::Types<elements_of<float, 24>, elements_of<float, 8>, elements_of<double, 53>>;
TYPED_TEST_SUITE(open_windows, kinds);

TYPED_TEST(open_windows, any_elements) {
  for (int trial = 0; trial < 60; ++trial) {
    const int first = static_cast<int>(this->by() % 40) - 20, second = static_cast<int>(this->by() % 40) - 20;
    this->each_way([&](int way, int span) {
      const pairs all = this->make([&](int) { return std::pair{this->any(first, span), this->any(second, span)}; });
      this->expect_exact(all, first, second, way);
    });
  }
}

// The same windows, one way or another from element to element.
TYPED_TEST(open_windows, ways_that_take_turns) {
  using kind = typename TestFixture::windows;
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<int> way(static_cast<std::size_t>(kind::most));
    for (int& each : way) {
      do each = 1 + static_cast<int>(this->by() % static_cast<unsigned>(kind::ways));
      while (kind::span(each) <= 0);
    }
    const auto way_of = [&](int i) { return way[static_cast<std::size_t>(i)]; };
    const pairs all = this->make([&](int i) {
      const int span = kind::span(way_of(i));
      return std::pair{this->any(3, span), this->any(-5, span)};
    });
    this->expect_exact(all, 3, -5, way_of);
  }
}

// As far as windows go, all to one side, and then back.
TYPED_TEST(open_windows, the_greatest_and_the_least_elements) {
  constexpr std::uint64_t one = TestFixture::leading;
  this->each_way([&](int way, int span) {
    const auto ends = {this->element(2 * one - 1, 0), this->element(one, 0),         this->element(one + 1, 0),
                       this->element(one, -span),     this->element(one + 1, -span), this->element(2 * one - 1, -span)};
    for (const double x : ends) {
      for (const double y : ends) {
        const auto expect = [&](const auto& pair_of) { this->expect_exact(this->make(pair_of), 0, 0, way); };
        expect([&](int) { return std::pair{x, y}; });
        expect([&](int) { return std::pair{-x, y}; });
        expect([&](int i) { return std::pair{i % 2 == 0 ? x : -x, y}; });
        expect([&](int i) { return std::pair{i % 4 < 2 ? x : -x, y}; });
        expect([&](int i) { return std::pair{i < TestFixture::most / 2 ? x : -x, y}; });
        expect([&](int i) { return i + 2 < TestFixture::most ? std::pair{x, x} : std::pair{y, y}; });
      }
    }
  });
}

// Of many pairs those that leave most, in the first window, and of their rounded product: all on one side.
TYPED_TEST(open_windows, what_is_left_is_all_on_one_side) {
  constexpr std::uint64_t one = TestFixture::leading;
  const double unit = std::ldexp(1.0, 1 - 39);
  const auto left = [&](double a, double b) { return std::remainder(a * b, unit); };
  const auto error = [](double a, double b) { return std::fma(a, b, -(a * b)); };
  const auto both = [&](double a, double b) { return std::min(left(a, b) / unit, error(a, b) * 0x1p52); };
  const std::function<double(double, double)> wanted[] = {left, error, both};
  this->each_way([&](int way, int span) {
    for (const auto& most_of : wanted) {
      for (int trial = 0; trial < 8; ++trial) {
        const int down = trial % 2 == 0 ? 0 : span;
        std::pair<double, double> best{1, 1};
        for (int i = 0; i < 3000; ++i) {
          const double a = this->element(one + this->by() % one, 0), b = this->element(one + this->by() % one, 0);
          if (most_of(a, b) > most_of(best.first, best.second)) best = {a, b};
        }
        const double scale = std::ldexp(1.0, -down);
        this->expect_exact(this->make([&](int) {
          return std::pair{best.first * scale, best.second * scale};
        }),
                           0, 0, way);
        this->expect_exact(this->make([&](int i) {
          return i + 3 < TestFixture::most ? best : std::pair{this->any(0, span), this->any(0, span)};
        }),
                           0, 0, way);
      }
    }
  });
}

TYPED_TEST(open_windows, at_the_ends_of_the_exponents) {
  for (const auto& ends : this->ends_of_range()) {
    const int first = ends.first, second = ends.second;
    for (int trial = 0; trial < 10; ++trial) {
      this->each_way([&](int way, int span) {
        const int reach = trial % 2 == 0 ? span : 0;
        const pairs all = this->make([&](int) {
          const bool least = trial % 5 == 4;
          const double a = this->any(first, reach), b = this->any(second, reach);
          return least ? std::pair{this->element(TestFixture::leading + 1, this->bottom(first, span)),
                                   this->element(TestFixture::leading + 1, this->bottom(second, span))}
                       : std::pair{a, b};
        });
        this->expect_exact(all, first, second, way);
      });
    }
  }
}

// Of the words of magnitudes, whether elements are within a span.
template <class T, int Span>
void expect_thresholds() {
  using words = magnitude_words<T>;
  using limits = std::numeric_limits<T>;
  const auto word_of = [](T x) { return static_cast<int>(testing_oracle::bits_of(x) >> (words::wide ? 32 : 0)); };
  const int least_exponent = limits::min_exponent - 1;
  for (int first = least_exponent; first < limits::max_exponent - 1; ++first) {
    const T power = std::ldexp(T{1}, first), most = std::nextafter(2 * power, T{0});
    const int top = words::top_above(word_of(most));
    ASSERT_EQ(top, words::top_above(word_of(power)));
    ASSERT_EQ(words::exponent_of(top) - 1, first);
    const T bottom = std::ldexp(T{1}, std::max(first - Span, least_exponent));
    const auto fit = [&](T greatest, T least) {
      return words::template fit<Span>(word_of(greatest), word_of(least), top);
    };
    ASSERT_TRUE(fit(most, bottom) && fit(most, most) && fit(bottom, bottom) && fit(T{0}, T{0}));
    ASSERT_FALSE(fit(most, std::nextafter(bottom, T{0})));
    ASSERT_FALSE(fit(2 * power, bottom) || fit(limits::infinity(), bottom) || fit(limits::quiet_NaN(), bottom));
    ASSERT_FALSE(words::template fit<Span>(word_of(most), word_of(most), 0));
    ASSERT_TRUE(words::is_near(word_of(most), top) && words::is_near(word_of(std::ldexp(power, -7)), top));
    ASSERT_FALSE(words::is_near(word_of(2 * power), top) || words::is_near(0, 0));
  }
  EXPECT_TRUE(words::is_regular(word_of(limits::max())) && words::is_regular(word_of(limits::min())));
  EXPECT_FALSE(words::is_regular(0) || words::is_regular(word_of(limits::infinity())));
  EXPECT_FALSE(words::is_regular(word_of(limits::quiet_NaN())));
}

TEST(magnitude_words, what_fits) {
  expect_thresholds<float, 16>();
  expect_thresholds<float, 54>();
  expect_thresholds<double, 14>();
  expect_thresholds<double, 31>();
}

TEST(open_windows_of_binary64, where_they_do_not_open) {
  using windows = product_windows<double, 53>;
  EXPECT_FALSE(windows::opens(1010, -500));
  EXPECT_FALSE(windows::opens(-500, 1010));
  EXPECT_FALSE(windows::opens(505, 504));
  EXPECT_FALSE(windows::opens(-992, 500));
  EXPECT_FALSE(windows::opens(500, -992));
  EXPECT_FALSE(windows::opens(-454, -455));
  EXPECT_FALSE(windows::opens(-1023, -1023));  // of nothing but zeros
}

}  // namespace
}  // namespace multifold
