// Norms, dot products, variances and descriptions of the engine where their kernels change course: specials at every
// lane, exponents at the limits of windows, elements at the ends of the range.
#include <cmath>
#include <random>

#include "host/moments/checks.hpp"
#include "random_bits.hpp"

namespace {

using namespace multifold;
using namespace test;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN(), infinity = HUGE_VAL;

template <class T>
array_pair pair_of_values(const std::vector<T>& x, const std::vector<T>& y) {
  array_pair a;
  const auto put = [](array& into, const std::vector<T>& values) {
    into.memory.resize(values.size() * sizeof(T));
    std::memcpy(into.memory.data(), values.data(), into.memory.size());
    into.view = make_view(into.memory.data(), dtype_of<T>, {static_cast<std::int64_t>(values.size())});
  };
  put(a.x, x);
  put(a.y, y);
  return a;
}

template <class T>
void check_everything(const std::vector<T>& x, const std::vector<T>& y) {
  const array_pair a = pair_of_values(x, y);
  for (op_kind op : moment_ops) {
    for (nan_policy nan : {nan_policy::propagate, nan_policy::omit}) {
      reduction what = make_reduction(op, dtype_of<T>, nan);
      what.correction = 1;
      for (dtype result : {dtype_of<T>, dtype::f64}) {
        if (!result_dtype_allowed(op, what.input, result)) continue;
        what.result = result;
        ASSERT_NO_FATAL_FAILURE(check_rows_of_moments(what, family::normal, a));
      }
    }
  }
}

template <class T>
class moments_limits : public ::testing::Test {};
using reals = ::testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(moments_limits, reals);

template <class T>
std::vector<T> normals(std::size_t count, test::random_bits& random) {
  std::normal_distribution<double> normal;
  std::vector<T> x(count);
  for (T& e : x) e = from_double<T>(normal(random));
  return x;
}

}  // namespace

TYPED_TEST(moments_limits, specials_at_every_lane) {
  test::random_bits random(1);
  for (std::size_t at = 0; at < 40; ++at) {
    const std::size_t count = 41 + random() % 30;
    for (const double special : {nan_value, -nan_value, infinity, -infinity, -0.0, 0.0}) {
      std::vector<TypeParam> x = normals<TypeParam>(count, random), y = normals<TypeParam>(count, random);
      (random() % 3 == 0 ? y : x)[at] = from_double<TypeParam>(special);
      if (random() % 3 == 0) x[random() % count] = from_double<TypeParam>(random() % 2 == 0 ? -infinity : nan_value);
      if (random() % 3 == 0) y[at] = from_double<TypeParam>(0.0);
      SCOPED_TRACE("special " + std::to_string(special) + " at " + std::to_string(at));
      ASSERT_NO_FATAL_FAILURE(check_everything(x, y));
    }
  }
}

TYPED_TEST(moments_limits, nothing_but_specials) {
  for (const double special : {nan_value, infinity, -infinity, -0.0, 0.0}) {
    for (const double other : {special, -1.0, 0.0, -0.0, 1.0}) {
      for (const std::size_t count : {std::size_t{3}, std::size_t{16}, std::size_t{1030}}) {
        const std::vector<TypeParam> x(count, from_double<TypeParam>(special));
        const std::vector<TypeParam> y(count, from_double<TypeParam>(other));
        SCOPED_TRACE(std::to_string(special) + " and " + std::to_string(other));
        ASSERT_NO_FATAL_FAILURE(check_everything(x, y));
        ASSERT_NO_FATAL_FAILURE(check_everything(y, x));
      }
    }
  }
}

// A full tile of one sign with all bits set, and a few elements `gap` exponents below: at some gap each kind of sum
// needs one window more.
TYPED_TEST(moments_limits, exponents_at_the_limits_of_windows) {
  test::random_bits random(2);
  using layout = multifold::detail::float_layout<TypeParam>;
  using bits = typename layout::bits_type;
  const int fields = static_cast<int>(layout::infinity >> layout::mantissa_bits);
  const bits fraction = static_cast<bits>((bits{1} << layout::mantissa_bits) - 1);
  const int most = fields < 140 ? fields : 140;
  for (int gap = 0; gap < most; gap += 1 + gap / 40) {
    const int highest = gap + static_cast<int>(random() % static_cast<unsigned>(fields - gap));
    const auto element = [&](int field, bits low) {
      return std::bit_cast<TypeParam>(static_cast<bits>((bits(field) << layout::mantissa_bits) | low));
    };
    std::vector<TypeParam> x(1024, element(highest, fraction)), y = x;
    for (int i = 0; i < 20; ++i) {
      x[random() % 1024] = element(highest - gap, random() % 2 == 0 ? fraction : bits{1});
      y[random() % 1024] = element(highest - gap, random() % 2 == 0 ? fraction : bits{1});
    }
    if (random() % 2 == 0) {
      for (TypeParam& e : y) e = std::bit_cast<TypeParam>(static_cast<bits>(std::bit_cast<bits>(e) ^ layout::sign));
    }
    SCOPED_TRACE("gap " + std::to_string(gap) + " below field " + std::to_string(highest));
    ASSERT_NO_FATAL_FAILURE(check_everything(x, y));
  }
}

