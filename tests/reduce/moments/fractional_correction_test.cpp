// Corrections that are no integers, through every door of the library: against rational numbers, of which nothing is
// rounded but the result.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/exact/oracle.hpp"
#include "multifold/multifold.hpp"
#include "random_bits.hpp"
#include "reduce/refusal.hpp"
#include "reduce/sources/vector_source.hpp"

namespace multifold {
namespace {

namespace oracle = testing_oracle;

constexpr std::int64_t rows = 40, columns = 25;
constexpr double corrections[] = {0.5, 0.1, 1.5, 24.75, 24.9, 1e-20, 0x1p-1074};

template <class T>
struct FractionalCorrection : testing::Test {};
using elements = testing::Types<float, double>;
TYPED_TEST_SUITE(FractionalCorrection, elements);

template <floating_storage T>
std::vector<T> table(unsigned seed, double height) {
  test::random_bits random(seed);
  std::normal_distribution<double> normal(height, 1);
  std::vector<T> x(rows * columns);
  for (T& each : x) each = static_cast<T>(normal(random));
  return x;
}

// Of one row, the elements of which are `step` apart.
template <floating_storage T>
mpq_class covariance(const T* x, const T* y, std::int64_t count, std::int64_t step, double correction) {
  mpq_class s = 0, t = 0, p = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const mpq_class a = oracle::rational(static_cast<double>(x[i * step]));
    const mpq_class b = oracle::rational(static_cast<double>(y[i * step]));
    s += a;
    t += b;
    p += a * b;
  }
  const mpq_class n = oracle::rational(count);
  return (n * p - s * t) / (n * (n - oracle::rational(correction)));
}

template <floating_storage T>
void expect_covariance(T found, const mpq_class& expected) {
  EXPECT_EQ(oracle::bits_of(found), oracle::nearest<T>(expected));
}
template <floating_storage T>
void expect_root(T found, const mpq_class& square) {
  EXPECT_TRUE(oracle::is_nearest_root<T>(square, oracle::bits_of(found)));
}

reduce_options on_host(double correction) {
  reduce_options options;
  options.engine = engine_choice::host;
  options.correction = correction;
  return options;
}

TYPED_TEST(FractionalCorrection, OverRowsAndColumns) {
  using T = TypeParam;
  for (const double height : {0.0, 1e6}) {
    const std::vector<T> x = table<T>(1, height), y = table<T>(2, height);
    const array_view a = make_view(x.data(), {rows, columns}), b = make_view(y.data(), {rows, columns});
    for (const double c : corrections) {
      for (const std::int64_t axis : {0, 1}) {
        reduce_options options = on_host(c);
        options.axes = {axis};
        const std::int64_t count = axis == 0 ? rows : columns, step = axis == 0 ? columns : 1;
        const std::int64_t next = axis == 0 ? 1 : columns;
        const auto var = reduce(op_kind::var, a, options), std = reduce(op_kind::std, a, options);
        const auto cov = reduce(op_kind::cov, a, b, options), all = reduce(op_kind::describe, a, options);
        for (std::int64_t i = 0; i < (axis == 0 ? columns : rows); ++i) {
          const T* const p = x.data() + i * next;
          const mpq_class variance = covariance(p, p, count, step, c);
          const auto at = static_cast<std::size_t>(i);
          expect_covariance(var.template values<T>()[at], variance);
          expect_root(std.template values<T>()[at], variance);
          expect_root(all.template described_as<T>(i).std, variance);
          expect_covariance(cov.template values<T>()[at], covariance(p, y.data() + i * next, count, step, c));
        }
      }
    }
  }
}

TYPED_TEST(FractionalCorrection, OfRangesSourcesSeveralAndStates) {
  using T = TypeParam;
  const std::vector<T> x = table<T>(3, 10), y = table<T>(4, -3);
  const std::span<const T> head(x.data(), x.size() / 2), tail = std::span(x).subspan(head.size());
  for (const double c : corrections) {
    const mpq_class variance = covariance(x.data(), x.data(), rows * columns, 1, c);
    const T expected = oracle::from_bits<T>(oracle::nearest<T>(variance));
    EXPECT_EQ(var(x, c), expected);
    expect_root(stddev(x, c), variance);
    expect_root(describe(x, c).std, variance);
    expect_covariance(cov(x, y, c), covariance(x.data(), y.data(), rows * columns, 1, c));
    vector_source<T> source(x, {rows * columns}), pipe(x, {-1});
    EXPECT_EQ(reduce(op_kind::var, source, on_host(c)).template value<T>(), expected);
    EXPECT_EQ(reduce(op_kind::var, pipe, on_host(c)).template value<T>(), expected);
    const auto both = reduce({op_kind::sum, op_kind::var}, make_view(x.data(), {rows * columns}), on_host(c));
    EXPECT_EQ(both[1].template value<T>(), expected);
    state parts = reduce_to_state(op_kind::var, as_view(head));
    parts.merge(reduce_to_state(op_kind::var, as_view(tail)));
    EXPECT_EQ(parts.finish(op_kind::var, {.correction = c}).template value<T>(), expected);
    reduce_options kept = on_host(c);
    kept.keep_state = true;
    const reduce_result with_state = reduce(op_kind::var, make_view(x.data(), {rows * columns}), kept);
    EXPECT_EQ(with_state.template value<T>(), expected);
    EXPECT_EQ(state(with_state.state).bytes(), parts.bytes());  // a state knows of no correction
    EXPECT_EQ(correction::of_held(with_state.used.what.correction).value(), c);
  }
}

TEST(fractional_correction, of_integers_is_taken_from_their_exact_sums) {
  const std::vector<std::int64_t> x{INT64_MAX, INT64_MIN, 5, INT64_MAX - 1};
  const double largest = 0x1p63;
  // n P - S S of (2^63-1, -2^63, 5, 2^63-2) by 4 (4 - 0.5).
  mpq_class s = 0, p = 0;
  for (const std::int64_t each : x) {
    const mpq_class a = oracle::rational(each);
    s += a;
    p += a * a;
  }
  const mpq_class expected = (4 * p - s * s) / mpq_class(14);
  EXPECT_EQ(oracle::bits_of(var(x, 0.5)), oracle::nearest<double>(expected));
  EXPECT_TRUE(oracle::is_nearest_root<double>(expected, oracle::bits_of(stddev(x, 0.5))));
  EXPECT_LT(stddev(x, 0.5), largest * 1.2);
}

TEST(fractional_correction, that_leaves_nothing_gives_infinity_or_nan) {
  const std::vector<double> x{1, 3, 5}, same{4, 4, 4}, none;
  for (const double c : {3.5, 3.0000000000000004, 1e300}) {
    EXPECT_EQ(var(x, c), std::numeric_limits<double>::infinity());
    EXPECT_EQ(stddev(x, c), std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(var(same, c)));
    EXPECT_TRUE(std::isnan(var(none, c)));
  }
  EXPECT_EQ(var(x, 2.9999999999999996), 0x1p54);
  EXPECT_EQ(var(same, 2.5), 0);
  EXPECT_FALSE(std::signbit(cov(std::vector<double>{-1, 1}, std::vector<double>{1, 1}, 0.1)));
}

TEST(fractional_correction, is_refused_where_it_is_no_number_or_negative) {
  const std::vector<float> x{1, 2, 4};
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double c : {-0.5, -1.0, -1e300}) {
    test::expect_refusal<unsupported_error>("expected 0 or more", [&] { static_cast<void>(var(x, c)); });
  }
  for (const double c : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    test::expect_refusal<unsupported_error>("expected a finite number", [&] { static_cast<void>(var(x, c)); });
    test::expect_refusal<unsupported_error>("takes no correction",
                                            [&] { static_cast<void>(reduce(op_kind::sum, as_view(x), on_host(c))); });
  }
}

