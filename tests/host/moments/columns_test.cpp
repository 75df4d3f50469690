// Moments of columns side by side at the limits of their windows: each column where it likes, and as wide as the
// windows of a block of rows allow, or a bit wider.
#include <cmath>
#include <random>

#include "host/moments/checks.hpp"
#include "random_bits.hpp"

namespace {

using namespace multifold;
using namespace test;

template <class T>
class moments_columns_of : public ::testing::Test {};
using reals = ::testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(moments_columns_of, reals);

constexpr std::int64_t width = 67;  // lanes, and a few that are filled up

template <class T>
array_pair columns_of(std::int64_t rows, const std::vector<T>& x, const std::vector<T>& y) {
  array_pair a;
  const auto put = [&](array& into, const std::vector<T>& values) {
    into.memory.resize(values.size() * sizeof(T));
    std::memcpy(into.memory.data(), values.data(), into.memory.size());
    into.view = make_view(into.memory.data(), dtype_of<T>, {rows, width});
  };
  put(a.x, x);
  put(a.y, y);
  return a;
}

template <class T>
void check_columns(std::int64_t rows, const std::vector<T>& x, const std::vector<T>& y) {
  const array_pair a = columns_of(rows, x, y);
  for (const op_kind op : moment_ops) {
    const plan p = plan_for(make_reduction(op, dtype_of<T>, nan_policy::omit), a.x.view, {0});
    ASSERT_NO_FATAL_FAILURE(expect_moments(interpreted_moments(p, a.data()), p, a, family::normal));
  }
}

template <class T>
T element_of(int field, int low, bool negative) {
  using layout = multifold::detail::float_layout<T>;
  using bits = typename layout::bits_type;
  const bits all = static_cast<bits>((bits{1} << layout::mantissa_bits) - 1);
  const bits fraction = low == 0 ? all : static_cast<bits>(low);
  const bits sign = negative ? static_cast<bits>(layout::sign) : bits{0};
  return std::bit_cast<T>(static_cast<bits>(sign | (static_cast<bits>(field) << layout::mantissa_bits) | fraction));
}

}  // namespace

// All bits set and one sign, so that windows fill up, and a few elements `gap` exponents below.
TYPED_TEST(moments_columns_of, as_wide_as_windows_allow) {
  test::random_bits random(31);
  using layout = multifold::detail::float_layout<TypeParam>;
  const int fields = static_cast<int>(layout::infinity >> layout::mantissa_bits);
  const int most = fields < 75 ? fields : 75;
  for (int gap = 0; gap < most; ++gap) {
    for (const std::int64_t rows :
         {std::int64_t{64}, std::int64_t{32}, static_cast<std::int64_t>(5 + random() % 300)}) {
      const auto count = static_cast<std::size_t>(rows * width);
      std::vector<TypeParam> x(count), y(count);
      for (std::size_t j = 0; j < width; ++j) {
        const int highest = gap + static_cast<int>(random() % static_cast<unsigned>(fields - gap));
        const bool below = random() % 4 != 0;
        const bool negative = random() % 2 == 0, down = random() % 2 == 0;
        for (std::size_t i = j; i < count; i += width) {
          const bool least = below && random() % static_cast<unsigned>(rows) < 3;
          x[i] = element_of<TypeParam>(least ? highest - gap : highest, least ? 1 : 0, negative);
          y[i] = element_of<TypeParam>(least && down ? highest - gap : highest, least ? 1 : 0, false);
        }
      }
      SCOPED_TRACE("gap " + std::to_string(gap) + ", rows " + std::to_string(rows));
      ASSERT_NO_FATAL_FAILURE(check_columns<TypeParam>(rows, x, y));
    }
  }
}

// Zeros of either sign, alone and among others, and products that are zeros of either sign.
TYPED_TEST(moments_columns_of, signs_of_zeros) {
  test::random_bits random(32);
  const double few[] = {-0.0, 0.0, 1.0, -1.0};
  for (const std::int64_t rows : {7, 8, 32, 64, 65, 300}) {
    const auto count = static_cast<std::size_t>(rows * width);
    std::vector<TypeParam> x(count), y(count);
    for (std::size_t j = 0; j < width; ++j) {
      const std::uint64_t kind = random() % 4, other = random() % 4;
      for (std::size_t i = j; i < count; i += width) {
        // Half of the columns have one product, -0.
        const bool swap = kind == 3 && random() % 2 == 0;
        x[i] = from_double<TypeParam>(kind == 0 ? few[random() % 4] : kind == 3 ? (swap ? -3.0 : -0.0) : few[kind - 1]);
        y[i] = from_double<TypeParam>(kind == 3 ? (swap ? 0.0 : 5.0) : few[other]);
      }
    }
    SCOPED_TRACE("rows " + std::to_string(rows));
    ASSERT_NO_FATAL_FAILURE(check_columns<TypeParam>(rows, x, y));
  }
}

