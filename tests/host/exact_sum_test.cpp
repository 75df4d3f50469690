// Exact sums of the engine: the bits of the plan's interpreter, for any data, axes, SIMD level and number of threads.
#include <gtest/gtest.h>

#include "host/engine.hpp"
#include "host/exact_arrays.hpp"
#include "host/simd_guard.hpp"
#include "multifold/error.hpp"
#include "multifold/ops/visit.hpp"

namespace {

using namespace multifold;
using host::simd_level;
using test::family;
using bytes = std::vector<unsigned char>;

constexpr dtype reals[] = {dtype::f16, dtype::bf16, dtype::f32, dtype::f64};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int share = 8;
#else
constexpr int share = 1;
#endif

std::string describe(const plan& p, const array_view& view, family f) {
  return std::string(name(p.what.op)) + " of " + std::string(name(p.what.input)) + " " + to_string(view.extents) +
         " strides " + to_string(view.strides) + " family " + std::to_string(static_cast<int>(f)) +
         (p.what.nan == nan_policy::omit ? " omit" : "") + "\n" + explain(p);
}

bytes run_engine(const plan& p, const void* data, int threads) {
  bytes out(static_cast<std::size_t>(p.form.results() * item_bytes(p.what.result)), 0xab);
  host::run_options options;
  options.threads = threads;
  host::run(p, data, out.data(), options);
  return out;
}

// Slow for long rows: an exact_sum is merged for every element.
bytes interpreted(const plan& p, const void* data) {
  bytes out(static_cast<std::size_t>(p.form.results() * item_bytes(p.what.result)));
  interpret(p, data, out.data());
  return out;
}

// The sums of dense rows, element by element.
bytes by_elements(const plan& p, const array_view& view) {
  const std::int64_t item = item_bytes(p.what.result), length = p.form.length;
  bytes out(static_cast<std::size_t>(p.form.results() * item));
  visit_dtype(view.type, [&]<class T>() {
    if constexpr (floating_storage<T>) {
      for (std::int64_t row = 0; row < p.form.results(); ++row) {
        exact_sum<T> sum;
        for (std::int64_t k = 0; k < length; ++k) {
          T x;
          std::memcpy(&x, static_cast<const T*>(view.data) + row * length + k, sizeof(T));
          if (p.what.nan == nan_policy::propagate || !detail::unpack(x).nan) sum.add(x);
        }
        alignas(8) unsigned char value[8];
        store(finish_scalar(p.what.op, sum, p.what.initial), p.what.result, value);
        std::memcpy(out.data() + row * item, value, static_cast<std::size_t>(item));
      }
    }
  });
  return out;
}

void expect_everywhere(const bytes& expected, const plan& p, const array_view& view, family f) {
  for (simd_level level : test::levels()) {
    const test::simd_guard guard(level);
    for (int threads : {1, 3}) {
      ASSERT_EQ(expected, run_engine(p, view.data, threads)) << describe(p, view, f) << name(level) << " x" << threads;
      if (view.elements() * item_bytes(view.type) < (256 << 10)) break;  // smaller arrays run on the calling thread
    }
  }
}

reduction random_reduction(std::mt19937_64& random) {
  reduction what =
      test::exact_reduction(random() % 2 == 0 ? op_kind::sum : op_kind::mean, reals[random() % 4], reals[random() % 4],
                            random() % 2 == 0 ? nan_policy::propagate : nan_policy::omit);
  if (what.op == op_kind::sum && random() % 4 == 0) {
    what.initial.given = true;
    what.initial.real_value = test::random_finite<double>(random);
  }
  return what;
}

plan plan_for(const reduction& what, const array_view& view, const std::vector<std::int64_t>& axes,
              const plan_options& forced = {}) {
  return make_plan(what, normalise(view, axes, order_of(what.op)), forced, host::traits(1));
}

family random_family(std::mt19937_64& random) { return static_cast<family>(random() % test::families); }

void check_rows(const reduction& what, family f, std::int64_t rows, std::int64_t length, std::mt19937_64& random) {
  const auto misalign = static_cast<std::int64_t>(random() % 8);
  const test::array a = test::dense_array_of(what.input, f, {rows, length}, random, misalign);
  const plan p = plan_for(what, a.view, {1});
  expect_everywhere(by_elements(p, a.view), p, a.view, f);
}

template <class T>
double exact_total_of(const std::vector<T>& x, int threads = 1) {
  const array_view view = make_view(x.data(), {static_cast<std::int64_t>(x.size())});
  const plan p = plan_for(test::exact_reduction(op_kind::sum, dtype_of<T>, dtype::f64), view, {0});
  double result = 0;
  const bytes out = run_engine(p, view.data, threads);
  std::memcpy(&result, out.data(), sizeof result);
  return result;
}

template <class T>
double expected_total_of(const std::vector<T>& x) {
  exact_sum<T> sum;
  for (const T e : x) sum.add(e);
  return round_to<double>(sum);
}

// The elements, and then all but element `kept` with the other sign: what their sum has lost is then all there is.
template <class T>
std::vector<T> cancelled(std::vector<T> x, std::size_t kept) {
  const std::size_t length = x.size();
  for (std::size_t i = 0; i < length; ++i) x.push_back(test::from_double<T>(i == kept ? 0 : -to_double(x[i])));
  return x;
}

template <class T>
void expect_total(const std::vector<T>& x) {
  const double expected = expected_total_of(x);
  for (simd_level level : test::levels()) {
    const test::simd_guard guard(level);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(expected), std::bit_cast<std::uint64_t>(exact_total_of(x)))
        << name(level) << " " << name(dtype_of<T>) << " x " << x.size();
  }
}

}  // namespace

