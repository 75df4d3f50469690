// Sums that begin far above their terms beside accumulators: what they are off by stays within the bound, and is nothing
// where that is known.
#include "multifold/exact/started_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/exact/sums_with_errors.hpp"
#include "multifold/ops/moments/moment_part.hpp"

namespace multifold {
namespace {

using detail::compensated_sum;
using detail::grouped_terms;
using detail::magnitude_pattern;
using detail::started_sum;
using detail::started_terms;
using test::expect_within;
using test::kind;
using test::numbers;

constexpr kind kinds[] = {kind::normal,   kind::far_apart, kind::ascending, kind::alike,
                          kind::negative, kind::integers,  kind::zeros};

std::uint32_t pattern_of(float x) { return bit_copy<std::uint32_t>(std::fabs(x)); }
std::uint32_t pattern_of(double x) { return static_cast<std::uint32_t>(bit_copy<std::uint64_t>(std::fabs(x)) >> 32); }

// What kernels know of elements.
template <class T>
struct magnitudes {
  std::uint32_t greatest = 0, least = ~0u;
  bool lower = false;

  void see(T x) {
    if constexpr (sizeof(T) == 8) lower = lower || (bit_copy<std::uint64_t>(x) & 0xffffffffu) != 0;
    greatest = std::max(greatest, pattern_of(x));
    if (x != 0) least = std::min(least, pattern_of(x));
  }
  // Of which all are multiples; 0 of what is not known.
  double unit() const { return lower || greatest == 0 ? 0.0 : std::ldexp(1.0, magnitude_pattern<T>::unit(least)); }
};

compensated_sum merged(std::vector<compensated_sum> lanes) {
  for (std::size_t i = 1; i < lanes.size(); ++i) lanes[0].merge(lanes[i]);
  return lanes[0];
}

// Elements, or products of two arrays, of several lanes that take a few together. Returns the error of their sum.
template <class T>
double try_started(const std::vector<T>& x, const std::vector<T>& y, int lanes, int together, bool products) {
  exact_sum<double> wanted;
  std::vector<started_sum> sums(static_cast<std::size_t>(lanes));
  std::vector<compensated_sum> all(sums.size());
  std::vector<int> seen(sums.size(), 0);
  magnitudes<T> of_x, of_y;
  const auto count = static_cast<int>(x.size());
  for (int i = 0, turn = 0; i < count; i += together, ++turn) {
    const auto lane = static_cast<std::size_t>(turn % lanes);
    started_sum& sum = sums[lane];
    const int end = std::min(count, i + together);
    magnitudes<T> x_now, y_now;
    for (int k = i; k < end; ++k) {
      x_now.see(x[static_cast<std::size_t>(k)]), y_now.see(y[static_cast<std::size_t>(k)]);
      of_x.see(x[static_cast<std::size_t>(k)]), of_y.see(y[static_cast<std::size_t>(k)]);
    }
    const int top = products ? magnitude_pattern<T>::top(x_now.greatest, y_now.greatest)
                             : magnitude_pattern<T>::top(x_now.greatest);
    if (!sum.takes(top) || !sum.has_room()) sum.restart(all[lane], top);
    for (int k = i; k < end; ++k) {
      const double u = static_cast<double>(x[static_cast<std::size_t>(k)]),
                   v = static_cast<double>(y[static_cast<std::size_t>(k)]);
      EXPECT_LE(std::fabs(products ? u * v : u), std::fabs(sum.high)) << "what an addition is off by is not exact then";
      if (!products) sum.add(u);
      else if (sizeof(T) == 8) sum.add_wide_product(u, v);
      else sum.add_product(u, v);
      wanted.add(products ? u * v : u);
      if (products) wanted.add(std::fma(u, v, -(u * v)));
    }
    seen[lane] += together;
    if (seen[lane] >= started_sum::chunk) sum.flush(all[lane]), seen[lane] = 0;
  }
  const started_terms terms(count / lanes + 2 * together);
  double error = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i].flush(all[i]);
    error += terms.error_from(sums[i].start_value());
  }
  const double unit = products ? of_x.unit() * of_y.unit() : of_x.unit();
  const bool nothing = of_x.greatest == 0 || (products && of_y.greatest == 0);
  error = nothing ? 0.0 : terms.error_of_units(error * (1 + 0x1p-40), unit);
  SCOPED_TRACE(products ? "products" : "elements");
  const compensated_sum found = merged(all);
  expect_within(wanted, found.high, found.low, error);
  return error;
}

template <class T>
void try_any(std::uint64_t seed) {
  test::random_bits by(seed);
  for (int i = 0; i < 1500; ++i) {
    const kind of = kinds[by() % std::size(kinds)], other = kinds[by() % std::size(kinds)];
    const int lanes = 1 << by() % 6, together = 1 + static_cast<int>(by() % started_sum::most_terms);
    const int count = 1 + static_cast<int>(by() % (i % 100 == 0 ? 20000 : 600));
    const std::vector<T> x = numbers<T>(by, count, of), y = by() % 2 == 0 ? x : numbers<T>(by, count, other);
    try_started(x, y, lanes, together, false);
    try_started(x, y, lanes, together, true);
  }
}

TEST(started_sum, of_f32_is_within_its_bound) { try_any<float>(81); }
TEST(started_sum, of_f64_is_within_its_bound) { try_any<double>(82); }