// One element of a block that is not finite, and of doubles near the ends of the range, in one column.
TYPED_TEST(moments_columns_of, one_that_is_not_ordinary) {
  test::random_bits random(33);
  std::normal_distribution<double> normal;
  const double hard[] = {HUGE_VAL,  -HUGE_VAL, static_cast<double>(NAN),
                         0x1p990,   0x1.fp989, 0x1p495,
                         0x1.fp494, 0x1p-537,  0x1p-536,
                         0x1p-484,  0x1p-1074, 0x1p-149,
                         0x1p127,   0x1p-24};
  for (const double one : hard) {
    const std::int64_t rows = static_cast<std::int64_t>(30 + random() % 100);
    const auto count = static_cast<std::size_t>(rows * width);
    std::vector<TypeParam> x(count), y(count);
    for (TypeParam& e : x) e = from_double<TypeParam>(normal(random));
    for (TypeParam& e : y) e = from_double<TypeParam>(normal(random));
    x[random() % count] = y[random() % count] = from_double<TypeParam>(one);
    SCOPED_TRACE(std::to_string(one));
    ASSERT_NO_FATAL_FAILURE(check_columns<TypeParam>(rows, x, y));
  }
}

// The last of W windows at its limit, and at what would be too much for it: terms that leave 7/16 of the unit of the
// window before, a least term of one odd unit, and in later rows all but 4 units of that taken back. A bit that was
// rounded would be the result.
template <class T>
void fill_last_window(int windows, int beyond, int rows) {
  constexpr int digits = std::numeric_limits<T>::digits, step = 45;  // 51 - c
  const int span = windows * step + 2 + beyond, unit = 2 - span, middle = 2 - 48 - (windows - 2) * step;
  const auto at = [](std::int64_t significand, int exponent) {
    return static_cast<T>(std::ldexp(static_cast<double>(significand), exponent));
  };
  const auto split = [](int exponent) { return exponent / 2; };
  test::random_bits random(static_cast<std::uint64_t>(windows));
  const auto count = static_cast<std::size_t>(3 * rows * width);
  std::vector<T> x(count), y(count);
  const std::int64_t top = std::int64_t{1} << (digits - 1);
  for (std::int64_t j = 0; j < width; ++j) {
    const auto put = [&](std::int64_t row, T a, T b) {
      x[static_cast<std::size_t>(row * width + j)] = a;
      y[static_cast<std::size_t>(row * width + j)] = b;
    };
    const std::int64_t c = top + 1001 + 2 * j;
    put(0, at(c, split(unit)), at(c, unit - split(unit)));
    put(2 * rows, -at(c - 2, split(unit)), at(c + 2, unit - split(unit)));
    put(1, 1, 1);
    put(rows + 1, -1, 1);
    for (std::int64_t row = 2; row < rows; ++row) {
      const std::int64_t a = top | static_cast<std::int64_t>(random() % 100000) * 2 | 1;
      std::int64_t b = top | static_cast<std::int64_t>(random() % 100000) * 16 | 1;
      while (a % 16 * (b % 16) % 16 != 7) b += 2;
      put(row, at(a, split(middle)), at(b, middle - split(middle)));
      put(rows + row, -at(a, split(middle)), at(b, middle - split(middle)));
    }
  }
  array_pair a = columns_of(3 * rows, x, y);
  const plan p = plan_for(make_reduction(op_kind::dot, dtype_of<T>), a.x.view, {0});
  const moment_outcome expected = interpreted_moments(p, a.data());
  T first;
  std::memcpy(&first, expected.results.data(), sizeof first);
  EXPECT_EQ(first, at(4, unit));
  ASSERT_NO_FATAL_FAILURE(expect_moments(expected, p, a, family::normal));
}

TEST(moments_columns, last_windows_are_filled) {
  for (int beyond = -1; beyond < 4; ++beyond) {
    SCOPED_TRACE(beyond);
    fill_last_window<float>(2, beyond, 64);
    fill_last_window<float>(3, beyond, 64);
    fill_last_window<double>(4, beyond, 32);
  }
}

// Elements in one window: 60 that fill it, and four of one odd unit, which would be rounded away.
TEST(moments_columns, one_window_is_filled) {
  for (int span = 45; span < 50; ++span) {
    std::vector<float> x(64 * width, 0x1.fffffep0f);
    for (std::size_t i = 60 * width; i < x.size(); ++i) x[i] = std::ldexp(0x1.000002p0f, 24 - span);
    const array_pair a = columns_of(64, x, x);
    reduction what = make_reduction(op_kind::norm1, dtype::f32);
    what.result = dtype::f64;
    const plan p = plan_for(what, a.x.view, {0});
    SCOPED_TRACE(span);
    ASSERT_NO_FATAL_FAILURE(expect_moments(interpreted_moments(p, a.data()), p, a, family::normal));
  }
}
