// The caller's floating-point environment is neither used nor changed.
#include "host/float_environment.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <numeric>

#include "host/engine.hpp"
#include "host/exact/arrays.hpp"

#if defined(__x86_64__)
#include <pmmintrin.h>
#endif

namespace {

using namespace multifold;

// Sums in which rounding to nearest, and every subnormal, can be seen.
std::vector<double> data(std::int64_t count) {
  std::vector<double> x(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 2 == 0 ? 0.1 : 0x1p-1070;
  return x;
}

double reduced(op_kind op, const std::vector<double>& x, accuracy numerics, int threads) {
  const array_view view = make_view(x.data(), {static_cast<std::int64_t>(x.size())});
  const plan p = make_plan(make_reduction(op, dtype::f64, nan_policy::propagate, numerics),
                           normalise(view, {0}, order_of(op)), {}, host::traits(threads));
  double result = 0;
  host::run_options options;
  options.threads = threads;
  host::run(p, x.data(), &result, options);
  return result;
}

template <class Change>
void expect_unchanged(const Change& change) {
  for (std::int64_t count : {1, 7, 40, 1000, 300000}) {
    const std::vector<double> x = data(count), tiny(x.size(), 0x1p-1074);
    for (accuracy numerics : {accuracy::fast, accuracy::exact}) {
      for (op_kind op : {op_kind::sum, op_kind::mean}) {
        for (int threads : {1, 4}) {
          const double expected = reduced(op, x, numerics, threads);
          const double expected_tiny = reduced(op, tiny, numerics, threads);
          change();
          const double found = reduced(op, x, numerics, threads);
          const double found_tiny = reduced(op, tiny, numerics, threads);
          std::fesetenv(FE_DFL_ENV);
          EXPECT_EQ(std::bit_cast<std::uint64_t>(expected), std::bit_cast<std::uint64_t>(found)) << count;
          EXPECT_EQ(std::bit_cast<std::uint64_t>(expected_tiny), std::bit_cast<std::uint64_t>(found_tiny)) << count;
        }
      }
    }
  }
}

}  // namespace

TEST(float_environment, rounding_of_the_caller_does_not_matter) {
  for (int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    expect_unchanged([mode] { std::fesetround(mode); });
  }
}

TEST(float_environment, rounding_of_the_caller_stays) {
  const std::vector<double> x = data(300000);
  for (int threads : {1, 4}) {
    std::fesetround(FE_UPWARD);
    reduced(op_kind::sum, x, accuracy::exact, threads);
    const int after = std::fegetround();
    std::fesetenv(FE_DFL_ENV);
    EXPECT_EQ(after, FE_UPWARD);
  }
}

#if defined(__x86_64__)
TEST(float_environment, subnormals_of_the_caller_do_not_matter) {
  const auto change = [] {
    _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
    _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  };
  const unsigned before = _mm_getcsr();
  expect_unchanged(change);
  change();
  const unsigned changed = _mm_getcsr();
  reduced(op_kind::sum, data(300000), accuracy::exact, 4);
  EXPECT_EQ(_mm_getcsr(), changed);  // flags, too
  _mm_setcsr(before);
}
#endif