TEST(exact_sum_host, random_arrays_as_interpreted) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 4000 / share && !HasFatalFailure(); ++i) {
    std::vector<std::int64_t> extents(random() % 5);
    for (std::int64_t& extent : extents) extent = static_cast<std::int64_t>(random() % (random() % 4 == 0 ? 30 : 6));
    const reduction what = random_reduction(random);
    const family f = random_family(random);
    const test::array a = test::random_array_of(what.input, f, extents, random);
    const plan p = plan_for(what, a.view, test::random_axes(a.view.rank(), random));
    expect_everywhere(interpreted(p, a.view.data), p, a.view, f);
  }
}

TEST(exact_sum_host, forced_plans) {
  std::mt19937_64 random(std::random_device{}());
  for (int i = 0; i < 600 / share && !HasFatalFailure(); ++i) {
    const reduction what = random_reduction(random);
    const family f = random_family(random);
    std::vector<std::int64_t> extents = {1 + static_cast<std::int64_t>(random() % 5),
                                         1 + static_cast<std::int64_t>(random() % 200),
                                         1 + static_cast<std::int64_t>(random() % 20)};
    std::shuffle(extents.begin(), extents.end(), random);
    const test::array a = test::random_array_of(what.input, f, extents, random);
    plan_options forced;
    if (random() % 2 == 0) forced.passes = 1 + static_cast<int>(random() % 4);
    if (random() % 2 == 0) forced.parts = 1 + static_cast<std::int64_t>(random() % 40);
    try {
      const plan p = plan_for(what, a.view, test::random_axes(3, random), forced);
      expect_everywhere(interpreted(p, a.view.data), p, a.view, f);
    } catch (const unsupported_error&) {
    }
  }
}

