// Functions of contiguous ranges: the bits of reduce() and of exact sums, for few elements and many, whatever the
// caller's thread has set, from several threads at once.
#include "multifold/ranges.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdlib>
#include <thread>
#include <vector>

#include "host/exact/arrays.hpp"
#include "multifold/error.hpp"
#include "multifold/exact.hpp"
#include "multifold/reduce.hpp"
#include "random_bits.hpp"

#if defined(__x86_64__)
#include <pmmintrin.h>
#endif

namespace {

using namespace multifold;
using namespace test;

template <class T>
auto bits_of(T x) {
  return std::bit_cast<typename multifold::detail::float_layout<T>::bits_type>(x);
}

template <class T>
std::vector<T> elements(family f, std::int64_t count, test::random_bits& random) {
  std::vector<T> x;
  for (std::int64_t i = 0; i < count; ++i) x.push_back(element_of<T>(f, i, count, random));
  return x;
}

// By way of a plan.
template <class T>
T reduced(op_kind op, std::span<const T> x, std::span<const T> y = {}, std::int64_t correction = 0) {
  reduce_options options;
  options.engine = engine_choice::host;
  options.correction = correction;
  if (x.size() > 1) options.forced.parts = 2;
  const auto view = [](std::span<const T> s) { return make_view(s.data(), {static_cast<std::int64_t>(s.size())}); };
  if (!takes_two_arrays(op)) return reduce(op, view(x), options).template value<T>();
  return reduce(op, view(x), view(y), options).template value<T>();
}

TEST(functions_of_boolean_ranges, are_of_the_types_that_their_results_have) {
  const std::vector<bool8> x{{0}, {2}, {0}}, nothing{{0}, {0}};
  EXPECT_TRUE(any(x));
  EXPECT_FALSE(all(x));
  EXPECT_FALSE(any(nothing));
  EXPECT_TRUE(all(std::vector<bool8>{{1}, {3}}));
  EXPECT_EQ(count_nonzero(x), 1);
}

template <class T>
class functions_of_ranges : public testing::Test {};
using floating_types = testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(functions_of_ranges, floating_types);

TYPED_TEST(functions_of_ranges, are_those_of_exact_sums_for_each_of_the_first_sizes) {
  using T = TypeParam;
  test::random_bits random(1);
  for (int i = 0; i < families; ++i) {
    const auto f = static_cast<family>(i);
    const std::vector<T> x = elements<T>(f, 2000, random), y = elements<T>(f, 2000, random);
    exact_sum<T> sums;
    exact_dot<T> products, squares;
    for (std::size_t n = 0; n <= x.size(); ++n) {
      SCOPED_TRACE("family " + std::to_string(i) + ", " + std::to_string(n) + " elements");
      const std::span<const T> a(x.data(), n), b(y.data(), n);
      ASSERT_EQ(bits_of(sum(a)), bits_of(round_to<T>(sums)));
      ASSERT_EQ(bits_of(mean(a)), bits_of(round_to<T>(exact_mean(sums))));
      ASSERT_EQ(bits_of(norm2(a)), bits_of(round_to<T>(exact_root(squares))));
      ASSERT_EQ(bits_of(dot(a, b)), bits_of(round_to<T>(products)));
      if (n == x.size()) break;
      sums.add(x[n]);
      products.add_product(x[n], y[n]);
      squares.add_product(x[n], x[n]);
    }
  }
}

TYPED_TEST(functions_of_ranges, are_those_of_reduce) {
  using T = TypeParam;
  test::random_bits random(2);
  std::vector<std::int64_t> counts = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 100, 1000, 20'000, 40'000, 70'000, 140'000};
  for (int i = 0; i < 10; ++i) counts.push_back(static_cast<std::int64_t>(random() % 300'000) + 1);
  for (const std::int64_t count : counts) {
    for (const family f : {family::normal, family::any_finite, family::zeros, family::specials, family::opposites}) {
      SCOPED_TRACE("family " + std::to_string(static_cast<int>(f)) + ", " + std::to_string(count) + " elements");
      const std::vector<T> x = elements<T>(f, count, random), y = elements<T>(f, count, random);
      const std::span<const T> a(x), b(y);
      EXPECT_EQ(bits_of(sum(a)), bits_of(reduced(op_kind::sum, a)));
      EXPECT_EQ(bits_of(mean(a)), bits_of(reduced(op_kind::mean, a)));
      EXPECT_EQ(bits_of(norm2(a)), bits_of(reduced(op_kind::norm2, a)));
      EXPECT_EQ(bits_of(dot(a, b)), bits_of(reduced(op_kind::dot, a, b)));
      EXPECT_EQ(bits_of(multifold::min(a)), bits_of(reduced(op_kind::min, a)));
      EXPECT_EQ(bits_of(multifold::max(a)), bits_of(reduced(op_kind::max, a)));
      for (const std::int64_t correction : {0, 1, 2}) {
        EXPECT_EQ(bits_of(var(a, correction)), bits_of(reduced(op_kind::var, a, {}, correction)));
      }
    }
  }
}

TEST(ranges, of_integers_has_extremes) {
  const std::vector<std::int16_t> x = {3, -7, 12, 0};
  EXPECT_EQ(multifold::min(std::span<const std::int16_t>(x)), -7);
  EXPECT_EQ(multifold::max(std::span<const std::int16_t>(x)), 12);
}

TEST(ranges, without_elements_has_what_reduce_has) {
  const std::span<const double> none;
  EXPECT_EQ(bits_of(sum(none)), bits_of(0.0));
  EXPECT_TRUE(std::isnan(mean(none)));
  EXPECT_EQ(dot(none, none), 0);
  EXPECT_THROW(multifold::min(none), shape_error);
}

TEST(ranges, of_another_size_is_refused) {
  const std::vector<float> x(10), y(11);
  EXPECT_THROW(dot(std::span<const float>(x), std::span<const float>(y)), shape_error);
}

TEST(ranges, without_address_is_refused) {
  EXPECT_THROW(sum(std::span<const float>(static_cast<const float*>(nullptr), 3)), shape_error);
}

TEST(ranges, takes_no_correction_below_zero) {
  const std::vector<float> x(10);
  EXPECT_THROW(var(std::span<const float>(x), -1), unsupported_error);
}

// 0.1 and multiples of the least number: roundings, and what is flushed, can be seen.
TEST(ranges, does_not_mind_the_environment_of_the_caller_and_leaves_it) {
  std::vector<double> x(1000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 2 == 0 ? 0.1 : 0x1p-1070;
  const std::vector<double> tiny(1000, 0x1p-1074);
  for (const std::size_t count : {1, 2, 9, 100, 1000}) {
    const std::span<const double> a(x.data(), count), b(tiny.data(), count);
    const double expected = sum(a), of_tiny = sum(b);
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      std::fesetround(mode);
      std::feraiseexcept(FE_DIVBYZERO);
      std::feclearexcept(FE_INEXACT);
      const double found = sum(a);
      const int mode_after = std::fegetround();
      const int raised = std::fetestexcept(FE_DIVBYZERO | FE_INEXACT);
      std::fesetenv(FE_DFL_ENV);
      EXPECT_EQ(bits_of(found), bits_of(expected));
      EXPECT_EQ(mode_after, mode);
      EXPECT_EQ(raised, FE_DIVBYZERO);
    }
#if defined(__x86_64__)
    constexpr unsigned flush = _MM_FLUSH_ZERO_ON | _MM_DENORMALS_ZERO_ON;
    _mm_setcsr(_mm_getcsr() | flush);
    const double found = sum(b);
    const unsigned after = _mm_getcsr();
    _mm_setcsr(after & ~flush);
    EXPECT_EQ(bits_of(found), bits_of(of_tiny));
    EXPECT_EQ(after & flush, flush);
#endif
  }
}

// From the first call on, and with sums that pairs cannot hold.
TEST(ranges, is_summed_by_several_threads_at_once) {
  test::random_bits random(3);
  const std::vector<double> x = elements<double>(family::any_finite, 3000, random);
  std::vector<std::thread> threads;
  std::vector<int> wrong(8, 0);
  const auto part = [&](std::size_t n) { return std::span<const double>(x.data() + n, x.size() - 50 * n); };
  std::vector<double> expected;
  for (std::size_t n = 0; n < wrong.size(); ++n) expected.push_back(reduced(op_kind::sum, part(n)));
  for (std::size_t n = 0; n < wrong.size(); ++n) {
    threads.emplace_back([&, n] {
      for (int i = 0; i < 500; ++i) wrong[n] += bits_of(sum(part(n))) != bits_of(expected[n]) ? 1 : 0;
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, std::vector<int>(8, 0));
}

// In a process of its own, which has not asked yet.
TEST(ranges_death, of_an_unknown_engine_is_refused) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto call = [] {
    ::setenv("MULTIFOLD_ENGINE", "abacus", 1);
    const std::vector<float> x(10);
    try {
      sum(std::span<const float>(x));
    } catch (const engine_error&) {
      std::_Exit(7);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(call(), testing::ExitedWithCode(7), "");
}

}  // namespace
