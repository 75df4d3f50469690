// min, max, argmin and argmax: NaN, signed zeros, ties, and initial values.
#include "multifold/ops/extremum.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "multifold/ops/merged.hpp"
#include "multifold/ops/visit.hpp"

namespace multifold {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan_value = std::bit_cast<double>(0xfff8000000000042ull);  // negative, with a payload

template <storage_type T>
T element(double x) {
  if constexpr (std::is_same_v<T, f16>) return to_f16(x);
  else if constexpr (std::is_same_v<T, bf16>) return to_bf16(x);
  else return static_cast<T>(x);
}

template <storage_type T>
scalar reduce(op_kind op, nan_policy nan, const std::vector<T>& elements) {
  const auto run = [&](auto fold) {
    auto total = fold.identity();
    std::int64_t index = 0;
    for (const T x : elements) {
      total = fold.combine(total, fold.lift(x, index));
      ++index;
    }
    return fold.lower(total, index);
  };
  if (order_of(op) == element_order::any)
    return visit_fold<op_family::extremum, T>(make_reduction(op, dtype_of<T>, nan), run);
  return visit_fold<op_family::arg_extremum, T>(make_reduction(op, dtype_of<T>, nan), run);
}

template <class T>
class floating_extrema : public ::testing::Test {
 protected:
  static scalar reduce_all(op_kind op, nan_policy nan, std::initializer_list<double> values) {
    std::vector<T> elements;
    for (const double x : values) elements.push_back(element<T>(x));
    return reduce<T>(op, nan, elements);
  }
  static std::uint64_t bits(op_kind op, nan_policy nan, std::initializer_list<double> values) {
    return std::bit_cast<std::uint64_t>(reduce_all(op, nan, values).real);
  }
  static std::int64_t index(op_kind op, nan_policy nan, std::initializer_list<double> values) {
    const scalar s = reduce_all(op, nan, values);
    return s.what == scalar::kind::empty ? -1 : static_cast<std::int64_t>(s.integer);
  }
};
using floating = ::testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(floating_extrema, floating);

std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }

constexpr auto propagate = nan_policy::propagate;
constexpr auto omit = nan_policy::omit;

TYPED_TEST(floating_extrema, minus_zero_is_less_than_plus_zero) {
  EXPECT_EQ(this->bits(op_kind::min, propagate, {0.0, -0.0}), bits_of(-0.0));
  EXPECT_EQ(this->bits(op_kind::min, propagate, {-0.0, 0.0}), bits_of(-0.0));
  EXPECT_EQ(this->bits(op_kind::max, propagate, {-0.0, 0.0}), bits_of(0.0));
  EXPECT_EQ(this->bits(op_kind::max, propagate, {0.0, -0.0}), bits_of(0.0));
  EXPECT_EQ(this->bits(op_kind::max, propagate, {-0.0}), bits_of(-0.0));
}

TYPED_TEST(floating_extrema, an_index_is_that_of_the_extreme_to_the_sign_of_a_zero) {
  EXPECT_EQ(this->index(op_kind::argmin, propagate, {0.0, -0.0}), 1);
  EXPECT_EQ(this->index(op_kind::argmin, propagate, {-0.0, 0.0, -0.0}), 0);
  EXPECT_EQ(this->index(op_kind::argmax, propagate, {-0.0, 0.0, 0.0}), 1);
  EXPECT_EQ(this->index(op_kind::argmax, propagate, {-1.0, -0.0, 0.0}), 2);
}

TYPED_TEST(floating_extrema, infinities_are_ordinary_values) {
  for (const nan_policy nan : {propagate, omit}) {
    EXPECT_EQ(this->bits(op_kind::min, nan, {infinity, infinity}), bits_of(infinity));
    EXPECT_EQ(this->bits(op_kind::max, nan, {-infinity, -infinity}), bits_of(-infinity));
    EXPECT_EQ(this->bits(op_kind::min, nan, {1.0, -infinity, 2.0}), bits_of(-infinity));
    EXPECT_EQ(this->index(op_kind::argmin, nan, {infinity, infinity}), 0);
    EXPECT_EQ(this->index(op_kind::argmax, nan, {-infinity, -infinity}), 0);
  }
}

TYPED_TEST(floating_extrema, nan_propagates_and_the_first_one_has_the_index) {
  for (const op_kind op : {op_kind::min, op_kind::max}) {
    EXPECT_TRUE(std::isnan(this->reduce_all(op, propagate, {1.0, nan_value, -infinity, infinity}).real));
    EXPECT_EQ(this->reduce_all(op, propagate, {1.0, nan_value}).count, 2);
  }
  for (const op_kind op : {op_kind::argmin, op_kind::argmax}) {
    EXPECT_EQ(this->index(op, propagate, {-infinity, infinity, nan_value, 1.0, -nan_value}), 2);
  }
}

