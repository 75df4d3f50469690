// Ways of moments that ordinary data hardly ever take: each test makes the data that takes one.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "device/exact/expected.hpp"
#include "device/interpreted.hpp"

namespace multifold::device_tests {
namespace {

class rare_moments : public exact_on_device {};

// A tie that a single bit decides, more than a hundred places further down.
TEST_F(rare_moments, finish_of_moments_that_a_far_bit_decides) {
  std::vector<double> x, y;
  constexpr int first = 54, last = 200;
  for (int place = first; place < last; ++place) {
    for (const double v : {1.0, 0x1p-53, std::ldexp(1.0, -place)}) {
      x.push_back(v);
      y.push_back(1.0);
    }
  }
  for (const op_kind op : {op_kind::norm1, op_kind::dot, op_kind::describe}) {
    ASSERT_NO_FATAL_FAILURE(expect_interpreted(make_reduction(op, dtype::f64), {last - first, 3}, {1}, x, y));
  }
}

// Products that are all -0, of arrays that are not.
TEST_F(rare_moments, windows_of_products_that_are_negative_zeros) {
  const auto try_all = [&]<class T>(dtype type) {
    for (const std::int64_t length : {2, 8, 30, 1000, 40'000}) {
      std::vector<T> x(static_cast<std::size_t>(2 * length)), y(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = i % 2 == 0 ? T{-0.0} : T{1};
        y[i] = i % 2 == 0 ? T{1} : T{-0.0};
      }
      x.back() = y.back() = 0;
      ASSERT_NO_FATAL_FAILURE(expect_interpreted(make_reduction(op_kind::dot, type), {2, length}, {1}, x, y));
    }
  };
  try_all.operator()<float>(dtype::f32);
  try_all.operator()<double>(dtype::f64);
}

// Elements of any magnitude, whose products and sums lie beyond double on either side; some batches have specials,
// and some are of zeros alone.
TEST_F(rare_moments, moments_far_beyond_double) {
  constexpr std::int64_t batches = 70;
  constexpr double specials[] = {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL, -0.0, 0.0};
  for (const std::int64_t length : {2, 3, 9, 40, 300}) {
    for (const int reach : {20, 500, 1000}) {
      std::vector<double> x(static_cast<std::size_t>(batches * length)), y(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto any = [&] {
          const double significand = 1 + static_cast<double>(rng() >> 12) * 0x1p-52;
          const int exponent = static_cast<int>(rng() % static_cast<unsigned>(2 * reach)) - reach;
          return std::ldexp(rng() % 2 == 0 ? significand : -significand, exponent);
        };
        x[i] = any();
        y[i] = any();
        const std::size_t batch = i / static_cast<std::size_t>(length);
        if (batch % 9 == 3 && rng() % 3 == 0) x[i] = specials[rng() % std::size(specials)];
        if (batch % 11 == 5) x[i] = -0.0;
      }
      for (const op_kind op : {op_kind::norm1, op_kind::sumsq, op_kind::norm2, op_kind::dot, op_kind::var, op_kind::std,
                               op_kind::cov, op_kind::describe}) {
        for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit}) {
          const reduction what = make_reduction(op, dtype::f64, nan);
          ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, {batches, length}, {1}, x, y));
          ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, {length, batches}, {0}, x, y));
        }
      }
    }
  }
}

// Whole runs, open runs and columns whose two windows round, beside others of the same warp that cancel: of equal
// elements, of elements that others take back, and of a few zeros among them. What is left then has to be exact.
TEST_F(rare_moments, windows_that_round_and_results_that_cancel) {
  const auto try_all = [&]<class T>(dtype type, int reach) {
    const auto number = [&](double x) {
      if constexpr (std::is_same_v<T, bf16>) return to_bf16(static_cast<float>(x));
      else return static_cast<T>(x);
    };
    for (const std::int64_t length : {17, 60, 500, 9000}) {
      const std::int64_t batches = length > 1000 ? 7 : 70;
      std::vector<T> x(static_cast<std::size_t>(batches * length)), y(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t batch = i / static_cast<std::size_t>(length), at = i % static_cast<std::size_t>(length);
        const auto any = [&] {
          const double significand = 1 + static_cast<double>(rng() >> 12) * 0x1p-52;
          const double v = std::ldexp(significand, static_cast<int>(rng() % static_cast<unsigned>(2 * reach)) - reach);
          return number(rng() % 2 == 0 ? v : -v);
        };
        x[i] = batch % 7 == 2 && at > 0 ? x[i - 1] : any();
        y[i] = batch % 7 == 3 && at > 0 ? y[i - 1] : any();
        if (batch % 7 == 4) y[i] = at % 2 == 0 ? number(0.0) : any(), x[i] = at % 2 == 0 ? any() : number(0.0);
        if (batch % 7 == 5 && at >= static_cast<std::size_t>(length + 1) / 2) {
          const std::size_t other = i - at + static_cast<std::size_t>(length) - 1 - at;
          x[i] = number(-static_cast<double>(to_double(x[other])));
          y[i] = y[other];
        }
      }
      for (const op_kind op : {op_kind::norm1, op_kind::sumsq, op_kind::norm2, op_kind::dot, op_kind::var, op_kind::std,
                               op_kind::cov, op_kind::describe}) {
        const reduction what = make_reduction(op, type);
        ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, {batches, length}, {1}, x, y)) << length;
        ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, {length, batches}, {0}, x, y)) << length;
      }
    }
  };
  try_all.operator()<float>(dtype::f32, 60);
  try_all.operator()<bf16>(dtype::bf16, 60);
  try_all.operator()<double>(dtype::f64, 60);
  try_all.operator()<double>(dtype::f64, 900);
}

