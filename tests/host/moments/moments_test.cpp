// Norms, dot products, variances and descriptions of the engine: the bits of the plan's interpreter, for any data,
// axes, SIMD level and number of threads.
#include <random>

#include "host/moments/checks.hpp"
#include "random_bits.hpp"
#include "sanitized.hpp"

namespace {

using namespace multifold;
using namespace test;

constexpr int share = test::sanitized ? 8 : 1;

family random_family(test::random_bits& random) { return static_cast<family>(random() % families); }

void check_random_array(test::random_bits& random) {
  std::vector<std::int64_t> extents(random() % 5);
  for (std::int64_t& extent : extents) extent = static_cast<std::int64_t>(random() % (random() % 4 == 0 ? 30 : 6));
  const reduction what = random_moments(random);
  const family f = random_family(random);
  const array_pair a = random_pair(what.input, f, extents, random);
  const plan p = plan_for(what, a.x.view, random_axes(a.x.view.rank(), random));
  expect_moments(interpreted_moments(p, a.data()), p, a, f);
}

void check_random_rows(test::random_bits& random, std::int64_t rows, std::int64_t length) {
  const family f = random_family(random);
  const reduction what = random_moments(random);
  check_rows_of_moments(what, f, dense_pair(what.input, f, {rows, length}, random));
}

}  // namespace

TEST(moments_host, random_arrays_as_interpreted) {
  test::random_bits random(1);
  for (int i = 0; i < 4000 / share && !HasFatalFailure(); ++i) check_random_array(random);
}

TEST(moments_host, a_fresh_seed_every_run) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  test::random_bits random(seed);
  for (int i = 0; i < 1500 / share && !HasFatalFailure(); ++i) {
    check_random_array(random);
    check_random_rows(random, 1 + static_cast<std::int64_t>(random() % 3), static_cast<std::int64_t>(random() % 2500));
  }
}

TEST(moments_host, forced_plans) {
  test::random_bits random(2);
  for (int i = 0; i < 600 / share && !HasFatalFailure(); ++i) {
    const reduction what = random_moments(random);
    const family f = random_family(random);
    std::vector<std::int64_t> extents = {1 + static_cast<std::int64_t>(random() % 5),
                                         1 + static_cast<std::int64_t>(random() % 200),
                                         1 + static_cast<std::int64_t>(random() % 20)};
    std::shuffle(extents.begin(), extents.end(), random);
    const array_pair a = random_pair(what.input, f, extents, random);
    plan_options forced;
    if (random() % 2 == 0) forced.passes = 1 + static_cast<int>(random() % 4);
    if (random() % 2 == 0) forced.parts = 1 + static_cast<std::int64_t>(random() % 40);
    plan p;
    try {
      p = plan_for(what, a.x.view, random_axes(3, random), forced);
    } catch (const unsupported_error&) {
      continue;
    }
    expect_moments(interpreted_moments(p, a.data()), p, a, f);
  }
}

TEST(moments_host, every_operation_dtype_and_family_at_the_edges_of_tiles) {
  test::random_bits random(3);
  for (op_kind op : moment_ops) {
    for (dtype type : moment_dtypes) {
      for (int f = 0; f < (is_floating(type) ? families : 1); ++f) {
        for (std::int64_t length : {1, 6, 7, 15, 17, 33, 1023, 1024, 1025, 2071}) {
          if (share > 1 && random() % share != 0) continue;
          const reduction what = make_reduction(op, type, length % 2 == 0 ? nan_policy::propagate : nan_policy::omit);
          const array_pair rows = dense_pair(type, static_cast<family>(f), {2, length}, random);
          ASSERT_NO_FATAL_FAILURE(check_rows_of_moments(what, static_cast<family>(f), rows));
        }
      }
    }
  }
}

TEST(moments_host, long_rows_on_several_threads) {
  test::random_bits random(4);
  for (op_kind op : moment_ops) {
    for (dtype type : moment_dtypes) {
      const family f = random_family(random);
      for (nan_policy nan : {nan_policy::propagate, nan_policy::omit}) {
        const reduction what = make_reduction(op, type, nan);
        ASSERT_NO_FATAL_FAILURE(check_rows_of_moments(what, f, dense_pair(type, f, {1, 300000 / share}, random)));
      }
    }
  }
}