TYPED_TEST(floating_extrema, omitted_nans_take_no_part) {
  EXPECT_EQ(this->bits(op_kind::min, omit, {nan_value, 3.0, 2.0, nan_value}), bits_of(2.0));
  EXPECT_EQ(this->bits(op_kind::max, omit, {-nan_value, 3.0, 2.0, nan_value}), bits_of(3.0));
  EXPECT_EQ(this->index(op_kind::argmin, omit, {nan_value, 3.0, 2.0, nan_value}), 2);
  EXPECT_EQ(this->index(op_kind::argmax, omit, {nan_value, -infinity, nan_value}), 1);
}

TYPED_TEST(floating_extrema, nothing_but_omitted_nans_is_nan_and_has_no_index) {
  for (const op_kind op : {op_kind::min, op_kind::max}) {
    const scalar s = this->reduce_all(op, omit, {nan_value, nan_value});
    EXPECT_TRUE(std::isnan(s.real));
    EXPECT_EQ(s.count, 0);
  }
  EXPECT_EQ(this->index(op_kind::argmin, omit, {nan_value, nan_value}), -1);
  EXPECT_EQ(this->index(op_kind::argmax, omit, {nan_value}), -1);
}

template <class T>
void expect_index_of_limits() {
  const T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  EXPECT_TRUE(reduce<T>(op_kind::argmin, propagate, {high, high}).integer == 0);
  EXPECT_TRUE(reduce<T>(op_kind::argmax, omit, {low, low}).integer == 0);
  EXPECT_TRUE(reduce<T>(op_kind::argmin, propagate, {1, low, low}).integer == 1);
  EXPECT_TRUE(reduce<T>(op_kind::argmax, propagate, {1, 2, high, high}).integer == 2);
  EXPECT_TRUE(reduce<T>(op_kind::min, propagate, {high}).integer == static_cast<int128_t>(high));
  EXPECT_TRUE(reduce<T>(op_kind::max, propagate, {low}).integer == static_cast<int128_t>(low));
  EXPECT_TRUE(reduce<T>(op_kind::min, propagate, {1, low, high}).integer == static_cast<int128_t>(low));
  EXPECT_TRUE(reduce<T>(op_kind::max, propagate, {1, low, high}).integer == static_cast<int128_t>(high));
}

TEST(extremum, integers_at_the_limits_are_values_like_others) {
  expect_index_of_limits<std::int8_t>();
  expect_index_of_limits<std::int16_t>();
  expect_index_of_limits<std::int32_t>();
  expect_index_of_limits<std::int64_t>();
  expect_index_of_limits<std::uint8_t>();
  expect_index_of_limits<std::uint16_t>();
  expect_index_of_limits<std::uint32_t>();
  expect_index_of_limits<std::uint64_t>();
}

TEST(extremum, true_bytes_are_all_alike) {
  const std::vector<bool8> bytes{{0}, {200}, {1}, {0}, {255}};
  EXPECT_TRUE(reduce(op_kind::max, propagate, bytes).integer == 1);
  EXPECT_TRUE(reduce(op_kind::min, propagate, bytes).integer == 0);
  EXPECT_TRUE(reduce(op_kind::argmax, propagate, bytes).integer == 1);
  EXPECT_TRUE(reduce(op_kind::argmin, propagate, bytes).integer == 0);
  EXPECT_TRUE(reduce<bool8>(op_kind::min, propagate, {{2}, {128}}).integer == 1);
}

TEST(extremum, ties_go_to_the_first_index_in_whatever_order_they_meet) {
  const auto run = [](auto op) {
    const auto a = op.lift(5, 10), b = op.lift(5, 3);
    EXPECT_EQ(op.combine(a, b).index, 3);
    EXPECT_EQ(op.combine(b, a).index, 3);
  };
  visit_fold<op_family::arg_extremum, std::int32_t>(make_reduction(op_kind::argmin, dtype::i32), run);
  visit_fold<op_family::arg_extremum, std::int32_t>(make_reduction(op_kind::argmax, dtype::i32), run);
}

template <class T>
class carried_extrema : public ::testing::Test {};
using integers = ::testing::Types<bool8, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                                  std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(carried_extrema, integers);

// Bits at the limits of both signs, and some between.
template <class T>
std::vector<T> elements_at_limits() {
  using bits = std::make_unsigned_t<key_of<T>>;
  const bits sign = static_cast<bits>(bits{1} << (8 * sizeof(T) - 1));
  std::vector<T> elements;
  for (const bits edge : {bits{0}, sign, static_cast<bits>(sign / 3)}) {
    for (const int step : {-2, -1, 0, 1, 2}) elements.push_back(std::bit_cast<T>(static_cast<bits>(edge + step)));
  }
  return elements;
}

bool same(std::int64_t a, std::int64_t b) { return a == b; }
template <class Key>
bool same(const indexed_key<Key>& a, const indexed_key<Key>& b) {
  return a.key == b.key && a.index == b.index;
}

