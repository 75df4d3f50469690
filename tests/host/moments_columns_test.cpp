// Moments of columns side by side at the limits of their windows: each column where it likes, and as wide as the
// windows of a block of rows allow, or a bit wider.
#include <random>

#include "host/moments_checks.hpp"

namespace {

using namespace multifold;
using namespace test;

template <class T>
class moments_columns : public ::testing::Test {};
using reals = ::testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(moments_columns, reals);

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
TYPED_TEST(moments_columns, as_wide_as_windows_allow) {
  std::mt19937_64 random(31);
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
TYPED_TEST(moments_columns, signs_of_zeros) {
  std::mt19937_64 random(32);
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

// One element of a block that is not finite, and of binary64 near the ends of the range, in one column.
TYPED_TEST(moments_columns, one_that_is_not_ordinary) {
  std::mt19937_64 random(33);
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