TEST(exact_sum_host, rows_of_every_family_at_the_edges_of_lanes_and_stretches) {
  std::mt19937_64 random(2);
  for (dtype type : reals) {
    for (int f = 0; f < test::families; ++f) {
      for (std::int64_t length : {1, 2, 7, 8, 9, 16, 17, 31, 32, 33, 47, 48, 49, 127, 128, 129, 199, 200, 1023, 1025}) {
        const reduction what = random_reduction(random);
        check_rows(test::exact_reduction(what.op, type, what.result, what.nan), static_cast<family>(f), 19, length,
                   random);
        if (HasFatalFailure()) return;
      }
      for (std::int64_t length : {4095, 4096, 4097, 8193, 90001}) {
        const reduction what = random_reduction(random);
        if (share == 1 || length < 8000) {
          check_rows(test::exact_reduction(what.op, type, what.result, what.nan), static_cast<family>(f), 2, length,
                     random);
        }
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(exact_sum_host, columns_of_every_family) {
  std::mt19937_64 random(3);
  for (dtype type : reals) {
    for (int f = 0; f < test::families; ++f) {
      for (auto [rows, width] : {std::pair<int, int>{2, 300}, {3, 65}, {40, 3}, {255, 17}, {257, 70}, {700, 5}}) {
        if (share > 1 && rows > 300) continue;
        reduction what = random_reduction(random);
        what.input = type;
        const test::array a = test::dense_array_of(type, static_cast<family>(f), {rows, width}, random, 1);
        const plan p = plan_for(what, a.view, {0});
        expect_everywhere(interpreted(p, a.view.data), p, a.view, static_cast<family>(f));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(exact_sum_host, specials_at_every_position) {
  for (const double special : {INFINITY, -INFINITY, NAN}) {
    for (std::size_t length : {9, 40, 150, 2100}) {
      for (std::size_t at = 0; at<length; at += length> 1000 ? 61 : 1) {
        std::vector<float> x(length, 1.0f);
        x[at] = static_cast<float>(special);
        ASSERT_NO_FATAL_FAILURE(expect_total(x));
        std::vector<f16> h(length, to_f16(1.0));
        h[at] = to_f16(special);
        ASSERT_NO_FATAL_FAILURE(expect_total(h));
        std::vector<double> d(length, 1.0);
        d[at] = special;
        d[length - 1 - at] += INFINITY;
        ASSERT_NO_FATAL_FAILURE(expect_total(d));
      }
    }
  }
}

// Where plain binary64 ends: exponents that differ by as much as it holds, one less and one more, in sums of one sign.
TEST(exact_sum_host, the_limits_of_lanes) {
  for (std::size_t length : {16, 100, 128, 1023, 1024, 1025, 2048, 4096}) {
    for (int apart = 10; apart < 36; ++apart) {
      std::vector<float> x(length, 0x1.fffffep0f);
      x[length / 3] = std::ldexp(0x1.000002p0f, -apart);
      ASSERT_NO_FATAL_FAILURE(expect_total(x));
      ASSERT_NO_FATAL_FAILURE(expect_total(cancelled(x, length / 3)));
    }
    for (int apart = 26; apart < 50; ++apart) {
      std::vector<bf16> x(length, to_bf16(0x1.fep0));
      x[length / 2] = to_bf16(std::ldexp(0x1.02p0, -apart));
      ASSERT_NO_FATAL_FAILURE(expect_total(x));
      ASSERT_NO_FATAL_FAILURE(expect_total(cancelled(x, length / 2)));
    }
  }
  for (std::size_t length : {4095, 4096, 4097, 8192, 3 * 4096 + 1}) {
    std::vector<f16> x(length, to_f16(65504));
    x[length - 1] = std::bit_cast<f16>(std::uint16_t{1});
    ASSERT_NO_FATAL_FAILURE(expect_total(x));
    // One digit of the slow form takes the upper parts of all of these.
    std::vector<double> d(length, 0x1.fffffffffffffp-1);
    d[0] = 0x1p900;
    d[1] = -0x1p-1074;
    ASSERT_NO_FATAL_FAILURE(expect_total(d));
    for (double& e : d) e = -std::ldexp(e, 8);
    ASSERT_NO_FATAL_FAILURE(expect_total(d));
  }
}

TEST(exact_sum_host, columns_at_the_limits_of_lanes) {
  for (std::int64_t rows : {255, 256, 257, 513}) {
    for (int apart = 16; apart < 26; ++apart) {
      constexpr std::int64_t width = 70;
      std::vector<float> x(static_cast<std::size_t>(rows * width), 0x1.fffffep0f);
      for (std::size_t j = 0; j < width; ++j) x[j] = std::ldexp(0x1.000002p0f, -apart);
      // The second tile takes away what is not lost.
      for (std::size_t i = 256 * width; i < x.size(); ++i) x[i] = -x[i];
      const array_view view = make_view(x.data(), {rows, width});
      const plan p = plan_for(test::exact_reduction(op_kind::sum, dtype::f32, dtype::f64), view, {0});
      exact_sum<float> column;
      for (std::int64_t r = 0; r < rows; ++r) column.add(x[static_cast<std::size_t>(r * width)]);
      bytes expected(8 * width);
      const double value = round_to<double>(column);
      for (std::size_t j = 0; j < width; ++j) std::memcpy(expected.data() + 8 * j, &value, 8);
      ASSERT_NO_FATAL_FAILURE(expect_everywhere(expected, p, view, family::normal));
    }
  }
}

TEST(exact_sum_host, permutations_and_threads_give_the_same_bits) {
  std::mt19937_64 random(std::random_device{}());
  for (int f = 0; f < test::families; ++f) {
    std::vector<double> x(200001 / share);
    test::fill_family(dtype::f64, static_cast<family>(f), reinterpret_cast<std::byte*>(x.data()),
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

// Quotients next to where rounding changes, so near that only the exact way tells.
TEST(exact_sum_host, means_next_to_ties) {
  for (const auto& [result, half] : {std::pair{dtype::f64, 0x1p-53}, {dtype::f32, 0x1p-24}, {dtype::f16, 0x1p-11}}) {
    for (int tail = 54; tail < 130; ++tail) {
      for (const double sign : {1.0, 0.0, -1.0}) {
        for (std::int64_t zeros : {1, 5, 94}) {
          const auto n = static_cast<double>(5 + zeros);
          std::vector<double> x{n / 2, n / 4, n / 4, n * half, sign * std::ldexp(1.0, -tail)};
          x.resize(static_cast<std::size_t>(n));
          const array_view view = make_view(x.data(), {static_cast<std::int64_t>(x.size())});
          const plan p = plan_for(test::exact_reduction(op_kind::mean, dtype::f64, result), view, {0});
          ASSERT_EQ(by_elements(p, view), run_engine(p, view.data, 1))
              << name(result) << " tail " << tail << " n " << n;
        }
      }
    }
  }
}

// More columns than a pair can hold, of which partial results meet: none may be lost or kept.
TEST(exact_sum_host, many_columns_that_no_pair_holds) {
  std::mt19937_64 random(7);
  for (dtype type : {dtype::f32, dtype::f64}) {
    const test::array a = test::dense_array_of(type, family::any_finite, {900 / share, 300}, random);
    const plan p = plan_for(test::exact_reduction(op_kind::mean, type, dtype::f64), a.view, {0});
    expect_everywhere(interpreted(p, a.view.data), p, a.view, family::any_finite);
  }
}