// Steps of long rows whose elements are too far apart for two windows, for three, or for none: all of the bits count,
// since the second half takes back the first.
TEST_F(rare_moments, rows_of_moments_in_wide_steps) {
  constexpr std::int64_t length = 33001;
  const auto try_all = [&]<class T>(dtype type) {
    for (const int span : {22, 30, 46, 47, 48, 62, 63, 64}) {
      std::vector<T> x(length), y(length);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto any = [&] {
          const int down = rng() % 4 == 0 ? span : static_cast<int>(rng() % static_cast<unsigned>(span + 1));
          const float v = std::ldexp(2.0f - 0x1p-7f + static_cast<float>(rng() % 0x10000) * 0x1p-23f, 30 - down);
          if constexpr (std::is_same_v<T, bf16>) return to_bf16(rng() % 2 == 0 ? v : -v);
          else return rng() % 2 == 0 ? v : -v;
        };
        x[i] = any();
        y[i] = any();
        if (i % 3 == 0 && rng() % 50 == 0) x[i] = T{};
      }
      std::vector<T> back = y;
      for (std::size_t i = 0; i + 2 < x.size() / 2; ++i) {
        const std::size_t other = x.size() - 1 - i;
        x[other] = x[i];
        if constexpr (std::is_same_v<T, bf16>) back[other] = to_bf16(-to_float(y[i]));
        else back[other] = -y[i];
      }
      for (const op_kind op :
           {op_kind::norm1, op_kind::sumsq, op_kind::std, op_kind::dot, op_kind::cov, op_kind::describe}) {
        ASSERT_NO_FATAL_FAILURE(expect_interpreted(make_reduction(op, type), {1, length}, {1}, x, back)) << span;
      }
    }
  };
  try_all.operator()<float>(dtype::f32);
  try_all.operator()<bf16>(dtype::bf16);
}

// Long rows of f64 far from 1, whose sums begin anew once or often, and whose elements leave the exponents of products.
// Zeros, and subnormal numbers that look like them. All bits count, since the second half takes back the first.
TEST_F(rare_moments, rows_of_moments_far_from_1) {
  constexpr std::int64_t length = 70'001;
  for (const int top : {0, 504, 505, -423, -424, -990, 1009}) {
    for (const int span : {0, 14, 15, 31, 32, 60}) {
      std::vector<double> x(length), y(length);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto any = [&](int greatest) {
          const int down = rng() % 4 == 0 ? span : static_cast<int>(rng() % static_cast<unsigned>(span + 1));
          const double v = std::ldexp(2.0 - static_cast<double>(rng() % 0x10000 + 1) * 0x1p-52, greatest - down);
          return rng() % 2 == 0 ? v : -v;
        };
        const bool grows = span == 14 && i > x.size() / 4;
        x[i] = any(grows && top < 1000 ? top + 9 : top);
        y[i] = any(top < -900 ? 100 : top > 1000 ? -1 : top);
        if (i % 3 == 0 && rng() % 50 == 0) x[i] = rng() % 2 == 0 ? 0.0 : -0.0;
        if (i % 3 == 1 && span == 31 && rng() % 5000 == 0) x[i] = 0x1p-1074 * static_cast<double>(rng() % 8);
      }
      std::vector<double> back = y;
      for (std::size_t i = 0; i + 2 < x.size() / 2; ++i) {
        const std::size_t other = x.size() - 1 - i;
        x[other] = x[i];
        back[other] = -y[i];
      }
      for (const op_kind op :
           {op_kind::norm1, op_kind::sumsq, op_kind::std, op_kind::dot, op_kind::cov, op_kind::describe}) {
        const reduction what = make_reduction(op, dtype::f64);
        ASSERT_NO_FATAL_FAILURE(expect_interpreted(what, {1, length}, {1}, x, back)) << top << ' ' << span;
      }
    }
  }
}

// Long rows whose elements keep to no range, everywhere or in one part of one row.
TEST_F(rare_moments, rows_of_moments_that_give_up) {
  const auto try_all = [&]<class T>(dtype type, std::int64_t rows, std::int64_t length) {
    for (const bool everywhere : {false, true}) {
      std::vector<T> x(static_cast<std::size_t>(rows * length));
      for (std::size_t i = 0; i < x.size(); ++i) {
        const bool wild = everywhere || i > x.size() / 16 * 15;
        const int reach = wild ? 100 : 3;
        const int exponent = static_cast<int>(rng() % static_cast<unsigned>(2 * reach)) - reach;
        const double v = std::ldexp(1 + static_cast<double>(rng() >> 12) * 0x1p-52, exponent);
        if constexpr (std::is_same_v<T, bf16>) x[i] = to_bf16(rng() % 2 == 0 ? v : -v);
        else x[i] = static_cast<T>(rng() % 2 == 0 ? v : -v);
      }
      for (const op_kind op : {op_kind::norm1, op_kind::sumsq, op_kind::std, op_kind::dot, op_kind::describe}) {
        for (const std::int64_t parts : {1, 3}) {
          ASSERT_NO_FATAL_FAILURE(
              expect_interpreted(make_reduction(op, type), {rows, length}, {1}, x, x, {.parts = parts}));
        }
      }
    }
  };
  try_all.operator()<float>(dtype::f32, 3, 1'500'001);
  try_all.operator()<bf16>(dtype::bf16, 2, 4'200'003);
  try_all.operator()<double>(dtype::f64, 2, 1'050'007);
}

}  // namespace
}  // namespace multifold::device_tests
