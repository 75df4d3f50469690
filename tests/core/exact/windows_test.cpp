// Sums in windows beside the superaccumulator: any exponents, any number of elements, every number of windows.
#include "multifold/exact/windows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "multifold/exact/accumulator.hpp"
#include "multifold/exact/expansions/pair.hpp"
#include "multifold/exact/finish.hpp"
#include "multifold/exact/format.hpp"
#include "multifold/ops/exact_sum.hpp"
#include "multifold/types/float16.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

// Elements whose exponents lie in [least, least + spread], some of them zeros, all of them of one sign now and then.
template <class T>
std::vector<T> elements(test::random_bits& by, int count, int least, int spread) {
  std::vector<T> all;
  const bool one_sign = by() % 4 == 0;
  for (int i = 0; i < count; ++i) {
    const double significand = 1.0 + static_cast<double>(by() >> 12) * 0x1p-52;
    double x = std::ldexp(significand, least + static_cast<int>(by() % static_cast<unsigned>(spread + 1)));
    if (by() % 8 == 0) x = 0;
    all.push_back(static_cast<T>(one_sign || by() % 2 == 0 ? x : -x));
  }
  return all;
}

template <class T>
exponent_range<T> range_of(const std::vector<T>& all) {
  exponent_range<T> range;
  for (const T x : all) {  // one by one, so that merging is tried, too
    magnitude_scan<T> scan;
    scan.see(x);
    range.merge(exponent_range<T>(scan));
  }
  magnitude_scan<T> scan;
  for (const T x : all) scan.see(x);
  EXPECT_EQ(range.fields, exponent_range<T>(scan).fields);
  return range;
}

template <exact_format Format>
void add_parts(exact_accumulator<Format>& sum, const double* parts, int count) {
  for (int i = 0; i < count; ++i) {
    const detail::whole_quanta q = detail::quanta_of(parts[i]);
    sum.add_quanta(q.value, q.exponent);
  }
}

template <exact_format Format>
bool is_zero(const exact_accumulator<Format>& sum) {
  return sum.normalised_limbs() == exact_accumulator<Format>{}.normalised_limbs();
}

template <int Count, class T>
void expect_exact_sum(const std::vector<T>& all, const window_layout& layout) {
  if (Count < layout.count || !layout.in_range(Count)) return;
  window_sums<Count> windows(layout);
  exact_sum<T> found;
  for (const T x : all) {
    windows.add(static_cast<double>(x));
    found.add(-x);
  }
  windows.close(layout);
  add_parts(found, windows.sum, Count);
  EXPECT_TRUE(is_zero(found)) << Count << " windows, " << all.size() << " elements";
}

template <class T>
void expect_exact_sums(const std::vector<T>& all) {
  const exponent_range<T> range = range_of(all);
  if (range.none()) return;
  const int log_count = log_of_count(static_cast<std::int64_t>(all.size()));
  const window_layout layout(range.top(), range.bottom(), log_count);
  const bool beyond = sizeof(T) == 8 && range.top() + log_count > 1023;  // sums may be
  EXPECT_EQ(range.fits(log_count), layout.count == 1 && !beyond);
  EXPECT_EQ(layout.one_is_enough(range.bottom()), layout.count == 1);
  EXPECT_EQ(layout.two_are_enough(range.bottom()), layout.count <= 2);
  if (range.fits(log_count)) {
    double plain = -0.0;
    exact_sum<T> found;
    for (const T x : all) {
      plain += static_cast<double>(x);
      found.add(-x);
    }
    add_parts(found, &plain, 1);
    EXPECT_TRUE(is_zero(found)) << "a single double, " << all.size() << " elements";
  }
  expect_exact_sum<2>(all, layout);
  expect_exact_sum<3>(all, layout);
  expect_exact_sum<8>(all, layout);
}

template <class T>
struct windows_of : testing::Test {};
using carriers = testing::Types<float, double>;
TYPED_TEST_SUITE(windows_of, carriers);

TYPED_TEST(windows_of, sums_of_any_exponents) {
  using T = TypeParam;
  constexpr int least = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits,
                greatest = std::numeric_limits<T>::max_exponent - 1;
  test::random_bits by(20261124);
  for (int trial = 0; trial < 4000; ++trial) {
    const int count = 1 + static_cast<int>(by() % (trial % 50 == 0 ? 5000 : 60));
    const int spread = static_cast<int>(by() % (trial % 3 == 0 ? 20 : greatest - least));
    const int from = least + static_cast<int>(by() % static_cast<unsigned>(greatest - least - spread + 1));
    expect_exact_sums(elements<T>(by, count, from, spread));
  }
}

TYPED_TEST(windows_of, sums_at_their_limits) {
  using T = TypeParam;
  for (const int count : {1, 2, 3, 4, 1024, 1025, 4096}) {
    const T most = std::nextafter(T{1}, T{0});
    for (const T tiny : {std::ldexp(T{1}, -60), std::ldexp(T{1.5}, -100), -std::ldexp(most, -47), T{0}}) {
      std::vector<T> all(static_cast<std::size_t>(count), most);
      all.back() = tiny;
      expect_exact_sums(all);
      for (T& x : all) x = -x;
      expect_exact_sums(all);
    }
  }
}

// Those of bfloat16 are kept in another form.
TEST(ranges, bfloat16_and_float32_alike) {
  test::random_bits by(20261126);
  for (int trial = 0; trial < 20000; ++trial) {
    magnitude_scan<float> expected;
    magnitude_scan<bf16> found;
    const auto mask = static_cast<std::uint16_t>(by() >> (trial % 64));
    for (int i = 0; i < trial % 6; ++i) {
      const float x = to_float(bf16{static_cast<std::uint16_t>(by() & mask)});
      expected.see(x);
      found.see(x);
    }
    ASSERT_EQ(exponent_range<bf16>(found).fields, exponent_range<float>(expected).fields);
    const exponent_range<bf16> range(found);
    const bool finite = range.none() || range.finite();
    ASSERT_EQ(range.fits(2), finite && (range.none() || window_layout(range.top(), range.bottom(), 2).count == 1));
  }
}