// Ties and zeros can be told by nothing else, and nearly every result by so little an error.
TEST(started_sum, of_ordinary_numbers_is_known_well) {
  test::random_bits by(83);
  for (const kind of : {kind::normal, kind::alike, kind::negative, kind::integers, kind::zeros}) {
    const std::vector<float> x = numbers<float>(by, 20000, of);
    EXPECT_EQ(try_started(x, x, 32, 16, false), 0.0);
    EXPECT_EQ(try_started(x, x, 32, 16, true), 0.0);
    const std::vector<double> v(x.begin(), x.end());
    EXPECT_LE(try_started(v, v, 32, 8, true), 0x1p-70 * 20000 * 0x1p20);
  }
}

// Squares of doubles leave their exponents, and are taken times a power of two from some element on.
TEST(started_sum, goes_on_times_a_power_of_two) {
  test::random_bits by(85);
  started_sum sum;
  compensated_sum all;
  exact_sum<double> wanted;  // of squares times 2^-1200
  const auto see = [&](double x, int down) {
    const double u = std::ldexp(x, -down);
    const int top = 2 * std::ilogb(u) + 2;
    if (!sum.takes(top) || !sum.has_room()) sum.restart(all, top);
    sum.add_wide_product(u, u);
    const double v = std::ldexp(x, -600), p = v * v;
    wanted.add(p);
    wanted.add(std::fma(v, v, -p));
  };
  for (int i = 0; i < 200; ++i)
    see(std::ldexp(1.0 + static_cast<double>(by() >> 12) * 0x1p-52, 400 + static_cast<int>(by() % 60)), 0);
  sum.lower(all, 1200);
  for (int i = 0; i < 200; ++i)
    see(std::ldexp(1.0 + static_cast<double>(by() >> 12) * 0x1p-52, 480 + static_cast<int>(by() % 500)), 600);
  sum.flush(all);
  expect_within(wanted, all.high, all.low, started_terms(400).error_from(sum.start_value()) + 400 * 0x1p-640);

  moment_part<moment_set::squares> small, great;
  small.down = 0, great.down = 600;
  small.sum[0] = {0x1p500, 0x1p440}, small.error[0] = 0x1p400;
  great.sum[0] = {0x1p-100, 0x1p-160}, great.error[0] = 0x1p-200;
  small.merge(great);
  EXPECT_EQ(small.down, 600);
  EXPECT_EQ(small.sum[0].high, 0x1p-100);
  EXPECT_EQ(small.sum[0].low, 0x1p-160 + 0x1p-700);
  EXPECT_GE(small.error[0], 0x1p-200);
  // Nothing is left of an ordinary sum, and that is no exact zero.
  moment_part<moment_set::products> ordinary, zeros;
  ordinary.down = 0, zeros.down = 600;
  ordinary.sum[0] = {1.0, 0.0};
  ordinary.merge(zeros);
  EXPECT_GT(ordinary.error[0], 0);
}

TEST(started_sum, says_so_where_terms_are_too_great) {
  started_sum sum;
  compensated_sum all;
  sum.restart(all, started_sum::most_exponent);
  sum.flush(all);
  EXPECT_NE(all.low, all.low);
}

TEST(grouped_terms, are_within_their_bound) {
  test::random_bits by(84);
  int exact = 0;
  for (int i = 0; i < 3000; ++i) {
    const kind of = kinds[by() % std::size(kinds)];
    const int lanes = 1 << by() % 6, count = 1 + static_cast<int>(by() % 2000);
    const bool products = by() % 2 == 0;
    std::vector<float> x = numbers<float>(by, count, of);
    for (float& each : x) each = bit_copy<float>(bit_copy<std::uint32_t>(each) & 0xffff0000u);
    exact_sum<double> wanted;
    std::vector<double> sums(static_cast<std::size_t>(lanes), 0.0);
    std::vector<compensated_sum> all(sums.size());
    std::vector<magnitudes<float>> seen(sums.size());
    for (int k = 0, turn = 0; k < count; k += grouped_terms::most_terms, ++turn) {
      const auto lane = static_cast<std::size_t>(turn % lanes);
      double sum = 0.0;
      for (int j = k; j < std::min(count, k + grouped_terms::most_terms); ++j) {
        const double u = static_cast<double>(x[static_cast<std::size_t>(j)]);
        seen[lane].see(x[static_cast<std::size_t>(j)]);
        sum = products ? std::fma(u, u, sum) : sum + u;
        wanted.add(products ? u * u : u);
      }
      all[lane].add(sum);
    }
    const grouped_terms terms(count / lanes + 2 * grouped_terms::most_terms);
    double error = 0.0, least_unit = HUGE_VAL;
    bool rough = false;
    for (std::size_t lane = 0; lane < all.size(); ++lane) {
      if (seen[lane].greatest == 0) continue;
      // As the kernel has it, of 7 bits behind the leading one.
      using pattern = magnitude_pattern<bf16>;
      const int unit = pattern::unit(seen[lane].least >> 16), top = pattern::top(seen[lane].greatest >> 16);
      const double bulk = products ? all[lane].high * (1 + 0x1p-20) : terms.terms * std::ldexp(1.0, top);
      const bool is_exact = grouped_terms::are_exact(products ? 2 * top : top, products ? 2 * unit : unit);
      error += terms.error(bulk) + (is_exact ? 0.0 : grouped_terms::rough_error(bulk));
      rough = rough || !is_exact;
      least_unit = std::min(least_unit, std::ldexp(1.0, products ? 2 * unit : unit));
    }
    if (!rough) error = terms.error_of_units(error, least_unit);
    const compensated_sum found = merged(all);
    expect_within(wanted, found.high, found.low, error * (1 + 0x1p-40));
    exact += error == 0 ? 1 : 0;
  }
  EXPECT_GE(exact, 1000);
}

}  // namespace
}  // namespace multifold
