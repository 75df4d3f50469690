// Exact sums of the engine: the bits of the plan's interpreter, for any data, axes, SIMD level and number of threads.
#include <algorithm>
#include <random>

#include "host/exact/checks.hpp"
#include "multifold/error.hpp"
#include "random_bits.hpp"
#include "sanitized.hpp"

namespace {

using namespace multifold;
using namespace test;

constexpr dtype reals[] = {dtype::f16, dtype::bf16, dtype::f32, dtype::f64};

constexpr int share = test::sanitized ? 8 : 1;

reduction random_reduction(test::random_bits& random) {
  reduction what = exact_reduction(random() % 2 == 0 ? op_kind::sum : op_kind::mean, reals[random() % 4],
                                   reals[random() % 4], random() % 2 == 0 ? nan_policy::propagate : nan_policy::omit);
  if (what.op == op_kind::sum && random() % 4 == 0) {
    what.initial.given = true;
    what.initial.real_value = random_finite<double>(random);
  }
  return what;
}

family random_family(test::random_bits& random) { return static_cast<family>(random() % families); }

void check_rows(const reduction& what, family f, std::int64_t rows, std::int64_t length, test::random_bits& random) {
  const auto misalign = static_cast<std::int64_t>(random() % 8);
  const array a = dense_array_of(what.input, f, {rows, length}, random, misalign);
  const plan p = plan_for(what, a.view, {1});
  expect_everywhere(by_elements(p, a.view), p, a.view, f);
}

}  // namespace

TEST(exact_sum_host, random_arrays_as_interpreted) {
  test::random_bits random(1);
  for (int i = 0; i < 4000 / share && !HasFatalFailure(); ++i) {
    std::vector<std::int64_t> extents(random() % 5);
    for (std::int64_t& extent : extents) extent = static_cast<std::int64_t>(random() % (random() % 4 == 0 ? 30 : 6));
    const reduction what = random_reduction(random);
    const family f = random_family(random);
    const array a = random_array_of(what.input, f, extents, random);
    const plan p = plan_for(what, a.view, random_axes(a.view.rank(), random));
    expect_everywhere(interpreted(p, a.view.data), p, a.view, f);
  }
}

TEST(exact_sum_host, forced_plans) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  test::random_bits random(seed);
  for (int i = 0; i < 600 / share && !HasFatalFailure(); ++i) {
    const reduction what = random_reduction(random);
    const family f = random_family(random);
    std::vector<std::int64_t> extents = {1 + static_cast<std::int64_t>(random() % 5),
                                         1 + static_cast<std::int64_t>(random() % 200),
                                         1 + static_cast<std::int64_t>(random() % 20)};
    std::shuffle(extents.begin(), extents.end(), random);
    const array a = random_array_of(what.input, f, extents, random);
    plan_options forced;
    if (random() % 2 == 0) forced.passes = 1 + static_cast<int>(random() % 4);
    if (random() % 2 == 0) forced.parts = 1 + static_cast<std::int64_t>(random() % 40);
    try {
      const plan p = plan_for(what, a.view, random_axes(3, random), forced);
      expect_everywhere(interpreted(p, a.view.data), p, a.view, f);
    } catch (const unsupported_error&) {
    }
  }
}

TEST(exact_sum_host, rows_of_every_family_at_the_edges_of_lanes_and_tiles) {
  test::random_bits random(2);
  for (dtype type : reals) {
    for (int f = 0; f < families; ++f) {
      for (std::int64_t length : {1, 2, 7, 8, 9, 16, 17, 31, 32, 33, 47, 48, 49, 127, 128, 129, 199, 200, 1023, 1025}) {
        const reduction what = random_reduction(random);
        check_rows(exact_reduction(what.op, type, what.result, what.nan), static_cast<family>(f), 19, length, random);
        if (HasFatalFailure()) return;
      }
      for (std::int64_t length : {4095, 4096, 4097, 8193, 90001}) {
        const reduction what = random_reduction(random);
        if (share == 1 || length < 8000) {
          check_rows(exact_reduction(what.op, type, what.result, what.nan), static_cast<family>(f), 2, length, random);
        }
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(exact_sum_host, columns_of_every_family) {
  test::random_bits random(3);
  for (dtype type : reals) {
    for (int f = 0; f < families; ++f) {
      for (auto [rows, width] : {std::pair<int, int>{2, 300}, {3, 65}, {40, 3}, {255, 17}, {257, 70}, {700, 5}}) {
        if (share > 1 && rows > 300) continue;
        reduction what = random_reduction(random);
        what.input = type;
        const array a = dense_array_of(type, static_cast<family>(f), {rows, width}, random, 1);
        const plan p = plan_for(what, a.view, {0});
        expect_everywhere(interpreted(p, a.view.data), p, a.view, static_cast<family>(f));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(exact_sum_host, permutations_and_threads_give_the_same_bits) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  test::random_bits random(seed);
  for (int f = 0; f < families; ++f) {
    std::vector<double> x(200001 / share);
    fill_family(dtype::f64, static_cast<family>(f), reinterpret_cast<std::byte*>(x.data()),
                static_cast<std::int64_t>(x.size()), random);
    const auto expected = std::bit_cast<std::uint64_t>(expected_total_of(x));
    for (int turn = 0; turn < 3; ++turn) {
      for (int threads : {1, 2, 8}) {
        ASSERT_EQ(expected, std::bit_cast<std::uint64_t>(exact_total_of(x, threads))) << "family " << f;
      }
      std::shuffle(x.begin(), x.end(), random);
    }
  }
}

// More columns than a pair can hold, of which partial results meet: none may be lost or kept.
TEST(exact_sum_host, many_columns_that_no_pair_holds) {
  test::random_bits random(7);
  for (dtype type : {dtype::f32, dtype::f64}) {
    const array a = dense_array_of(type, family::any_finite, {900 / share, 300}, random);
    const plan p = plan_for(exact_reduction(op_kind::mean, type, dtype::f64), a.view, {0});
    expect_everywhere(interpreted(p, a.view.data), p, a.view, family::any_finite);
  }
}
