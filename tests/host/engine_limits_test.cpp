// The engine at its limits: past 2^32 elements, rounding bounds, cancellation, progress, many callers, SIMD levels.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <random>
#include <thread>
#include <vector>

#include "host/engine.hpp"
#include "host/fold.hpp"
#include "host/simd_guard.hpp"
#include "multifold/error.hpp"
#include "multifold/ops/visit.hpp"
#include "random_bits.hpp"
#include "sanitized.hpp"

namespace {

using namespace multifold;
using host::simd_level;

// 2^16 times this is past 2^32. Sanitizers are too slow for that, and check the same code on less.
constexpr std::int64_t many = test::sanitized ? 1 << 8 : 1 << 16;

plan plan_for(op_kind op, const array_view& view) {
  return make_plan(make_reduction(op, view.type), normalise(view, all_axes(view.rank()), order_of(op)), {},
                   host::traits(1));
}

template <class Result>
Result reduced(op_kind op, const array_view& view, const host::run_options& options = {}) {
  Result result{};
  host::run(plan_for(op, view), view.data, &result, options);
  return result;
}

// One element, repeated.
array_view repeated(const void* element, dtype type, std::int64_t count) {
  array_view view;
  view.data = element;
  view.type = type;
  view.extents = {count};
  view.strides = {0};
  return view;
}

}  // namespace

TEST(engine_limits, more_than_two_to_the_32_elements) {
  constexpr std::int64_t count = (many << 16) + 3;
  const std::int8_t seven = 7;
  EXPECT_EQ(reduced<std::int64_t>(op_kind::sum, repeated(&seven, dtype::i8, count)), 7 * count);
}

TEST(engine_limits, an_index_of_two_to_the_32) {
  // Row i is element i of the memory, repeated, and the least element is the last.
  std::vector<std::int8_t> rows(many + 1, 1);
  rows.back() = 0;
  array_view view = make_view(rows.data(), {many + 1, 1 << 16});
  view.strides = {1, 0};
  EXPECT_EQ(reduced<std::int64_t>(op_kind::argmin, view), many << 16);
}

// n - 1 additions in double, in any order, each off by at most half an ulp of a partial sum: n * 2^-53 * sum |x|.
// Products of the tree are much shorter, but the bound does not need to know.
TEST(engine_limits, sums_stay_within_the_bound_and_have_the_same_bits_everywhere) {
  test::random_bits random(1);
  std::lognormal_distribution<double> size(0, 5);
  for (std::int64_t count : {1, 12, 13, 100, 4097, 100000, 3000001}) {
    std::vector<double> x(static_cast<std::size_t>(count));
    long double exact = 0, magnitude = 0;
    for (double& e : x) {
      e = (random() % 2 == 0 ? 1 : -1) * size(random);
      exact += e;
      magnitude += std::abs(e);
    }
    const array_view view = make_view(x.data(), {count});
    double first = 0;
    for (simd_level level : test::levels()) {
      const test::simd_guard guard(level);
      for (int threads = 1; threads <= 8; ++threads) {
        host::run_options options;
        options.threads = threads;
        const double sum = reduced<double>(op_kind::sum, view, options);
        if (level == test::levels().front() && threads == 1) first = sum;
        ASSERT_EQ(first, sum) << name(level) << " x" << threads;
      }
    }
    const long double bound = magnitude * static_cast<long double>(count) * 0x1p-53L * 1.001L;
    EXPECT_LE(std::abs(static_cast<long double>(first) - exact), bound);
  }
}

TEST(engine_limits, negative_zero_and_canonical_nan) {
  const std::vector<float> zeros(1000, -0.0f);
  EXPECT_TRUE(std::signbit(reduced<float>(op_kind::sum, make_view(zeros.data(), {1000}))));
  std::vector<float> x(1000, 1.0f);
  x[500] = std::bit_cast<float>(0xffc12345u);
  const float sum = reduced<float>(op_kind::sum, make_view(x.data(), {1000}));
  EXPECT_EQ(std::bit_cast<std::uint32_t>(sum), 0x7fc00000u);
}

