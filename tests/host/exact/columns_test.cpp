// Columns whose lanes are lost: their rows go to bins of exponents, in numbers around every limit of theirs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "host/exact/checks.hpp"
#include "host/exact/instance.hpp"
#include "random_bits.hpp"

namespace {

using namespace multifold;
using namespace test;

enum class what_else { nothing, zeros, specials };

// Elements of any bits; of every fifth column zeros alone, of each sign or both.
template <class T>
std::vector<T> wild_columns(std::int64_t rows, std::int64_t stride, what_else others, test::random_bits& random) {
  std::vector<T> x(static_cast<std::size_t>(rows * stride));
  fill_family(dtype_of<T>, family::any_finite, reinterpret_cast<std::byte*>(x.data()), rows * stride, random);
  const auto at = [&](std::int64_t row, std::int64_t column) -> T& {
    return x[static_cast<std::size_t>(row * stride + column)];
  };
  if (others == what_else::nothing) return x;
  for (std::int64_t column = 0; column < stride; column += 5) {
    for (std::int64_t row = 0; row < rows; ++row) at(row, column) = from_double<T>(column % 2 == 0 ? -0.0 : 0.0);
    if (column % 3 == 0) at(rows / 2, column) = from_double<T>(0.0);
  }
  if (others == what_else::zeros) return x;
  const double inf = std::numeric_limits<double>::infinity();
  for (const double special : {inf, -inf, std::numeric_limits<double>::quiet_NaN()}) {
    for (int i = 0; i < 3; ++i) {
      at(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows)),
         static_cast<std::int64_t>(random() % 8) % stride) = from_double<T>(special);
    }
  }
  for (std::int64_t row = 0; row < rows && stride > 3; ++row) at(row, 2) = from_double<T>(std::nan(""));
  return x;
}

// Column by column, element by element.
template <class T>
bytes by_columns(const plan& p, const std::vector<T>& x, std::int64_t rows, std::int64_t width, std::int64_t stride) {
  bytes out;
  for (std::int64_t column = 0; column < width; ++column) {
    std::vector<T> elements;
    for (std::int64_t row = 0; row < rows; ++row)
      elements.push_back(x[static_cast<std::size_t>(row * stride + column)]);
    const array_view one = make_view(elements.data(), {1, rows});
    const bytes result = by_elements(plan_for(p.what, one, {1}), one);
    out.insert(out.end(), result.begin(), result.end());
  }
  return out;
}

template <class T>
void expect_columns(std::int64_t rows, std::int64_t width, std::int64_t stride, what_else others) {
  test::random_bits random(static_cast<std::uint64_t>(rows * 31 + width));
  const std::vector<T> x = wild_columns<T>(rows, stride, others, random);
  array_view view = make_view(x.data(), {rows, width});
  view.strides = {stride, 1};
  for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit}) {
    for (const op_kind op : {op_kind::sum, op_kind::mean}) {  // a mean tells how many elements were counted
      reduction what = exact_reduction(op, dtype_of<T>, dtype::f64);
      what.nan = nan;
      const plan p = plan_for(what, view, {0});
      ASSERT_NO_FATAL_FAILURE(expect_everywhere(by_columns(p, x, rows, width, stride), p, view, family::any_finite))
          << static_cast<int>(others);
    }
  }
}

template <class T>
class exact_columns : public testing::Test {};
using types = testing::Types<bf16, float, double>;
TYPED_TEST_SUITE(exact_columns, types);

}  // namespace

TYPED_TEST(exact_columns, of_any_bits) {
  for (const what_else others : {what_else::nothing, what_else::zeros, what_else::specials}) {
    for (const std::int64_t rows : {63, 64, 257, 511, 512, 2045, 2046, 2047, 2049, 4093}) {
      for (const std::int64_t width : {1, 3, 16, 17, 31, 32, 33, 65}) {
        ASSERT_NO_FATAL_FAILURE(expect_columns<TypeParam>(rows, width, width, others));
        ASSERT_NO_FATAL_FAILURE(expect_columns<TypeParam>(rows, width, width + 9, others));
      }
    }
  }
}