// Products of doubles that overflow, that underflow, and that do both in one tile.
TEST(moments_host, products_of_f64_beyond_its_range) {
  test::random_bits random(3);
  for (const int scale_x : {-1074, -1040, -1000, -700, -485, -484, 0, 480, 495, 500, 980, 990, 995, 1010, 1020}) {
    for (const int scale_y : {-1074, -900, -300, 0, 300, 1000, 1020}) {
      for (const int span : {0, 3, 200, 500, 1500}) {
        std::vector<double> x = normals<double>(200, random), y = normals<double>(200, random);
        const auto down = [&] { return span == 0 ? 0 : -static_cast<int>(random() % static_cast<unsigned>(span)); };
        for (double& e : x) e = finite_from<double>(std::ldexp(e, scale_x + down()));
        for (double& e : y) e = finite_from<double>(std::ldexp(e, scale_y + down()));
        SCOPED_TRACE(std::to_string(scale_x) + " " + std::to_string(scale_y) + " " + std::to_string(span));
        const array_pair a = pair_of_values(x, y);
        for (op_kind op : {op_kind::norm1, op_kind::sumsq, op_kind::var, op_kind::dot, op_kind::cov}) {
          ASSERT_NO_FATAL_FAILURE(check_rows_of_moments(make_reduction(op, dtype::f64), family::normal, a));
        }
      }
    }
  }
}

TEST(moments_host, integers_at_their_limits) {
  test::random_bits random(4);
  for (dtype type : moment_dtypes) {
    visit_dtype(type, [&]<class T>() {
      if constexpr (std::is_integral_v<T>) {
        for (int kind = 0; kind < 4; ++kind) {
          std::vector<T> x(3000), y(3000);
          for (std::size_t i = 0; i < x.size(); ++i) {
            constexpr T least = std::numeric_limits<T>::min(), greatest = std::numeric_limits<T>::max();
            x[i] = kind == 0 ? least : kind == 1 ? greatest : kind == 2 ? static_cast<T>(random()) : T{0};
            y[i] = kind == 0 ? greatest : kind == 1 ? greatest : random() % 2 == 0 ? least : greatest;
          }
          ASSERT_NO_FATAL_FAILURE(check_everything(x, y));
          ASSERT_NO_FATAL_FAILURE(check_everything(y, x));
        }
      }
    });
    if (HasFatalFailure()) return;
  }
}

// Ties and improvements in every order, walked forwards and backwards.
TEST(moments_host, the_first_index_of_extremes_wins) {
  test::random_bits random(5);
  for (int round = 0; round < 300; ++round) {
    const auto length = static_cast<std::int64_t>(1 + random() % 3000);
    const int values = 1 + static_cast<int>(random() % 5);
    std::vector<float> x(static_cast<std::size_t>(length));
    for (float& e : x) {
      const int value = static_cast<int>(random() % static_cast<unsigned>(values));
      e = value == 0 ? (random() % 2 == 0 ? 0.0f : -0.0f) : static_cast<float>(value - 2);
      if (round % 3 == 0 && random() % 500 == 0) e = NAN;
    }
    array_view view = make_view(x.data(), {length});
    if (round % 2 == 0) {
      view.data = x.data() + length - 1;
      view.strides = {-1};
    }
    for (nan_policy nan : {nan_policy::propagate, nan_policy::omit}) {
      const plan p = plan_for(make_reduction(op_kind::describe, dtype::f32, nan), view, {0});
      array_pair a;
      a.x.view = view;
      ASSERT_NO_FATAL_FAILURE(expect_moments(interpreted_moments(p, {view.data}), p, a, family::zeros)) << round;
    }
  }
}

// Roots halfway between two neighbours of a narrower result, and next to that.
TEST(moments_host, norms_that_are_ties_or_nearly) {
  test::random_bits random(6);
  for (dtype result : {dtype::f16, dtype::bf16, dtype::f32}) {
    const int bits = result == dtype::f16 ? 12 : result == dtype::bf16 ? 9 : 25;
    std::vector<double> x(4000);
    for (double& e : x) {
      const std::uint64_t odd = (std::uint64_t{1} << (bits - 1)) | (random() >> (65 - bits)) | 1;
      e = std::ldexp(static_cast<double>(odd), static_cast<int>(random() % 8) - bits);
      if (random() % 2 == 0) e = std::nextafter(e, random() % 2 == 0 ? 0.0 : HUGE_VAL);
    }
    array_pair a = pair_of_values(x, x);
    a.x.view = make_view(a.x.memory.data(), dtype::f64, {4000, 1});
    a.y.view = make_view(a.y.memory.data(), dtype::f64, {4000, 1});
    for (op_kind op : {op_kind::norm2, op_kind::norm1}) {
      reduction what = make_reduction(op, dtype::f64);
      what.result = result;
      ASSERT_NO_FATAL_FAILURE(check_rows_of_moments(what, family::normal, a));
    }
  }
}

