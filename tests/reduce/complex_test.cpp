// Complex numbers through the API, against rational numbers: over any axes, of any strides, and what is refused.
#include "multifold/complex.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

#include "core/exact/oracle.hpp"
#include "multifold/multifold.hpp"
#include "random_bits.hpp"
#include "reduce/refusal.hpp"

namespace multifold {
namespace {

namespace oracle = testing_oracle;

template <class T>
struct Complex : testing::Test {};
using real_types = testing::Types<float, double>;
TYPED_TEST_SUITE(Complex, real_types);

template <class T>
std::vector<std::complex<T>> numbers(std::size_t count, unsigned seed) {
  test::random_bits random(seed);
  std::normal_distribution<double> normal;
  std::vector<std::complex<T>> z(count);
  for (auto& each : z) {
    const int up = static_cast<int>(random() % 60) - 30;
    each = {static_cast<T>(std::ldexp(normal(random), up)), static_cast<T>(std::ldexp(normal(random), up))};
  }
  return z;
}

struct exact_complex {
  mpq_class re = 0, im = 0;
};

template <class T>
mpq_class exact(T x) {
  return oracle::rational(static_cast<double>(x));
}

template <class T>
void expect_rounded(std::complex<T> found, const exact_complex& expected) {
  EXPECT_EQ(oracle::bits_of(found.real()), oracle::nearest<T>(expected.re));
  EXPECT_EQ(oracle::bits_of(found.imag()), oracle::nearest<T>(expected.im));
}

// Sums over the middle axis of (planes, rows, columns), and of conj(x) y.
constexpr std::int64_t planes = 3, rows = 17, columns = 5;

TYPED_TEST(Complex, SumsMeansAndDotsOverAnAxis) {
  using T = TypeParam;
  const auto x = numbers<T>(planes * rows * columns, 1), y = numbers<T>(planes * rows * columns, 2);
  const auto view = [](const auto& z) {
    return make_view(reinterpret_cast<const T*>(z.data()), {planes, rows, columns, 2});
  };
  for (const bool keepdims : {false, true}) {
    const reduce_options over{.axes = {-2}, .keepdims = keepdims};
    const auto sums = reduce_complex(op_kind::sum, view(x), over), means = reduce_complex(op_kind::mean, view(x), over);
    const auto dots = reduce_complex(op_kind::dot, view(x), view(y), over);
    const auto squares = reduce_complex(op_kind::sumsq, view(x), over);
    const auto norms = reduce_complex(op_kind::norm2, view(x), over);
    using shape = std::vector<std::int64_t>;
    EXPECT_EQ(sums.extents, keepdims ? (shape{planes, 1, columns, 2}) : (shape{planes, columns, 2}));
    EXPECT_EQ(dots.extents, sums.extents);
    EXPECT_EQ(norms.extents, keepdims ? (shape{planes, 1, columns}) : (shape{planes, columns}));
    for (std::int64_t i = 0; i < planes * columns; ++i) {
      exact_complex sum, dot;
      mpq_class square = 0;
      for (std::int64_t row = 0; row < rows; ++row) {
        const auto at = static_cast<std::size_t>((i / columns * rows + row) * columns + i % columns);
        const mpq_class a = exact(x[at].real()), b = exact(x[at].imag());
        const mpq_class c = exact(y[at].real()), d = exact(y[at].imag());
        sum.re += a, sum.im += b;
        dot.re += a * c + b * d;
        dot.im += a * d - b * c;
        square += a * a + b * b;
      }
      const auto at = static_cast<std::size_t>(i);
      const auto part = [&](const reduce_result& of) {
        const auto values = of.template values<T>();
        return std::complex<T>(values[2 * at], values[2 * at + 1]);
      };
      expect_rounded(part(sums), sum);
      expect_rounded(part(means), {sum.re / rows, sum.im / rows});
      expect_rounded(part(dots), dot);
      EXPECT_EQ(oracle::bits_of(squares.template values<T>()[at]), oracle::nearest<T>(square));
      EXPECT_TRUE(oracle::is_nearest_root<T>(square, oracle::bits_of(norms.template values<T>()[at])));
    }
  }
}

TYPED_TEST(Complex, OfRanges) {
  using T = TypeParam;
  using complex = std::complex<T>;
  const std::vector<complex> x{{1, 2}, {3, -1}, {T(1e30), 0}, {T(-1e30), 1}}, y{{0, 1}, {1, 1}, {1, 0}, {1, 0}};
  EXPECT_EQ(sum(x), complex(4, 2));
  EXPECT_EQ(mean(x), complex(1, T(0.5)));
  EXPECT_EQ(vecdot(x, y), complex(4, 4));  // (2 + i) + (2 + 4 i) + 1e30 + (-1e30 - i)
  EXPECT_EQ(prod(std::vector<complex>{{1, 1}, {1, -1}, {0, 3}}), complex(0, 6));
  EXPECT_EQ(norm2(std::vector<complex>{{3, 4}, {0, 12}}), 13);
  EXPECT_EQ(norm(std::vector<complex>{{3, 4}, {0, 12}}, 1), 17);
  EXPECT_EQ(norm(std::vector<complex>{{3, 4}, {0, 12}}, 0), 2);
  EXPECT_EQ(norm(std::vector<complex>{{3, 4}, {0, 12}}, -std::numeric_limits<double>::infinity()), 5);
  EXPECT_EQ(sum(std::vector<complex>()), complex(0, 0));
  EXPECT_EQ(prod(std::vector<complex>()), complex(1, 0));
  EXPECT_EQ(norm(std::vector<complex>(), 3), 0);
}

TYPED_TEST(Complex, OfStridesAndMarks) {
  using T = TypeParam;
  const auto x = numbers<T>(60, 3);
  const array_view every_third = make_view(reinterpret_cast<const T*>(x.data()) + 2, {20, 2}, {6, 1});
  std::vector<std::complex<T>> picked, marked;
  std::vector<bool8> marks(20);
  for (std::size_t i = 0; i < 20; ++i) {
    picked.push_back(x[3 * i + 1]);
    marks[i] = {static_cast<std::uint8_t>(i % 4 != 0)};
    if (i % 4 != 0) marked.push_back(picked.back());
  }
  const auto value = [](const reduce_result& r) {
    return std::complex<T>(r.template values<T>()[0], r.template values<T>()[1]);
  };
  EXPECT_EQ(value(reduce_complex(op_kind::sum, every_third)), sum(picked));
  EXPECT_EQ(value(reduce_complex(op_kind::prod, every_third)), prod(picked));
  EXPECT_EQ(value(reduce_complex(op_kind::dot, every_third, every_third)).imag(), 0);
  reduce_options some;
  some.where = make_view(marks.data(), {20});
  EXPECT_EQ(value(reduce_complex(op_kind::sum, every_third, some)), sum(marked));
  EXPECT_EQ(value(reduce_complex(op_kind::mean, every_third, some)), mean(marked));
  EXPECT_EQ(reduce_complex(op_kind::norm2, every_third, some).template value<T>(), norm2(marked));
}

TYPED_TEST(Complex, NumbersThatAreZero) {
  using T = TypeParam;
  const std::vector<std::complex<T>> x{{0, 0}, {0, 1}, {T(-0.0), 0}, {2, 0}, {1, 1}, {3, 3}};
  const array_view table = make_view(reinterpret_cast<const T*>(x.data()), {2, 3, 2});
  const auto count = reduce_complex(op_kind::count_nonzero, table, {.axes = {1}, .keepdims = true});
  EXPECT_EQ(count.extents, (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(count.template values<std::int64_t>()[0], 1);
  EXPECT_EQ(count.template values<std::int64_t>()[1], 3);
  const auto all = reduce_complex(op_kind::all, table, {.axes = {-1}});
  EXPECT_EQ(all.data, (std::vector<std::byte>{std::byte{0}, std::byte{1}}));
  EXPECT_EQ(reduce_complex(op_kind::any, table, {.axes = {0}}).data, std::vector<std::byte>(3, std::byte{1}));
  const std::vector<bool8> marks{{0}, {1}, {0}};
  EXPECT_EQ(reduce_complex(op_kind::all, table, {.where = make_view(marks.data(), {3})}).data[0], std::byte{1});
}

TYPED_TEST(Complex, DotsThatAreNotFinite) {
  using T = TypeParam;
  using complex = std::complex<T>;
  constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ(vecdot(std::vector<complex>{{1, 2}}, std::vector<complex>{{3, infinity}}), complex(infinity, infinity));
  EXPECT_EQ(vecdot(std::vector<complex>{{3, infinity}}, std::vector<complex>{{1, 2}}), complex(infinity, -infinity));
  EXPECT_TRUE(std::isnan(vecdot(std::vector<complex>{{infinity, 1}}, std::vector<complex>{{1, infinity}}).imag()) ||
              std::isinf(vecdot(std::vector<complex>{{infinity, 1}}, std::vector<complex>{{1, infinity}}).imag()));
  EXPECT_TRUE(std::isnan(vecdot(std::vector<complex>{{nan, 0}}, std::vector<complex>{{1, 0}}).real()));
}

TEST(complex, results_of_another_dtype) {
  const std::vector<std::complex<float>> z{{0.1f, 1}, {0.2f, -1}};
  const auto wide = reduce_complex(op_kind::sum, parts_of(z), {.result = dtype::f64});
  EXPECT_EQ(wide.values<double>()[0], static_cast<double>(0.1f) + static_cast<double>(0.2f));
  const auto product = reduce_complex(op_kind::prod, parts_of(z), {.result = dtype::f64});
  EXPECT_EQ(product.type, dtype::f64);
  EXPECT_EQ(product.values<double>()[0], static_cast<double>(0.1f) * static_cast<double>(0.2f) + 1);
  const auto dot = reduce_complex(op_kind::dot, parts_of(z), parts_of(z), {.result = dtype::f64});
  EXPECT_EQ(dot.values<double>()[1], 0);
}

TEST(complex, what_is_refused) {
  const std::vector<std::complex<float>> z{{1, 1}, {2, -1}};
  const array_view parts = parts_of(z);
  const auto refused = [&](const std::string& message, op_kind op, const reduce_options& options) {
    test::expect_refusal<unsupported_error>(message, [&] { static_cast<void>(reduce_complex(op, parts, options)); });
  };
  refused("max of complex numbers is not there", op_kind::max, {});
  refused("nan_policy::omit", op_kind::sum, {.nan = nan_policy::omit});
  refused("initial value", op_kind::sum, {.initial = {true, false, 0, 1.0}});
  refused("no state", op_kind::sum, {.keep_state = true});
  refused("no parts of f16", op_kind::sum, {.result = dtype::f16});
  refused("host engine", op_kind::prod, {.engine = engine_choice::device});
  std::vector<bool8> marks(2);
  refused("no where", op_kind::prod, {.where = make_view(marks.data(), {2})});
  test::expect_refusal<shape_error>("last axis of extent 2", [&] {
    static_cast<void>(reduce_complex(op_kind::sum, make_view(reinterpret_cast<const float*>(z.data()), {4})));
  });
  test::expect_refusal<shape_error>("axis 1 is out of range",
                                    [&] { static_cast<void>(reduce_complex(op_kind::sum, parts, {.axes = {1}})); });
  const std::vector<std::complex<float>> three(3);
  test::expect_refusal<shape_error>("shape", [&] { static_cast<void>(vecdot(z, three)); });
}

}  // namespace
}  // namespace multifold
