// What folds refuse, and what becomes of exceptions in the caller's functions.
#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "multifold/fold.hpp"
#include "reduce/fold/ops.hpp"
#include "reduce/refusal.hpp"
#include "reduce/sources/vector_source.hpp"

namespace multifold {
namespace {

using test::expect_refusal;

const auto sum = make_fold<float>(
    0.0, [](float v) { return double{v}; }, std::plus<>{});
const auto dot = make_fold<float, double>(
    0.0, [](float a, double b) { return a * b; }, std::plus<>{});

TEST(fold_errors, name_the_dtypes) {
  const std::vector<double> x(6);
  const std::vector<float> y(6);
  expect_refusal<shape_error>("the operation takes f32 elements, and the array holds f64",
                              [&] { fold(sum, make_view(x.data(), {6})); });
  expect_refusal<shape_error>("the operation takes f64 elements, and array 2 holds f32", [&] {
    fold(dot, {make_view(y.data(), {6}), make_view(y.data(), {6})});
  });
}

TEST(fold_errors, name_both_shapes) {
  const std::vector<double> x(6);
  const std::vector<float> y(6);
  expect_refusal<shape_error>("one shape; found (2, 3) and (3, 2)", [&] {
    fold(dot, {make_view(y.data(), {2, 3}), make_view(x.data(), {3, 2})});
  });
  expect_refusal<shape_error>("takes 2 arrays, and 1 was given", [&] { fold(dot, make_view(y.data(), {6})); });
  expect_refusal<shape_error>("takes 1 array, and 2 were given", [&] {
    fold(sum, {make_view(y.data(), {6}), make_view(y.data(), {6})});
  });
  expect_refusal<shape_error>("takes 1 array, and 0 were given", [&] { fold(sum, std::vector<array_view>{}); });
}

TEST(fold_errors, refuse_what_no_reduction_takes) {
  const std::vector<float> x(6);
  const array_view view = make_view(x.data(), {2, 3});
  expect_refusal<shape_error>("axis 2 is out of range", [&] { fold(sum, view, {.axes = {{2}}}); });
  expect_refusal<shape_error>("named twice", [&] { fold(sum, view, {.axes = {{0, -2}}}); });
  expect_refusal<unsupported_error>("-1 threads", [&] { fold(sum, view, {.threads = -1}); });
  expect_refusal<unsupported_error>("-1 bytes", [&] { fold(sum, view, {.memory_bytes = -1}); });
  expect_refusal<shape_error>("its data pointer is null", [&] { fold(sum, make_view<float>(nullptr, {2, 3})); });
  array_view strideless = view;
  strideless.strides = {1};
  expect_refusal<shape_error>("strides were given", [&] { fold(sum, strideless); });
  strideless.extents = {2, 0};
  EXPECT_EQ(fold(sum, strideless).value(), 0);
}

TEST(fold_errors, point_from_device_memory_to_the_gpu) {
  const std::vector<float> x(6);
  const std::vector<double> y(6);
  expect_refusal<unsupported_error>("the array lies in device memory: use cuda::fold_async",
                                    [&] { fold(sum, make_view(x.data(), {6}, place::device)); });
  expect_refusal<unsupported_error>("array 2 lies in device memory: use cuda::fold_async", [&] {
    fold(dot, {make_view(x.data(), {6}), make_view(y.data(), {6}, place::device)});
  });
}

// One function at a time fails, on one of many elements, on whatever thread.
TEST(fold_errors, of_the_callers_functions_reach_the_caller) {
  const std::vector<std::int32_t> x = random_integers(1 << 20);
  std::atomic<int> calls{0};
  for (const std::string where : {"lift", "combine", "lower"}) {
    const auto fail = [&calls, where](const std::string& here, bool now) {
      if (here == where && now) throw std::domain_error(where + " failed");
      ++calls;
    };
    const auto op = make_fold<std::int32_t>(
        std::int64_t{0},
        [fail](std::int32_t v, std::int64_t i) {
          fail("lift", i == 777);
          return std::int64_t{v};
        },
        [fail](std::int64_t a, std::int64_t b) {
          fail("combine", a > 0 && b == 999);
          return a + b;
        },
        [fail](std::int64_t a) {
          fail("lower", true);
          return a;
        });
    for (const int threads : {1, 2, 7}) {
      for (const std::vector<std::int64_t>& axes : {std::vector<std::int64_t>{0}, {1}, {0, 1}}) {
        const array_view view = make_view(x.data(), {1024, 1024});
        expect_refusal<std::domain_error>(where + " failed",
                                          [&] { fold(op, view, {.axes = axes, .threads = threads}); });
      }
    }
  }
  // The next call works.
  EXPECT_EQ(fold(marked_elements{}, make_view(x.data(), {1 << 20}), {.threads = 7}).values,
            fold_slowly(marked_elements{}, make_view(x.data(), {1 << 20}), {0}));
}

TEST(fold_errors, a_fold_that_is_cancelled_ends_soon) {
  const std::vector<float> x(1 << 20);
  std::stop_source stop;
  std::atomic<std::int64_t> lifted{0};
  const auto op = make_fold<float>(
      0.0,
      [&](float v) {
        if (++lifted == 100'000) stop.request_stop();
        return double{v};
      },
      std::plus<>{});
  fold_options options;
  options.threads = 2;
  options.stop = stop.get_token();
  expect_refusal<cancelled_error>("cancelled", [&] { fold(op, make_view(x.data(), {1 << 20}), options); });
  EXPECT_LT(lifted, 200'000);
  lifted = 0;
  expect_refusal<cancelled_error>("cancelled", [&] { fold(op, make_view(x.data(), {1 << 20}), options); });
  EXPECT_EQ(lifted, 0);
}

TEST(fold_errors, folds_inside_of_folds_and_beside_them_do_not_wait_for_each_other) {
  const std::vector<float> x(1 << 18, 1);
  const array_view view = make_view(x.data(), {1 << 18});
  const auto nested = make_fold<float>(
      0.0, [&](float v, std::int64_t i) { return i % 65536 == 0 ? fold(sum, view, {.threads = 3}).value() : v; },
      std::plus<>{});
  std::vector<std::jthread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] { EXPECT_EQ(fold(nested, view, {.threads = 3}).value(), 5 * (1 << 18) - 4); });
  }
}

TEST(fold_errors, functions_round_to_nearest_whatever_the_caller_does) {
  const std::vector<float> x(100, 0.1f);
  const auto third = make_fold<float>(
      0.0, [](float v) { return double{v}; }, std::plus<>{}, [](double all) { return all / 3; });
  const double expected = fold(third, make_view(x.data(), {100})).value();
  std::fesetround(FE_UPWARD);
  const double found = fold(third, make_view(x.data(), {100})).value();
  vector_source<float> input(x, {-1});
  const double read = fold(third, input).value();
  const int after = std::fegetround();
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(read, expected);
  EXPECT_EQ(after, FE_UPWARD);
}

}  // namespace
}  // namespace multifold
