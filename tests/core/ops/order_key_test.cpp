// Keys order every value of every small dtype as arithmetic does, and lead back to it.
#include "multifold/ops/order_key.hpp"
#include "random_bits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace multifold {
namespace {

template <class T>
T from_bits(std::uint64_t bits) {
  T x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// The value of an element in a type that holds all of them.
template <class T>
long double wide(T x) {
  if constexpr (std::is_same_v<T, bool8>) return x.bits != 0 ? 1 : 0;
  else if constexpr (floating_storage<T>) return to_double(x);
  else return x;
}

template <class T>
void expect_key_leads_back(T x) {
  const scalar back = value_of_key<T>(order_key(x, key_of<T>{0}), 7);
  EXPECT_EQ(back.count, 7);
  if constexpr (floating_storage<T>) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(back.real), std::bit_cast<std::uint64_t>(to_double(x)));
  } else {
    ASSERT_EQ(static_cast<long double>(back.integer), wide(x));
  }
}

// Whether a goes before b: by value, and -0 before +0.
template <class T>
bool before(T a, T b) {
  if (wide(a) != wide(b)) return wide(a) < wide(b);
  return std::signbit(wide(a)) && !std::signbit(wide(b));
}

template <class T>
void expect_ordered(std::vector<T> values) {
  std::stable_sort(values.begin(), values.end(), before<T>);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_NO_FATAL_FAILURE(expect_key_leads_back(values[i]));
    if (i == 0) continue;
    const auto low = order_key(values[i - 1], key_of<T>{0}), high = order_key(values[i], key_of<T>{0});
    ASSERT_EQ(low < high, before(values[i - 1], values[i])) << static_cast<double>(wide(values[i]));
    ASSERT_LE(low, high);
  }
}

template <class T>
class order_keys : public ::testing::Test {};
using all = ::testing::Types<bool8, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                             std::uint32_t, std::uint64_t, f16, bf16, float, double>;
TYPED_TEST_SUITE(order_keys, all);

TYPED_TEST(order_keys, ascend_with_the_values) {
  std::vector<TypeParam> values;
  const auto add = [&](std::uint64_t bits) {
    const auto x = from_bits<TypeParam>(bits);
    if (!std::isnan(wide(x))) values.push_back(x);
  };
  if constexpr (sizeof(TypeParam) <= 2) {
    for (std::uint64_t bits = 0; bits < 1u << 8 * sizeof(TypeParam); ++bits) add(bits);
  } else {
    test::random_bits random(1);
    const int width = 8 * sizeof(TypeParam);
    for (int i = 0; i < 20000; ++i) add(random() >> random() % 64);
    for (int k = 0; k < width; ++k) {
      for (const int d : {-1, 0, 1}) add((std::uint64_t{1} << k) + static_cast<std::uint64_t>(d));
    }
  }
  expect_ordered(values);
}

TYPED_TEST(order_keys, put_every_nan_where_they_are_told) {
  if constexpr (floating_storage<TypeParam>) {
    using key = key_of<TypeParam>;
    const double infinity = std::numeric_limits<double>::infinity();
    test::random_bits random(2);
    int nans = 0;
    for (std::uint64_t i = 0; i < 65536; ++i) {
      // Every high half, over low halves that are zero at first and any then.
      const auto bits = i << (8 * sizeof(key) - 16);
      const std::uint64_t low = sizeof(key) == 2 ? 0 : random() >> (80 - 8 * sizeof(key));
      for (const auto x : {from_bits<TypeParam>(bits), from_bits<TypeParam>(bits | low)}) {
        const key to_least = order_key(x, least_key<key>), to_greatest = order_key(x, greatest_key<key>);
        nans += std::isnan(wide(x));
        ASSERT_EQ(to_least == least_key<key>, std::isnan(wide(x)));
        ASSERT_EQ(to_greatest == greatest_key<key>, std::isnan(wide(x)));
        if (!std::isnan(wide(x))) {
          ASSERT_LE(std::abs(wide(x)), infinity);
        }
      }
    }
    EXPECT_GT(nans, 0);
  }
}

}  // namespace
}  // namespace multifold
