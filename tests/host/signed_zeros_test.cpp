// Zeros of both signs: sums of nothing but -0 are -0, and an index is that of the extreme to the sign of a zero.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "host/engine.hpp"
#include "host/exact/arrays.hpp"
#include "host/simd_guard.hpp"
#include "multifold/summary.hpp"
#include "random_bits.hpp"

namespace {

using namespace multifold;
using namespace test;
using host::simd_level;

template <class Result>
std::vector<Result> reduced(const reduction& what, const array_view& view, const std::vector<std::int64_t>& axes) {
  const plan p = make_plan(what, normalise(view, axes, order_of(what.op)), {}, host::traits(1));
  std::vector<Result> results(static_cast<std::size_t>(p.form.results()));
  host::run(p, view.data, results.data());
  return results;
}

}  // namespace

// With NaN left out, -0 alone is -0: in rows of every length and in columns, and whatever is vectorised how.
TEST(signed_zeros, omitted_nan_leaves_the_sign_of_zero) {
  const auto check = [&]<class T>(T) {
    for (const std::int64_t length : {1, 2, 3, 5, 7, 8, 9, 20, 63, 64, 200, 1100, 5000, 300000}) {
      for (const std::int64_t every : {2, 3, 7, 100}) {
        std::vector<T> x(static_cast<std::size_t>(2 * length), from_double<T>(-0.0));
        for (std::int64_t i = 1; i < 2 * length - 1; i += every) x[static_cast<std::size_t>(i)] = from_double<T>(NAN);
        x.front() = x.back() = from_double<T>(-0.0);
        for (const accuracy wanted : {accuracy::exact, accuracy::fast}) {
          for (const op_kind op : {op_kind::sum, op_kind::mean}) {
            for (const simd_level level : levels()) {
              const simd_guard guard(level);
              const reduction what = make_reduction(op, dtype_of<T>, nan_policy::omit, wanted);
              const array_view view = make_view(x.data(), {2 * length});
              const plan p = make_plan(what, normalise(view, {0}, order_of(op)), {}, host::traits(2));
              T result{};
              host::run(p, x.data(), &result);
              ASSERT_TRUE(to_double(result) == 0 && std::signbit(to_double(result)))
                  << name(op) << " of " << name(dtype_of<T>) << " x " << 2 * length << ", NaN every " << every << ", "
                  << name(wanted) << ", " << name(level);
            }
          }
        }
      }
    }
  };
  check(f16{});
  check(bf16{});
  check(0.0f);
  check(0.0);
}

// Of elements that are all zeros, in rows, columns and descriptions.
TEST(signed_zeros, an_index_is_that_of_the_extreme) {
  test::random_bits random(1);
  const auto check = [&]<class T>(T) {
    for (const std::int64_t length : {2, 5, 8, 40, 130, 1500}) {
      const std::int64_t others = 1 + static_cast<std::int64_t>(random() % 40);
      std::vector<T> x(static_cast<std::size_t>(length * others));
      for (T& e : x) e = from_double<T>(random() % 3 == 0 ? -0.0 : 0.0);
      const array_view view = make_view(x.data(), {length, others});
      for (const std::int64_t axis : {0, 1}) {
        for (const simd_level level : levels()) {
          const simd_guard guard(level);
          const auto of = [&](op_kind op) { return make_reduction(op, dtype_of<T>, nan_policy::omit); };
          const auto least = reduced<T>(of(op_kind::min), view, {axis}),
                     most = reduced<T>(of(op_kind::max), view, {axis});
          const auto least_at = reduced<std::int64_t>(of(op_kind::argmin), view, {axis});
          const auto most_at = reduced<std::int64_t>(of(op_kind::argmax), view, {axis});
          const auto summaries = reduced<summary>(of(op_kind::describe), view, {axis});
          for (std::size_t i = 0; i < least.size(); ++i) {
            const auto row = static_cast<std::int64_t>(i);
            const auto at = [&](std::int64_t k) {
              return to_double(x[static_cast<std::size_t>(axis == 1 ? row * others + k : k * others + row)]);
            };
            const auto first = [&](bool negative) {
              std::int64_t k = 0;
              while (std::signbit(at(k)) != negative) ++k;
              return k;
            };
            ASSERT_EQ(least_at[i], first(std::signbit(to_double(least[i])))) << name(level) << " axis " << axis;
            ASSERT_EQ(most_at[i], first(std::signbit(to_double(most[i])))) << name(level) << " axis " << axis;
            ASSERT_EQ(summaries[i].argmin, least_at[i]) << name(level) << " axis " << axis;
            ASSERT_EQ(summaries[i].argmax, most_at[i]) << name(level) << " axis " << axis;
          }
        }
      }
    }
  };
  check(f16{});
  check(bf16{});
  check(0.0f);
  check(0.0);
}
