// The CPU's rungs: right for any length, type and operation, and what their heads claim of them.
#include <gtest/gtest.h>

#include <vector>

#include "cpu/00_one_accumulator.hpp"
#include "cpu/02_pairwise.hpp"
#include "cpu/03_kahan.hpp"
#include "cpu/04_neumaier.hpp"
#include "cpu/06_threads.hpp"
#include "cpu/plain_read.hpp"
#include "cpu/simd_levels.hpp"
#include "cpu_climb.hpp"
#include "judge.hpp"
#include "numbers.hpp"
#include "random_bits.hpp"

namespace multifold::ladder {
namespace {

std::vector<std::int64_t> lengths() {
  std::vector<std::int64_t> all;
  for (std::int64_t n = 1; n <= 70; ++n) all.push_back(n);
  test::random_bits random(7);
  for (int i = 0; i < 40; ++i) all.push_back(1 + static_cast<std::int64_t>(random() >> (44 + random() % 16)));
  for (const std::int64_t n : {1 << 10, 1 << 16, 1 << 20}) all.insert(all.end(), {n - 1, n, n + 1});
  return all;
}

TEST(cpu_rungs, are_right_for_any_length) {
  for (const dtype type : {dtype::f32, dtype::f64, dtype::i32}) {
    for (const op_kind op : {op_kind::sum, op_kind::max, op_kind::dot}) {
      for (const std::int64_t count : lengths()) {
        const climb c = climb_cpu({type, op, count}, {3, 1});
        ASSERT_GE(c.steps.size(), 6u);
        for (const step& s : c.steps) {
          ASSERT_TRUE(s.right) << s.name << ": " << s.value << " for " << c.exact << ", " << name(op) << " of " << count
                               << " " << name(type);
        }
        ASSERT_LE(c.steps.back().ulps, 0.5 + 1e-9);
        EXPECT_GT(c.roof, 0);
      }
    }
  }
}

TEST(cpu_rungs, have_their_numbers_whatever_is_left_out) {
  const climb c = climb_cpu({dtype::i32, op_kind::max, 100}, {1, 1});
  std::vector<int> numbers;
  for (const step& s : c.steps) numbers.push_back(s.number);
  EXPECT_EQ(numbers, (std::vector{0, 1, 2, 5, 6, 7}));
}

// What the heads of rungs 3 and 4 say.
TEST(cpu_rungs, compensate_as_they_claim) {
  const std::vector<double> x{1, 1e100, 1, -1e100};
  const cpu::elements<double> in{x.data(), x.data(), 0, 4};
  EXPECT_EQ(cpu::one_accumulator<cpu::sum<double>>(in), 0);
  EXPECT_EQ(cpu::kahan<cpu::sum<double>>(in), 0);
  EXPECT_EQ(cpu::neumaier<cpu::sum<double>>(in), 2);
  const std::vector<float> tenths(1'000'000, 0.1f);
  const cpu::elements<float> many{tenths.data(), tenths.data(), 0, 1'000'000};
  const double exact = 1e6 * static_cast<double>(0.1f);
  const auto off = [&](float sum) { return ulps_between(sum, exact, dtype::f32); };
  EXPECT_GT(off(cpu::one_accumulator<cpu::sum<float>>(many)), 1000);
  EXPECT_LT(off(cpu::pairwise<cpu::sum<float>>(many)), 100);
  EXPECT_LE(off(cpu::kahan<cpu::sum<float>>(many)), 1);
  EXPECT_GT(off(cpu::neumaier<cpu::sum<float>>(many)), 100);
}

TEST(cpu_rungs, pairwise_takes_every_element_once) {
  for (std::int64_t n = 1; n < 5000; n += 7) {
    std::vector<std::int32_t> x(static_cast<std::size_t>(n));
    std::int64_t expected = 0;
    for (std::int64_t i = 0; i < n; ++i) expected += x[static_cast<std::size_t>(i)] = number_at<std::int32_t>(i, 0);
    EXPECT_EQ((cpu::pairwise<cpu::sum<std::int32_t>>({x.data(), x.data(), 0, n})), expected) << n;
  }
}

TEST(cpu_rungs, simd_has_the_same_bits_on_every_processor) {
  if (!cpu::has_avx2()) GTEST_SKIP() << "this processor has no AVX2";
  std::vector<float> x(10'007);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = number_at<float>(static_cast<std::int64_t>(i), 0);
  const cpu::elements<float> in{x.data(), x.data(), 0, 10'007};
  EXPECT_EQ((cpu::simd<cpu::sum<float>, cpu::any_processor>(in)),
            (cpu::simd<cpu::sum<float>, cpu::avx2_processor>(in)));
}

TEST(cpu_rungs, more_threads_than_elements) {
  const std::vector<double> x{1, 2, 3};
  const auto part = [](const auto& in) { return cpu::one_accumulator<cpu::sum<double>>(in); };
  EXPECT_EQ((cpu::threads<cpu::sum<double>>({x.data(), x.data(), 0, 3}, 16, part)), 6);
}

TEST(cpu_orders, exact_sums_and_trees_have_one_result) {
  const std::vector<order_trial> trials = cpu_orders(100'003, 4, 20);
  ASSERT_EQ(trials.size(), 3u);
  EXPECT_EQ(trials[0].runs, 20);
  EXPECT_GE(trials[0].patterns, 1);
  EXPECT_EQ(trials[1].patterns, 1);
  EXPECT_EQ(trials[2].patterns, 1);
  EXPECT_LE(trials[2].greatest_ulps, 0.5 + 1e-9);
}

TEST(judge, measures_in_units_of_the_last_place) {
  EXPECT_EQ(ulps_between(1.0, 1.0, dtype::f32), 0);
  EXPECT_EQ(ulps_between(1.0 + 0x1p-23, 1.0, dtype::f32), 1);
  EXPECT_EQ(ulps_between(1.0 + 0x1p-52, 1.0, dtype::f64), 1);
  EXPECT_EQ(ulps_between(0x1p-149, 0.0, dtype::f32), 1);
  EXPECT_EQ(ulps_between(3.0, 2.0, dtype::f32), 0x1p22);
}

}  // namespace
}  // namespace multifold::ladder