TYPED_TEST(exact_columns, of_many_rows) {
  for (const std::int64_t rows : {16383, 16384, 16385, 33000}) {
    for (const std::int64_t width : {2, 40}) {
      ASSERT_NO_FATAL_FAILURE(expect_columns<TypeParam>(rows, width, width, what_else::zeros));
      ASSERT_NO_FATAL_FAILURE(expect_columns<TypeParam>(rows, width, width + 1, what_else::specials));
    }
  }
}

TYPED_TEST(exact_columns, of_many_columns) {
  ASSERT_NO_FATAL_FAILURE(expect_columns<TypeParam>(600, 2100, 2100, what_else::specials));
}

// The largest elements that bins take, all of one sign: as many as they have room for.
TEST(exact_columns, of_largest_elements) {
  for (const double element : {0x1.fffffep127, 0x1.fffffep-112, 0x1.fffffep15}) {
    std::vector<float> x(40000 * 2, static_cast<float>(element));
    for (std::size_t i = 1; i < x.size(); i += 2) x[i] = -x[i];
    x[0] = x[1] = 0x1p-149f;  // lanes are lost
    const array_view view = make_view(x.data(), {40000, 2});
    const plan p = plan_for(exact_reduction(op_kind::sum, dtype::f32, dtype::f64), view, {0});
    ASSERT_NO_FATAL_FAILURE(expect_everywhere(by_columns(p, x, 40000, 2, 2), p, view, family::largest));
  }
}

// As many elements as settled bins of f64 have room for, after some that leave and pass on the most and a bit that the
// first addition to round would lose, for all others cancel. Of the bins themselves: the engine cuts narrow arrays into
// ranges that are too short for it.
TEST(exact_columns, of_largest_elements_of_settled_bins) {
  using op_type = host::exact_gather<double, false>;
  using columns = host::bin_columns<double, false>;
  constexpr int width = 2, stride = 3;
  const auto element = [](int bin, int exponent, double significand) {
    return std::ldexp(significand, std::min(16 * bin + exponent, 2046) - 1023);
  };
  const auto bins = std::make_unique<columns::bins>();
  for (const int bin : {1, 2, 63, 64, 65, 126, 127}) {
    const double large = element(bin, 15, 0x1.fffffffffffffp0), below = element(bin - 1, 15, 0x1.fffffffffffffp0);
    for (std::int64_t rows = columns::bins::capacity - 2; rows <= columns::bins::capacity + 2; ++rows) {
      std::vector<double> x;
      const auto add = [&](std::int64_t count, double value) {
        for (std::int64_t i = 0; i < count; ++i) x.insert(x.end(), {value, -value, 0});
      };
      add(1, 0x1p-1074);
      for (const double sign : {1.0, -1.0}) {
        if (sign < 0) add(2 * rows, -large);
        add(1, sign * large);
        add(1, sign * element(bin, 0, 0x1.0000000000001p0));
        add(rows - 3, sign * below);
        if (sign > 0) add(2 * rows, large);
      }
      const auto all = static_cast<std::int64_t>(x.size()) / stride;
      host::sum_arena<exact_sum<double>> arena;
      const op_type op{&arena, &host::exact_kernels_of<double>[0]};
      std::vector<op_type::accumulator> sums(width, op.identity());
      columns{op, bins.get(), sums.data()}.add(reinterpret_cast<const host::packed<double>*>(x.data()), stride, width,
                                               all);
      for (int j = 0; j < width; ++j) {
        exact_sum<double> expected;
        for (std::int64_t r = 0; r < all; ++r) expected.add(x[static_cast<std::size_t>(r * stride + j)]);
        op.take_exactly(sums[static_cast<std::size_t>(j)], all, [&](const exact_sum<double>& sum) {
          EXPECT_EQ(sum.normalised_limbs(), expected.normalised_limbs()) << bin << " " << rows << " " << j;
        });
      }
    }
  }
}
