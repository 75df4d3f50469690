// Norms, dot products, variances and descriptions as folds: against rational numbers, for every dtype.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "core/exact/data.hpp"
#include "core/fractional_correction.hpp"
#include "multifold/ops/visit.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

using testing_oracle::bits_of;
using testing_oracle::from_bits;
using testing_oracle::is_nearest_root;
using testing_oracle::nearest;

template <class T>
mpq_class rational(T x) {
  if constexpr (floating_storage<T>)
    return testing_oracle::scaled(testing_oracle::units_of(to_double(x), -1074), -1074);
  else if constexpr (std::is_same_v<T, bool8>) return x.bits != 0 ? 1 : 0;
  else if constexpr (std::is_signed_v<T>) return mpz_class(static_cast<long>(x));
  else return mpz_class(static_cast<unsigned long>(x));
}

/// A result or a failure, as the engines store it.
struct stored {
  status outcome;
  alignas(8) std::byte bytes[sizeof(summary)] = {};

  template <class R>
  R as() const {
    R x;
    std::memcpy(&x, bytes, sizeof x);
    return x;
  }
};

/// Half of the elements by `add`, the others by `lift` and `combine`.
template <class T>
stored result_of(const reduction& what, const std::vector<T>& x, const std::vector<T>& y) {
  stored result;
  visit_fold<op_family::moments, T>(what, [&](const auto& op) {
    auto sums = op.identity(), others = op.identity();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto index = static_cast<std::int64_t>(i);
      const auto element = [&] {
        if constexpr (reads_two_arrays(std::remove_cvref_t<decltype(op)>::set)) return element_pair<T>{x[i], y[i]};
        else return x[i];
      }();
      if (i % 2 == 0) op.add(sums, element, index);
      else others = op.combine(op.lift(element, index), others);
    }
    sums = op.combine(others, sums);
    const auto value = detail::finish_any(what.op, op.lower(sums, static_cast<std::int64_t>(x.size())), what.initial);
    result.outcome = store(value, what.result, result.bytes);
  });
  return result;
}

struct expected_sums {
  mpq_class x = 0, y = 0, magnitudes = 0, squares = 0, products = 0, n = 0;

  template <class T>
  expected_sums(const std::vector<T>& a, const std::vector<T>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const mpq_class p = rational(a[i]), q = rational(b[i]);
      x += p;
      y += q;
      magnitudes += abs(p);
      squares += p * p;
      products += p * q;
      n += 1;
    }
  }
  mpq_class numerator(bool two) const { return mpq_class(n * (two ? products : squares) - x * (two ? y : x)); }
};

template <class R>
void expect_rounded(const stored& found, const mpq_class& expected, bool root) {
  if constexpr (floating_storage<R>) {
    ASSERT_EQ(found.outcome, status::ok);
    if (root) ASSERT_TRUE(is_nearest_root<R>(expected, bits_of(found.as<R>())));
    else if (expected == 0) ASSERT_EQ(to_double(found.as<R>()), 0);
    else ASSERT_EQ(bits_of(found.as<R>()), nearest<R>(expected));
  } else {
    const bool fits =
        expected >= rational(std::numeric_limits<R>::min()) && expected <= rational(std::numeric_limits<R>::max());
    ASSERT_EQ(found.outcome, fits ? status::ok : status::overflow);
    if (fits) {
      ASSERT_EQ(rational(found.as<R>()), expected);
    }
  }
}

template <class T>
void check_value(op_kind op, dtype type, const correction& taken, const std::vector<T>& x, const std::vector<T>& y) {
  reduction what = make_reduction(op, dtype_of<T>);
  what.result = type;
  what.correction = taken.held();
  SCOPED_TRACE(std::string(name(op)) + " as " + std::string(name(type)) + " of " + std::to_string(x.size()) +
               ", correction " + std::to_string(taken.value()));
  const stored found = result_of(what, x, y);
  const expected_sums sums(x, y);
  visit_dtype(type, [&]<class R>() {
    if constexpr (std::is_integral_v<R> || floating_storage<R>) {
      switch (op) {
        case op_kind::norm1: return expect_rounded<R>(found, sums.magnitudes, false);
        case op_kind::sumsq: return expect_rounded<R>(found, sums.squares, false);
        case op_kind::norm2: return expect_rounded<R>(found, sums.squares, true);
        case op_kind::dot: return expect_rounded<R>(found, sums.products, false);
        default: break;
      }
      const mpq_class numerator = sums.numerator(op == op_kind::cov);
      const mpq_class freedom = sums.n - testing_oracle::rational(taken.value());
      if constexpr (floating_storage<R>) {
        if (freedom > 0) return expect_rounded<R>(found, mpq_class(numerator / (sums.n * freedom)), op == op_kind::std);
        const double value = to_double(found.as<R>());
        if (sgn(numerator) == 0) ASSERT_TRUE(std::isnan(value));
        else ASSERT_EQ(value, sgn(numerator) > 0 ? HUGE_VAL : -HUGE_VAL);
      }
    }
  });
}