TEST(moments_host, columns_wide_and_narrow) {
  test::random_bits random(5);
  for (op_kind op : moment_ops) {
    for (dtype type : moment_dtypes) {
      for (std::int64_t width : {1, 3, 7, 8, 9, 31, 65}) {
        const family f = random_family(random);
        reduction what = make_reduction(op, type, width % 2 == 0 ? nan_policy::propagate : nan_policy::omit);
        if (random() % 2 == 0) what.result = dtype::f64;
        const array_pair a =
            dense_pair(type, f, {257 + static_cast<std::int64_t>(random() % 300) / share, width}, random);
        const plan p = plan_for(what, a.x.view, {0});
        ASSERT_NO_FATAL_FAILURE(expect_moments(interpreted_moments(p, a.data()), p, a, f));
      }
    }
  }
}

// Beside those of other batches, or as rows: both in tiles of 4096 elements.
TEST(moments_host, a_few_columns_of_many_batches) {
  const std::vector<std::int64_t> shapes[] = {{60, 40, 2}, {3, 301, 7}, {1, 9000, 2}, {2, 1900, 3}};
  test::random_bits random(9);
  for (op_kind op : moment_ops) {
    for (dtype type : {dtype::i8, dtype::u32, dtype::i64, dtype::bf16, dtype::f32, dtype::f64}) {
      for (const std::vector<std::int64_t>& shape : shapes) {
        const family f = random_family(random);
        const reduction what = make_reduction(op, type, shape[0] % 2 == 0 ? nan_policy::propagate : nan_policy::omit);
        const array_pair a = dense_pair(type, f, shape, random);
        const plan p = plan_for(what, a.x.view, {1});
        ASSERT_NO_FATAL_FAILURE(expect_moments(interpreted_moments(p, a.data()), p, a, f));
      }
    }
  }
}

TEST(moments_host, many_rows_of_one_batch) {
  test::random_bits random(8);
  for (op_kind op : moment_ops) {
    for (dtype type : {dtype::i16, dtype::i64, dtype::bf16, dtype::f32, dtype::f64}) {
      for (std::int64_t length : {1, 7, 100, 511, 512, 513}) {
        const family f = random_family(random);
        const std::int64_t rows = length < 200 ? 37 : 5;
        const reduction what = make_reduction(op, type, length % 2 == 0 ? nan_policy::propagate : nan_policy::omit);
        const array_pair a = dense_pair(type, f, {rows, 3, length}, random);
        const plan p = plan_for(what, a.x.view, {0, 2});
        ASSERT_NO_FATAL_FAILURE(expect_moments(interpreted_moments(p, a.data()), p, a, f));
      }
    }
  }
}

TEST(moments_host, an_array_with_itself) {
  test::random_bits random(6);
  for (op_kind op : two_array_ops) {
    for (dtype type : moment_dtypes) {
      array_pair a = random_pair(type, family::halves, {7, 11, 5}, random);
      a.y = a.x;
      a.y.view.data = a.x.view.data;
      for (std::int64_t axis : {0, 1, 2}) {
        const plan p = plan_for(make_reduction(op, type), a.x.view, {axis});
        ASSERT_NO_FATAL_FAILURE(expect_moments(interpreted_moments(p, a.data()), p, a, family::halves));
      }
    }
  }
}

// Results that are rounded from an approximation, where that tells: ordinary ones, exact ones and ties.
TEST(moments_host, many_short_rows) {
  const unsigned fresh = std::random_device{}();
  for (const unsigned seed : {7u, fresh}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::random_bits random(seed);
    for (op_kind op : {op_kind::norm2, op_kind::var, op_kind::std, op_kind::cov, op_kind::describe}) {
      for (dtype type : moment_dtypes) {
        for (dtype result : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64}) {
          reduction what = make_reduction(op, type);
          what.result = result;
          what.correction = random_correction(random);
          const family f = random() % 3 == 0 ? family::halves : random_family(random);
          const auto length = static_cast<std::int64_t>(1 + random() % 12);
          ASSERT_NO_FATAL_FAILURE(check_rows_of_moments(what, f, dense_pair(type, f, {2000 / share, length}, random)));
        }
      }
    }
  }
}