TEST(layouts, windows_that_are_enough) {
  for (int log_count = 0; log_count <= 14; ++log_count) {
    for (int bottom = -1200; bottom <= 60; ++bottom) {
      const window_layout layout(0, bottom, log_count);
      for (const int windows : {1, 2, 3, 4, 6, 8, 12}) {
        ASSERT_EQ(layout.reach(bottom) <= layout.most_reach(windows), layout.count <= windows);
      }
    }
  }
}

template <int Count, class T>
void expect_exact_products(const std::vector<T>& x, const std::vector<T>& y, const window_layout& layout) {
  if (Count < layout.count || !layout.in_range(Count)) return;
  window_sums<Count> windows(layout);
  exact_accumulator<exact_product_traits<T>> found;
  for (std::size_t i = 0; i < x.size(); ++i) {
    windows.add_product(x[i], y[i]);
    const double u = x[i], v = y[i], high = u * v, low = std::fma(u, v, -high);
    for (const double part : {-high, -low}) add_parts(found, &part, 1);
  }
  windows.close(layout);
  add_parts(found, windows.sum, Count);
  EXPECT_TRUE(is_zero(found)) << Count << " windows, " << x.size() << " products";
}

TYPED_TEST(windows_of, products) {
  using T = TypeParam;
  constexpr bool wide = sizeof(T) == 8;
  test::random_bits by(20261125);
  int tried = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const int count = 1 + static_cast<int>(by() % 100), spread = static_cast<int>(by() % (wide ? 90u : 200u));
    const int from = wide ? -static_cast<int>(by() % 300) : -126;
    const std::vector<T> x = elements<T>(by, count, from, spread), y = elements<T>(by, count, from + 20, spread / 2);
    const exponent_range<T> of_x = range_of(x), of_y = range_of(y);
    if (of_x.none() || of_y.none()) continue;
    // Products of doubles are two numbers each.
    const window_layout layout(of_x.top() + of_y.top(), of_x.bottom() + of_y.bottom(),
                               log_of_count(wide ? 2 * count : count));
    expect_exact_products<2>(x, y, layout);
    expect_exact_products<4>(x, y, layout);
    expect_exact_products<12>(x, y, layout);
    tried += layout.count <= 12;
  }
  EXPECT_GT(tried, 3000);
}

// Elements of a thread each, and of several together.
void expect_exact_halves(const std::vector<f16>& x, const std::vector<f16>& y, std::size_t threads) {
  double together[2] = {}, products_together[3] = {};
  exact_accumulator<exact_traits<float>> sum;
  exact_accumulator<exact_product_traits<float>> products;
  for (std::size_t t = 0; t < threads; ++t) {
    double of_thread = 0, parts[2], product_parts[3];
    window_sums<2> windows(half_windows::of_products());
    for (std::size_t i = t; i < x.size(); i += threads) {
      const float u = to_float(x[i]), v = to_float(y[i]);
      windows.add_product(u, v);
      of_thread += u;
      const double less = -u, product = -static_cast<double>(u) * static_cast<double>(v);
      add_parts(sum, &less, 1);
      add_parts(products, &product, 1);
    }
    windows.close(half_windows::of_products());
    half_windows::part_elements(of_thread, parts);
    half_windows::part_products(windows.sum, product_parts);
    for (int k = 0; k < 2; ++k) together[k] += parts[k];
    for (int k = 0; k < 3; ++k) products_together[k] += product_parts[k];
    if (threads > 1) continue;
    EXPECT_EQ(of_thread, parts[0] + parts[1]);
    EXPECT_EQ(windows.sum[1], product_parts[1] + product_parts[2]);
  }
  add_parts(sum, together, 2);
  add_parts(products, products_together, 3);
  EXPECT_TRUE(is_zero(sum) && is_zero(products)) << x.size() << " elements of " << threads << " threads";
}

TEST(windows_of_f16, any_exponents) {
  test::random_bits by(20261127);
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t threads = trial % 3 == 0 ? 1 : 4 + trial % 29;
    const std::size_t count = by() % (threads == 1 ? half_windows::most : half_windows::most_together) + 1;
    std::vector<f16> x, y;
    const auto mask = static_cast<std::uint16_t>(trial % 5 == 0 ? 0x7bff : 0xfbff);
    for (std::size_t i = 0; i < count; ++i) {
      const auto bits = static_cast<std::uint16_t>(by() & mask), others = static_cast<std::uint16_t>(by() & mask);
      x.push_back(f16{trial % 7 == 0 ? std::uint16_t{0x7bff} : bits});
      y.push_back(trial % 2 == 0 ? x.back() : f16{others});
    }
    x.back() = y.back() = f16{1};
    expect_exact_halves(x, y, threads);
  }
}

TEST(windows_of_f16, at_their_limits) {
  for (const std::size_t threads : {1, 4, 32}) {
    for (const std::uint16_t tiny : {0x0001, 0x8001, 0x0fff, 0x13ff}) {
      for (const std::uint16_t great : {0x7bff, 0xfbff, 0x2fff, 0x2bff, 0x29a7}) {
        std::vector<f16> x(threads == 1 ? half_windows::most : half_windows::most_together, f16{great});
        x[0] = f16{tiny};
        expect_exact_halves(x, x, threads);
      }
    }
  }
}

}  // namespace
}  // namespace multifold