template <class T>
void check_values(const std::vector<T>& x, const std::vector<T>& y) {
  const auto n = static_cast<std::int64_t>(x.size());
  for (op_kind op :
       {op_kind::norm1, op_kind::sumsq, op_kind::norm2, op_kind::dot, op_kind::var, op_kind::std, op_kind::cov}) {
    for (dtype type : {make_reduction(op, dtype_of<T>).result, dtype::f16, dtype::f32, dtype::f64}) {
      if (!takes_correction(op)) {
        ASSERT_NO_FATAL_FAILURE(check_value(op, type, 0, x, y));
        continue;
      }
      const auto left = static_cast<double>(n);
      for (const correction& taken :
           {correction(0), correction(1), correction(n), correction(n + 1), correction(-2), correction(0.5),
            correction(left - 0.25), correction(std::nextafter(left, 0)), correction(0.1), correction(0x1p-1074),
            correction(left + 0.5), correction(1e300)}) {
        ASSERT_NO_FATAL_FAILURE(check_value(op, type, taken, x, y));
      }
    }
  }
}

template <class T>
T random_element(test::random_bits& random, int kind) {
  if constexpr (std::is_same_v<T, bool8>) {
    return {static_cast<std::uint8_t>(random() % 2 == 0 ? 0 : random())};
  } else if constexpr (floating_storage<T>) {
    if (kind == 0) return testing_data::clamped<T>(std::normal_distribution<double>()(random));
    if (kind == 1) return testing_data::random_finite<T>(random);
    return testing_data::clamped<T>(static_cast<double>(random() % 5) - 2);
  } else {
    if (kind == 0) return static_cast<T>(random());
    if (kind == 1) return random() % 2 == 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
    return static_cast<T>(random() % 5);
  }
}

template <class T>
class moment_folds : public ::testing::Test {};
using elements = ::testing::Types<bool8, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                                  std::uint16_t, std::uint32_t, std::uint64_t, f16, bf16, float, double>;
TYPED_TEST_SUITE(moment_folds, elements);

TYPED_TEST(moment_folds, are_correctly_rounded_or_do_not_fit) {
  const unsigned fresh = std::random_device{}();
  for (const unsigned seed : {1u, fresh}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::random_bits random(seed);
    for (int round = 0; round < 60; ++round) {
      const std::size_t n = 1 + random() % (round % 10 == 0 ? 60 : 5);
      std::vector<TypeParam> x(n), y(n);
      for (TypeParam& e : x) e = random_element<TypeParam>(random, round % 3);
      for (TypeParam& e : y) e = random_element<TypeParam>(random, static_cast<int>(random() % 3));
      ASSERT_NO_FATAL_FAILURE(check_values(x, y));
      ASSERT_NO_FATAL_FAILURE(check_values(x, x));
    }
  }
}

TYPED_TEST(moment_folds, of_no_elements) {
  const std::vector<TypeParam> none;
  for (op_kind op : {op_kind::norm1, op_kind::sumsq, op_kind::norm2, op_kind::dot}) {
    reduction what = make_reduction(op, dtype_of<TypeParam>);
    what.result = dtype::f64;
    EXPECT_EQ(bits_of(result_of(what, none, none).template as<double>()), 0u) << name(op);
  }
  for (op_kind op : {op_kind::var, op_kind::std, op_kind::cov}) {
    reduction what = make_reduction(op, dtype_of<TypeParam>);
    what.result = dtype::f64;
    EXPECT_TRUE(std::isnan(result_of(what, none, none).template as<double>())) << name(op);
  }
}

TEST(moment_folds, squares_and_products_at_the_ends_of_the_integers) {
  constexpr std::int64_t least = INT64_MIN, greatest = INT64_MAX;
  const auto outcome = [](op_kind op, auto x, auto y) {
    return result_of(make_reduction(op, dtype_of<decltype(x)>), std::vector{x}, std::vector{y}).outcome;
  };
  EXPECT_EQ(outcome(op_kind::sumsq, least, least), status::overflow);
  EXPECT_EQ(outcome(op_kind::dot, least, std::int64_t{1}), status::ok);
  EXPECT_EQ(outcome(op_kind::dot, least, std::int64_t{-1}), status::overflow);
  EXPECT_EQ(outcome(op_kind::dot, greatest, std::int64_t{-1}), status::ok);
  EXPECT_EQ(outcome(op_kind::sumsq, UINT64_MAX, UINT64_MAX), status::overflow);
  EXPECT_EQ(outcome(op_kind::norm1, UINT64_MAX, UINT64_MAX), status::ok);
  EXPECT_EQ(outcome(op_kind::sumsq, std::uint32_t{UINT32_MAX}, std::uint32_t{UINT32_MAX}), status::ok);
  check_values(std::vector{least, least, greatest}, std::vector{greatest, least, least});
  check_values(std::vector{UINT64_MAX, UINT64_MAX}, std::vector{UINT64_MAX, std::uint64_t{1}});
}

// Integers have no -0, whatever the signs of the factors.
TEST(moment_folds, a_dot_product_of_integers_is_never_minus_zero) {
  reduction what = make_reduction(op_kind::dot, dtype::i32);
  what.result = dtype::f64;
  EXPECT_EQ(bits_of(result_of<std::int32_t>(what, {-5}, {0}).as<double>()), 0u);
  what.input = dtype::f32;
  EXPECT_EQ(result_of<float>(what, {-5}, {0}).as<std::uint64_t>(), std::uint64_t{1} << 63);
}

}  // namespace
}  // namespace multifold