bool same(const scalar& a, const scalar& b) {
  return a.what == b.what && a.count == b.count && (a.what == scalar::kind::empty || a.integer == b.integer);
}

// That a carrier of elements of T gives the accumulators and results of T, and so does what merges them.
template <op_family Family, class T>
void expect_the_same_of_carriers(const reduction& what) {
  using carrier = order_carrier<T>;
  const std::vector<T> elements = elements_at_limits<T>();
  visit_fold<Family, T>(what, [&](const auto& plain) {
    visit_fold<Family, carrier>(what, [&](const auto& carried) {
      const auto merged = merging(carried);
      EXPECT_TRUE(same(plain.identity(), carried.identity()));
      for (std::size_t i = 0; i < elements.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const auto a = plain.lift(elements[i], at), b = carried.lift(std::bit_cast<carrier>(elements[i]), at);
        EXPECT_TRUE(same(a, b)) << i;
        EXPECT_TRUE(same(plain.lower(a, 7), carried.lower(b, 7))) << i;
        EXPECT_TRUE(same(plain.lower(a, 7), merged.lower(b, 7))) << i;
        EXPECT_TRUE(same(merged.combine(merged.identity(), b), a)) << i;
        for (const T other : elements) {
          const auto c = plain.lift(other, 20);
          EXPECT_TRUE(same(merged.combine(b, c), plain.combine(a, c))) << i;
        }
      }
      const auto none = plain.identity();
      EXPECT_TRUE(same(merged.lower(none, 0), plain.lower(none, 0)));
    });
  });
}

TYPED_TEST(carried_extrema, are_those_of_the_elements_to_the_bit) {
  for (const nan_policy nan : {propagate, omit}) {
    for (const op_kind op : {op_kind::min, op_kind::max})
      expect_the_same_of_carriers<op_family::extremum, TypeParam>(make_reduction(op, dtype_of<TypeParam>, nan));
    for (const op_kind op : {op_kind::argmin, op_kind::argmax})
      expect_the_same_of_carriers<op_family::arg_extremum, TypeParam>(make_reduction(op, dtype_of<TypeParam>, nan));
  }
}

template <class T>
class merged_floats : public ::testing::Test {};
TYPED_TEST_SUITE(merged_floats, floating);

TYPED_TEST(merged_floats, are_lowered_as_their_elements) {
  for (const op_kind op : {op_kind::min, op_kind::max}) {
    for (const nan_policy nan : {propagate, omit}) {
      visit_fold<op_family::extremum, TypeParam>(make_reduction(op, dtype_of<TypeParam>, nan), [](const auto& plain) {
        const auto merged = merging(plain);
        EXPECT_EQ(merged.identity(), plain.identity());
        for (const double x : {-infinity, -1.5, -0.0, 0.0, 1.0, infinity, nan_value}) {
          const auto a = plain.lift(element<TypeParam>(x), 0);
          EXPECT_EQ(bits_of(merged.lower(a, 3).real), bits_of(plain.lower(a, 3).real));
          EXPECT_EQ(merged.lower(a, 3).count, plain.lower(a, 3).count);
        }
      });
    }
  }
}

scalar with_initial(op_kind op, const scalar& value, double initial) {
  return finish_scalar(op, value, {true, false, 0, initial});
}

TEST(extremum, an_initial_value_is_one_more_element) {
  EXPECT_EQ(with_initial(op_kind::min, scalar::of_real(2, 3), 1).real, 1);
  EXPECT_EQ(with_initial(op_kind::min, scalar::of_real(2, 3), 4).real, 2);
  EXPECT_EQ(with_initial(op_kind::max, scalar::of_real(2, 3), 4).real, 4);
  EXPECT_TRUE(std::signbit(with_initial(op_kind::min, scalar::of_real(0.0, 3), -0.0).real));
  EXPECT_FALSE(std::signbit(with_initial(op_kind::max, scalar::of_real(-0.0, 3), 0.0).real));
  EXPECT_TRUE(std::isnan(with_initial(op_kind::max, scalar::of_real(nan_value, 3), 4).real));
  EXPECT_TRUE(std::isnan(with_initial(op_kind::max, scalar::of_real(2, 3), nan_value).real));
  EXPECT_EQ(with_initial(op_kind::min, reduce<float>(op_kind::min, omit, {std::nanf("")}), 4).real, 4);
  const initial_value seven{true, true, 7, 7.0};
  EXPECT_TRUE(finish_scalar(op_kind::min, scalar::of_integer(9, 1), seven).integer == 7);
  EXPECT_TRUE(finish_scalar(op_kind::max, scalar::of_integer(9, 1), seven).integer == 9);
  EXPECT_TRUE(finish_scalar(op_kind::max, reduce<std::int32_t>(op_kind::max, propagate, {}), seven).integer == 7);
}

}  // namespace
}  // namespace multifold