TEST(engine_limits, cancellation_is_prompt) {
  const std::int8_t one = 1;
  std::stop_source stop;
  host::run_options options;
  options.threads = 2;
  options.stop = stop.get_token();
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop.request_stop();
  });
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(reduced<std::int64_t>(op_kind::sum, repeated(&one, dtype::i8, INT64_C(1) << 48), options),
               cancelled_error);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST(engine_limits, plans_whose_tiles_are_dealt_in_turn_are_refused) {
  const std::vector<float> x((1 << 22) + (1 << 13), 1.0f);  // a tile more than parts have on average
  const array_view view = make_view(x.data(), {static_cast<std::int64_t>(x.size())});
  const plan p =
      make_plan(make_reduction(op_kind::max, dtype::f32), normalise(view, {0}, element_order::any), {}, h200_traits());
  ASSERT_NE(p.passes.front().tile, p.passes.front().part_length);
  float result = 0;
  EXPECT_THROW(host::run(p, x.data(), &result), unsupported_error);
}

TEST(engine_limits, progress_ends_with_all_bytes_and_may_throw) {
  const std::vector<float> x(10'000'000, 1.0f);
  const array_view view = make_view(x.data(), {10'000'000});
  std::int64_t last = 0;
  host::run_options options;
  options.threads = 3;
  options.progress = [&](std::int64_t bytes) {
    EXPECT_GE(bytes, last);
    last = bytes;
  };
  EXPECT_EQ(reduced<float>(op_kind::sum, view, options), 1e7f);
  EXPECT_EQ(last, 40'000'000);
  options.progress = [](std::int64_t) { throw io_error("stop here"); };
  EXPECT_THROW(reduced<float>(op_kind::sum, view, options), io_error);
}

TEST(engine_limits, many_callers_at_once) {
  const std::vector<float> x(1'000'000, 1.0f);
  const array_view view = make_view(x.data(), {1'000'000});
  std::vector<std::jthread> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] {
      host::run_options options;
      options.threads = 3;
      for (int k = 0; k < 20; ++k) EXPECT_EQ(reduced<float>(op_kind::sum, view, options), 1e6f);
    });
  }
}

TEST(engine_limits, every_level_has_kernels_of_its_own_and_the_environment_chooses) {
  EXPECT_GE(test::levels().size(), 1u);
  for (op_kind op : all_ops) {
    for (dtype type : {dtype::i8, dtype::f32}) {
      // Moments of floating point have one function, which asks the operation for those of its level.
      if (is_floating(type) && family_of(make_reduction(op, type)) == op_family::moments) continue;
      void (*seen)(const void*, const host::rows_work&) = nullptr;
      for (simd_level level : test::levels()) {
        const test::simd_guard guard(level);
        EXPECT_EQ(host::simd_in_use(), level);
        const host::fold f = host::make_fold(make_reduction(op, type));
        EXPECT_EQ(f.level, level);
        EXPECT_EQ(f.kernels.rows, f.table->kernels[static_cast<std::size_t>(level)].rows);
        EXPECT_NE(f.kernels.rows, seen);
        seen = f.kernels.rows;
      }
    }
  }
  ::setenv("MULTIFOLD_SIMD", "sse9", 1);
  EXPECT_THROW(host::simd_in_use(), unsupported_error);
  ::unsetenv("MULTIFOLD_SIMD");
}

#if defined(__x86_64__)
// The best level that the processor has is the one in use: a build that lost it would pass every other test.
TEST(engine_limits, the_best_level_is_in_use) {
  ::unsetenv("MULTIFOLD_SIMD");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (avx512) {
    EXPECT_EQ(host::simd_in_use(), simd_level::avx512);
  } else if (__builtin_cpu_supports("avx2")) {
    EXPECT_EQ(host::simd_in_use(), simd_level::avx2);
  }
}
#endif

TEST(engine_limits, threads_are_counted) {
  EXPECT_GE(host::usable_threads(), 1);
  EXPECT_LE(host::usable_threads(), static_cast<int>(std::thread::hardware_concurrency()));
  EXPECT_EQ(host::traits(5).units, 5);
  EXPECT_FALSE(host::traits().name.empty());
}
