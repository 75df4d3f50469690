// Pairs that stand for sums of several numbers: every format rounds them as it rounds the sums, which accumulators tell.
#include "multifold/exact/expansions/odd_pair.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "multifold/exact/finish.hpp"
#include "multifold/exact/near/near.hpp"
#include "multifold/exact/short_sum.hpp"
#include "multifold/exact/windows.hpp"
#include "multifold/ops/exact_sum.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

using detail::nearest;
using detail::same_bits;

template <class T>
void expect_same(const exact_pair& pair, const exact_sum<double>& sum, std::int64_t count) {
  const T wanted = round_to<T>(exact_total(sum));
  EXPECT_TRUE(same_bits(nearest<T>(pair), wanted)) << pair.high << " + " << pair.low;
  EXPECT_TRUE(same_bits(round_to<T>(value_of(pair)), wanted)) << pair.high << " + " << pair.low;
  const exact_value mean = exact_quotient(exact_total(sum), count);
  EXPECT_TRUE(same_bits(round_to<T>(exact_quotient(value_of(pair), count)), round_to<T>(mean))) << count;
  T quick{};
  if (detail::round_mean(pair, count, 1.0 / static_cast<double>(count), quick)) {
    EXPECT_TRUE(same_bits(quick, round_to<T>(mean))) << count;
  }
}

void expect_same(const exact_pair& pair, const exact_sum<double>& sum, std::int64_t count) {
  expect_same<double>(pair, sum, count);
  expect_same<float>(pair, sum, count);
  expect_same<bf16>(pair, sum, count);
}

// Windows of elements, as kernels have them. Returns whether they made a pair.
template <int Count>
bool try_windows(test::random_bits& by, int elements, int spread) {
  exact_sum<double> sum;
  magnitude_scan<float> scan;
  std::vector<float> all;
  for (int i = 0; i < elements; ++i) {
    const double significand = 1.0 + static_cast<double>(by() >> 12) * 0x1p-52;
    const int exponent = static_cast<int>(by() % static_cast<unsigned>(spread + 1)) - spread / 2;
    const auto x = static_cast<float>(std::ldexp(by() % 2 == 0 ? significand : -significand, exponent));
    // Some cancel, so that what is left is far below.
    all.push_back(x);
    if (by() % 4 == 0) all.push_back(-x);
  }
  for (const float x : all) scan.see(x), sum.add(static_cast<double>(x));
  const exponent_range<float> range(scan);
  const window_layout layout(range.top(), range.bottom(), log_of_count(static_cast<std::int64_t>(all.size())));
  if (layout.count > Count || layout.count == 1) return true;
  window_sums<Count> windows(layout);
  for (const float x : all) windows.add(static_cast<double>(x));
  windows.close(layout);
  exact_pair pair;
  if (!detail::odd_pair(windows.sum, pair)) return false;
  expect_same(pair, sum, 1 + static_cast<std::int64_t>(by() % 5000));
  return true;
}

template <int Count>
void try_all_windows(std::uint64_t seed) {
  test::random_bits by(seed);
  constexpr int tries = 4000;
  int made = 0;
  for (int i = 0; i < tries; ++i)
    made += try_windows<Count>(by, 1 + static_cast<int>(by() % 60), 2 + static_cast<int>(by() % 220));
  EXPECT_GT(made, tries * 98 / 100);  // the others go another way
}

TEST(odd_pair, of_windows) {
  try_all_windows<2>(1);
  try_all_windows<3>(2);
  try_all_windows<4>(3);
  try_all_windows<6>(4);
  try_all_windows<8>(5);
}

// Sums next to what lies between two numbers of a format, and just there, with the least there is beside it.
template <class T>
void try_midpoints(std::uint64_t seed) {
  test::random_bits by(seed);
  constexpr int bits = detail::float_layout<T>::mantissa_bits + 1;
  int made = 0;
  for (int i = 0; i < 4000; ++i) {
    const double sign = by() % 2 == 0 ? 1 : -1;
    const double number =
        sign * std::ldexp(1.0 + static_cast<double>(by() >> (65 - bits)) * std::ldexp(1.0, 1 - bits), 40);
    const double half = std::ldexp(by() % 2 == 0 ? 1.0 : -1.0, 40 - bits);
    const double low = by() % 3 == 0 ? 0 : std::ldexp(by() % 2 == 0 ? 1.0 : -1.0, -30 - static_cast<int>(by() % 60));
    const double least = by() % 3 == 0 ? 0 : std::ldexp(by() % 2 == 0 ? 1.0 : -1.0, -140 - static_cast<int>(by() % 60));
    double part[4] = {number, half, low, least};
    exact_sum<double> sum;
    for (const double x : part) sum.add(x);
    exact_pair pair;
    if (!detail::odd_pair(part, pair)) continue;
    ++made;
    expect_same(pair, sum, 1 + static_cast<std::int64_t>(by() % 100));
  }
  EXPECT_GT(made, 3900);
}

TEST(odd_pair, of_midpoints) {
  try_midpoints<double>(11);
  try_midpoints<float>(12);
  try_midpoints<bf16>(13);
}

TEST(odd_pair, of_zeros) {
  double part[3] = {0.0, 0.0, 0.0};
  exact_pair pair;
  ASSERT_TRUE(detail::odd_pair(part, pair));
  EXPECT_TRUE(same_bits(nearest<float>(pair), 0.0f));
  // What is left of these, two sweeps do not bring to the front.
  double cancelled[3] = {0x1p60, -0x1p60, 0x1p-60};
  EXPECT_FALSE(detail::odd_pair(cancelled, pair));
}

}  // namespace
}  // namespace multifold