// Little variance around a large mean, more and more of it lost in the difference of sums.
TEST(moments_host, variances_after_cancellation) {
  test::random_bits random(7);
  for (int mean = 0; mean < 60; mean += 3) {
    std::vector<double> x = normals<double>(3000, random), y = normals<double>(3000, random);
    for (double& e : x) e += std::ldexp(1.0, mean);
    for (double& e : y) e -= std::ldexp(1.5, mean);
    array_pair a = pair_of_values(x, y);
    a.x.view = make_view(a.x.memory.data(), dtype::f64, {300, 10});
    a.y.view = make_view(a.y.memory.data(), dtype::f64, {300, 10});
    for (op_kind op : {op_kind::var, op_kind::std, op_kind::cov}) {
      for (dtype result : {dtype::f16, dtype::f32, dtype::f64}) {
        reduction what = make_reduction(op, dtype::f64);
        what.result = result;
        SCOPED_TRACE("mean 2^" + std::to_string(mean));
        ASSERT_NO_FATAL_FAILURE(check_rows_of_moments(what, family::normal, a));
      }
    }
  }
}

// Lanes of integers hold no more than a tile of them.
TEST(moments_limits_of_integers, rows_of_many_tiles_that_fill_every_lane) {
  const std::size_t count = (1 << 14) + 77;
  const auto check = []<class T>(T least, T greatest, std::size_t n) {
    for (const T value : {T{0}, least, greatest}) {
      SCOPED_TRACE(std::string(name(dtype_of<T>)) + " " + std::to_string(value));
      const std::vector<T> x(n, value), y(n, greatest);
      check_everything(x, y);
    }
  };
  check(std::uint8_t{0}, std::uint8_t{255}, count);
  check(std::int8_t{-128}, std::int8_t{127}, count);
  check(std::uint16_t{0}, std::uint16_t{65535}, count);
  check(std::int16_t{-32768}, std::int16_t{32767}, count);
  check(INT32_MIN, INT32_MAX, count);
}

// Columns of one value: each comes to what a row of that value does.
TEST(moments_limits_of_integers, columns_that_fill_every_lane) {
  constexpr std::int64_t rows = (1 << 15) + 77, width = 70;
  const auto check = []<class T>(T least, T greatest) {
    for (const T value : {least, greatest}) {
      const auto all = static_cast<std::size_t>(rows * width);
      const array_pair row = pair_of_values(std::vector<T>(rows, value), std::vector<T>(rows, greatest));
      array_pair columns = pair_of_values(std::vector<T>(all, value), std::vector<T>(all, greatest));
      for (array* each : {&columns.x, &columns.y}) each->view = make_view(each->view.data, dtype_of<T>, {rows, width});
      for (const op_kind op : {op_kind::norm1, op_kind::norm2, op_kind::var, op_kind::cov, op_kind::describe}) {
        const reduction what = make_reduction(op, dtype_of<T>);
        const moment_outcome one = moments_of_rows(plan_for(what, row.x.view, {0}), row.data());
        ASSERT_EQ(one.error, "");
        moment_outcome expected;
        for (int j = 0; j < width; ++j) {
          expected.results.insert(expected.results.end(), one.results.begin(), one.results.end());
        }
        expect_moments(expected, plan_for(what, columns.x.view, {0}), columns, family::normal);
      }
    }
  };
  check(std::uint8_t{0}, std::uint8_t{255});
  check(std::int8_t{-128}, std::int8_t{127});
  check(std::uint16_t{0}, std::uint16_t{65535});
  check(std::int16_t{-32768}, std::int16_t{32767});
  check(INT32_MIN, INT32_MAX);
  check(std::uint32_t{1}, UINT32_MAX);
  check(INT64_MIN / (1 << 16), INT64_MAX / (1 << 16));
}

// Variances of which quotients lie in the middle between two results or beside it, and numerators of more bits than a
// pair has.
TEST(moments_limits_of_integers, quotients_near_the_middle) {
  test::random_bits random(11);
  for (int i = 0; i < 20000; ++i) {
    const int bits = 1 + static_cast<int>(random() % 62);
    std::vector<std::int64_t> x(2 + random() % 4), y(x.size());
    for (std::int64_t& e : x) e = static_cast<std::int64_t>(random() >> (64 - bits)) - (random() % 2 == 0 ? 0 : 1);
    for (std::int64_t& e : y) e = static_cast<std::int64_t>(random() >> (64 - bits));
    const array_pair a = pair_of_values(x, y);
    for (const op_kind op : {op_kind::var, op_kind::std, op_kind::cov, op_kind::norm2, op_kind::describe}) {
      reduction what = make_reduction(op, dtype::i64);
      what.correction = static_cast<std::int64_t>(random() % 2);
      if (random() % 2 == 0) what.result = op == op_kind::describe ? what.result : dtype::f32;
      if (!result_dtype_allowed(op, what.input, what.result)) continue;
      ASSERT_NO_FATAL_FAILURE(check_rows_of_moments(what, family::normal, a));
    }
  }
}