TEST(fractional_correction, is_refused_by_the_gpu_before_anything_runs) {
  const std::vector<float> x{1, 2, 4};
  reduce_options options = on_host(0.5);
  for (const engine_choice engine : {engine_choice::device, engine_choice::both}) {
    options.engine = engine;
    test::expect_refusal<unsupported_error>("a correction of 0.5, which is no integer, is taken by the host engine",
                                            [&] { static_cast<void>(reduce(op_kind::var, as_view(x), options)); });
  }
  const std::vector<std::int32_t> offsets{0, 1, 3}, keys{0, 1, 0};
  const segments of = segments::from_offsets(as_view(offsets));
  options.engine = engine_choice::device;
  test::expect_refusal<unsupported_error>("which is no integer",
                                          [&] { static_cast<void>(reduce(op_kind::var, as_view(x), of, options)); });
  test::expect_refusal<unsupported_error>("which is no integer", [&] {
    static_cast<void>(reduce_by_key(op_kind::var, as_view(x), as_view(keys), 2, options));
  });
  options.engine = engine_choice::host;
  EXPECT_EQ(reduce(op_kind::var, as_view(x), of, options).values<float>()[1], 2 / 1.5f);
  EXPECT_EQ(reduce_by_key(op_kind::var, as_view(x), as_view(keys), 2, options).values<float>()[0], 4.5f / 1.5f);
  options.engine = engine_choice::automatic;
  test::expect_refusal<unsupported_error>("the array is in device memory", [&] {
    static_cast<void>(reduce(op_kind::var, make_view(x.data(), {3}, place::device), options));
  });
  // Nor does an operation beside it, which would fail by itself: its value does not fit.
  const std::vector<std::uint32_t> large(3, 0xffffffff);
  options.engine = engine_choice::device;
  test::expect_refusal<unsupported_error>("which is no integer", [&] {
    static_cast<void>(reduce({op_kind::sumsq, op_kind::var}, as_view(large), options));
  });
  reduction what = make_reduction(op_kind::var, dtype::f32);
  what.correction = correction(0.5).held();
  const batches form = normalise(as_view(x), {0}, element_order::any);
  test::expect_refusal<unsupported_error>("a GPU takes a correction that is an integer",
                                          [&] { static_cast<void>(make_plan(what, form, {}, h200_traits())); });
}

}  // namespace
}  // namespace multifold
