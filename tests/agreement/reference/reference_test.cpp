// Who judges the judge: roundings against MPFR, and reductions whose results are plain to see.
#include "agreement/reference/reference.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "agreement/generate/generate.hpp"
#include "agreement/reference/number.hpp"
#include "agreement/trial/shrink.hpp"
#include "core/exact/oracle.hpp"

namespace multifold::agreement {
namespace {

mpz_class random_integer(std::mt19937_64& random) {
  mpz_class z = 0;
  for (auto words = random() % 4; words > 0; --words) z = (z << 64) + mpz_class(static_cast<unsigned long>(random()));
  z >>= random() % 64;
  if (random() % 4 == 0) z <<= random() % 70;  // with zeros at the end, for ties
  return random() % 2 == 0 ? z : mpz_class(-z);
}

template <floating_storage T>
void expect_roundings_of_mpfr() {
  std::mt19937_64 random(1);
  const format f = format_of(dtype_of<T>);
  for (int i = 0; i < 20000; ++i) {
    exact_number value;
    value.numerator = random_integer(random);
    value.exponent = static_cast<long>(random() % static_cast<std::uint64_t>(2 * f.bias + 200)) - f.bias - 200;
    if (value.numerator == 0) continue;
    EXPECT_EQ(nearest(value, f), testing_oracle::nearest<T>(value.numerator, static_cast<int>(value.exponent)));
    value.denominator = abs(random_integer(random)) + 1;
    const mpq_class quotient(testing_oracle::scaled(value.numerator, static_cast<int>(value.exponent)) /
                             value.denominator);
    EXPECT_EQ(nearest(value, f), testing_oracle::nearest<T>(quotient));
    value.root = true;
    value.numerator = abs(value.numerator);
    EXPECT_TRUE(testing_oracle::is_nearest_root<T>(abs(quotient), nearest(value, f)));
  }
}

TEST(reference, rounds_as_mpfr_does) {
  expect_roundings_of_mpfr<f16>();
  expect_roundings_of_mpfr<bf16>();
  expect_roundings_of_mpfr<float>();
  expect_roundings_of_mpfr<double>();
}

template <class T>
T single(op_kind op, const std::vector<double>& x, const trial& how = {}) {
  trial t = how;
  t.op = op;
  t.type = dtype::f64;
  t.extents = {static_cast<std::int64_t>(x.size())};
  t.strides = {1};
  const auto* bytes = reinterpret_cast<const std::byte*>(x.data());
  const expectation e = expected(t, bytes, bytes);
  T value{};
  EXPECT_EQ(e.bytes.size(), sizeof value);
  std::memcpy(&value, e.bytes.data(), sizeof value);
  return value;
}

TEST(reference, knows_what_is_plain_to_see) {
  EXPECT_EQ(single<double>(op_kind::sum, {1e300, 1, -1e300, 0x1p-1074}), 1);
  EXPECT_EQ(single<double>(op_kind::mean, {1, 2, 4}), 7.0 / 3);
  EXPECT_EQ(single<double>(op_kind::var, {1e8 + 1, 1e8 + 2, 1e8 + 3}), 2.0 / 3);
  EXPECT_EQ(single<double>(op_kind::norm2, {0x3p660, 0x4p660}), 0x5p660);
  EXPECT_EQ(single<double>(op_kind::prod, {0.5, 3, -4}), -6);
  EXPECT_EQ(single<double>(op_kind::min, {3, -1, 2}), -1);
  EXPECT_EQ(single<std::int64_t>(op_kind::argmax, {3, 5, -1, 5}), 1);
  EXPECT_TRUE(single<bool>(op_kind::any, {0, NAN}));
  EXPECT_FALSE(single<bool>(op_kind::all, {1, -0.0}));
  EXPECT_EQ(single<std::int64_t>(op_kind::count_nonzero, {0x1p-1074, 0, -3, -0.0, NAN}), 3);
  EXPECT_TRUE(std::isnan(single<double>(op_kind::sum, {1, INFINITY, -INFINITY})));
  EXPECT_TRUE(std::signbit(single<double>(op_kind::sum, {-0.0, -0.0})));
  EXPECT_FALSE(std::signbit(single<double>(op_kind::sum, {-0.0, 0.0})));
  trial omit;
  omit.nan = nan_policy::omit;
  EXPECT_EQ(single<double>(op_kind::mean, {NAN, 2, 4}, omit), 3);
  EXPECT_EQ(single<std::int64_t>(op_kind::argmin, {NAN, 2, 4}, omit), 1);
  EXPECT_FALSE(single<bool>(op_kind::any, {0, NAN}, omit));
  EXPECT_TRUE(single<bool>(op_kind::all, {NAN}, omit));
  EXPECT_EQ(single<std::int64_t>(op_kind::count_nonzero, {1, NAN}, omit), 1);
  EXPECT_EQ(single<std::int64_t>(op_kind::argmin, {4, NAN, 2}), 1);
  trial sample;
  sample.correction = 1;
  EXPECT_EQ(single<double>(op_kind::var, {1, 2}, sample), 0.5);
  sample.correction = 2;
  EXPECT_TRUE(std::isinf(single<double>(op_kind::var, {1, 2}, sample)));
}

TEST(reference, numbers_results_in_c_order_of_the_axes_that_stay) {
  const std::vector<std::int32_t> x{0, 1, 2, 3, 4, 5};
  trial t;
  t.type = dtype::i32;
  t.extents = {2, 3};
  t.strides = {1, 2};  // the transpose of (3, 2)
  t.axes = {{-2}};
  const expectation e = expected(t, reinterpret_cast<const std::byte*>(x.data()), nullptr);
  std::array<std::int64_t, 3> sums{};
  ASSERT_EQ(e.bytes.size(), sizeof sums);
  std::memcpy(sums.data(), e.bytes.data(), sizeof sums);
  EXPECT_EQ(sums, (std::array<std::int64_t, 3>{1, 5, 9}));
}

TEST(trials, come_back_from_their_lines) {
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const std::string line = line_of(make_trial(3, i, {.most_bytes = 1 << 20, .device = true, .both = true}));
    EXPECT_EQ(line_of(parse_trial(line)), line);
  }
}

TEST(trials, shrink_to_what_still_fails) {
  trial t =
      parse_trial("op=norm1 dtype=f32 extents=7,40,9 strides=1,70,2900 axes=-1,0 nan=omit shift=3 data=wild+nan/3:5");
  const auto fails = [](const trial& s) { return elements_of(s) >= 20 && s.nan == nan_policy::omit; };
  t = shrunk(t, fails, 10);
  EXPECT_TRUE(fails(t));
  EXPECT_EQ(elements_of(t), 20);
  EXPECT_EQ(t.shift, 0);
  EXPECT_EQ(t.data.nan_in, 0);
}

}  // namespace
}  // namespace multifold::agreement
