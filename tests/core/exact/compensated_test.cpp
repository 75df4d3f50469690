// Compensated sums beside accumulators: what they are off by stays within the bound, and is nothing where that is 0.
#include "multifold/exact/expansions/compensated.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/exact/sums_with_errors.hpp"

namespace multifold {
namespace {

using detail::compensated_run;
using detail::compensated_squares;
using detail::compensated_sum;
using detail::plain_squares;
using detail::started_squares;
using test::expect_within;
using test::kind;
using test::numbers;

// 2 to the power of it divides all elements, as kernels find it.
int unit_of(const std::vector<float>& all) {
  int least = 0xff;
  for (const float x : all) {
    if (x != 0) least = std::min(least, std::max(static_cast<int>(bit_copy<std::uint32_t>(std::fabs(x)) >> 23), 1));
  }
  return least - 127 - 23;
}
int unit_of(const std::vector<double>& all) {
  int least = 0x7ff;
  for (const double x : all) {
    const auto bits = bit_copy<std::uint64_t>(std::fabs(x));
    if ((bits & 0xffffffffu) != 0) return compensated_run::no_unit;
    if (x != 0) least = std::min(least, std::max(static_cast<int>(bits >> 52), 1));
  }
  return least - 1023 - 20;
}

struct sums {
  exact_sum<double> x, squares;

  explicit sums(const auto& all) {
    for (const auto each : all) {
      const double u = each, p = u * u;
      x.add(u);
      squares.add(p);
      squares.add(std::fma(u, u, -p));
    }
  }
};

// The lanes of a group meet as kernels' do.
void merge(std::vector<compensated_sum>& lanes) {
  for (std::size_t half = lanes.size() / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) lanes[i].merge(lanes[i + half]);
  }
}
double merged(std::vector<double> lanes) {
  for (std::size_t half = lanes.size() / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

// Returns whether it was known to be exact.
bool try_narrow(const std::vector<float>& all, int group, double start) {
  const sums wanted(all);
  std::vector<started_squares> squares(static_cast<std::size_t>(group), started_squares(start));
  std::vector<double> x(static_cast<std::size_t>(group), -0.0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    squares[i % squares.size()].add(static_cast<double>(all[i]));
    x[i % x.size()] += static_cast<double>(all[i]);
  }
  std::vector<compensated_sum> lanes;
  for (const started_squares& each : squares) lanes.push_back(each.sum());
  merge(lanes);
  const int count = static_cast<int>(all.size());
  const compensated_run run{count, count / group + 1, lanes[0].high + lanes[0].low, start, unit_of(all)};
  const detail::compensated_errors errors = run.narrow_errors();
  expect_within(wanted.x, merged(x), 0.0, errors.x);
  expect_within(wanted.squares, lanes[0].high, lanes[0].low, errors.products);
  return errors.x == 0 && errors.products == 0;
}

bool try_plain(const std::vector<float>& all, int group) {
  const sums wanted(all);
  std::vector<plain_squares> squares(static_cast<std::size_t>(group));
  for (std::size_t i = 0; i < all.size(); ++i) squares[i % squares.size()].add(static_cast<double>(all[i]));
  std::vector<double> lanes;
  for (const plain_squares& each : squares) lanes.push_back(each.high);
  const int count = static_cast<int>(all.size());
  const double sum = merged(lanes);
  const compensated_run run{count, count / group + 1, sum, 0.0, unit_of(all)};
  expect_within(wanted.squares, sum, 0.0, run.plain_errors().products);
  return run.plain_errors().products == 0;
}

bool try_wide(const std::vector<double>& all, int group) {
  const sums wanted(all);
  std::vector<compensated_squares> squares(static_cast<std::size_t>(group));
  std::vector<compensated_sum> x(static_cast<std::size_t>(group)), lanes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    squares[i % squares.size()].add(all[i]);
    x[i % x.size()].add(all[i]);
  }
  for (const compensated_squares& each : squares) lanes.push_back(each.sum);
  merge(lanes);
  merge(x);
  const int count = static_cast<int>(all.size());
  const compensated_run run{count, count / group + 1, lanes[0].high + lanes[0].low, 0.0, unit_of(all)};
  const detail::compensated_errors errors = run.wide_errors();
  expect_within(wanted.x, x[0].high, x[0].low, errors.x);
  expect_within(wanted.squares, lanes[0].high, lanes[0].low, errors.products);
  return errors.x == 0 && errors.products == 0;
}

constexpr kind kinds[] = {kind::normal, kind::far_apart, kind::alike, kind::integers, kind::zeros};

TEST(compensated, narrow_sums_are_within_their_bounds) {
  test::random_bits by(71);
  for (int i = 0; i < 3000; ++i) {
    const kind of = kinds[by() % std::size(kinds)];
    const int group = 1 << by() % 6, count = 1 + static_cast<int>(by() % (40u * static_cast<unsigned>(group)));
    const std::vector<float> all = numbers<float>(by, count, of);
    const double squares = round_to<double>(exact_total(sums(all).squares));
    // Of a run like this one, of none, too little, and far too much.
    for (const double like : {squares, 0.0, squares * 0x1p-30, squares * 0x1p60}) {
      try_narrow(all, group, detail::start_of_squares(like));
    }
    try_plain(all, group);
  }
}

TEST(compensated, wide_sums_are_within_their_bounds) {
  test::random_bits by(72);
  for (int i = 0; i < 3000; ++i) {
    const kind of = kinds[by() % std::size(kinds)];
    const int group = 1 << by() % 6, count = 1 + static_cast<int>(by() % (40u * static_cast<unsigned>(group)));
    try_wide(numbers<double>(by, count, of), group);
  }
}

// Ties and zeros can be told by nothing else.
TEST(compensated, ordinary_sums_are_known_to_be_exact) {
  test::random_bits by(73);
  for (const kind of : {kind::alike, kind::integers, kind::zeros}) {
    const std::vector<float> all = numbers<float>(by, 1024, of);
    EXPECT_TRUE(try_narrow(all, 32, detail::start_of_squares(round_to<double>(exact_total(sums(all).squares)))));
  }
  EXPECT_TRUE(try_narrow(std::vector<float>(1024, 0.0f), 32, 0.0));
  EXPECT_TRUE(try_plain(std::vector<float>(1024, 0.0f), 32));
  EXPECT_TRUE(try_wide(numbers<double>(by, 1024, kind::integers), 32));
  EXPECT_TRUE(try_wide(std::vector<double>(1024, 0.5), 32));
}

TEST(compensated, starts_are_well_above_what_they_follow) {
  for (const double squares : {0x1p-298, 1.0, 1.5, 0x1.fffffffffffffp0, 0x1p260}) {
    const double start = detail::start_of_squares(squares);
    EXPECT_GE(start, 32 * squares);
    EXPECT_LE(start, 64 * squares);
    EXPECT_EQ(start, std::ldexp(1.0, detail::exponent_of_start(start)));
  }
  EXPECT_EQ(detail::start_of_squares(0.0), 0.0);
  EXPECT_EQ(detail::start_of_squares(HUGE_VAL), 0.0);
}

}  // namespace
}  // namespace multifold
