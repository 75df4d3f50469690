// Sums and products of integers by the size of their elements, against those by their dtype.
#include "multifold/ops/carried.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "multifold/ops/merged.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

template <class T>
class carried : public ::testing::Test {};
using integers = ::testing::Types<bool8, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                                  std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(carried, integers);

// Bits at the limits of both signs, and any.
template <class T>
std::vector<T> elements() {
  using bits = std::make_unsigned_t<key_of<T>>;
  std::vector<T> all;
  for (const int step : {-2, -1, 0, 1, 2}) {
    all.push_back(std::bit_cast<T>(static_cast<bits>(step)));
    all.push_back(std::bit_cast<T>(static_cast<bits>((bits{1} << (8 * sizeof(T) - 1)) + static_cast<bits>(step))));
  }
  test::random_bits random(17);
  for (int i = 0; i < 100; ++i) all.push_back(std::bit_cast<T>(static_cast<bits>(random())));
  return all;
}

bool same(int128_t a, int128_t b) { return a == b; }
bool same(const wide_integer& a, const wide_integer& b) {
  return a.low == b.low && a.high == b.high && a.exponent == b.exponent && a.negative == b.negative &&
         a.inexact == b.inexact;
}
bool same(const scalar& a, const scalar& b) {
  return a.what == b.what && a.count == b.count && a.integer == b.integer && a.exponent == b.exponent;
}

// Whether both give the same accumulators and results, and so does what merges them.
template <class T, class Plain, class Carried>
void expect_the_same(const Plain& plain, const Carried& op) {
  using carrier = typename Carried::value_type;
  const auto merged = merging(op);
  auto a = plain.identity(), b = op.identity(), c = merged.identity();
  EXPECT_TRUE(same(a, b) && same(a, c));
  for (const T x : elements<T>()) {
    const auto y = std::bit_cast<carrier>(x);
    const auto lifted = op.lift(y, 0);
    EXPECT_TRUE(same(plain.lift(x, 0), lifted));
    EXPECT_TRUE(same(plain.lower(plain.lift(x, 0), 7), merged.lower(lifted, 7)));
    a = plain.combine(a, plain.lift(x, 0));
    b = op.combine(b, lifted);
    c = merged.combine(c, lifted);
    EXPECT_TRUE(same(a, b) && same(a, c));
    EXPECT_TRUE(same(plain.lower(a, 9), op.lower(b, 9)));
  }
  EXPECT_EQ(merged.kind == integer_kind::without_sign, std::is_unsigned_v<T>);
}

TYPED_TEST(carried, sums_are_those_of_the_elements) {
  const carried_sum<order_carrier<TypeParam>> op{{integer_kind_of(dtype_of<TypeParam>)}};
  expect_the_same<TypeParam>(integer_sum<TypeParam>{}, op);
}

TYPED_TEST(carried, products_are_those_of_the_elements) {
  const carried_product<order_carrier<TypeParam>> op{{integer_kind_of(dtype_of<TypeParam>)}};
  expect_the_same<TypeParam>(integer_product<TypeParam>{}, op);
}

TYPED_TEST(carried, lanes_hold_as_many_of_the_greatest_as_they_say) {
  using carrier = order_carrier<TypeParam>;
  const carried_sum<carrier> op{{integer_kind_of(dtype_of<TypeParam>)}};
  for (const TypeParam x : elements<TypeParam>()) {
    const auto one = op.value_of(std::bit_cast<carrier>(x));
    if constexpr (sizeof(TypeParam) < 8) {
      const int128_t all = static_cast<int128_t>(one) * op.lane_capacity;
      EXPECT_TRUE(all == static_cast<decltype(one)>(all));
    }
    EXPECT_TRUE(op.widen(op.absorb(op.lane_identity(), std::bit_cast<carrier>(x), 0)) ==
                integer_sum<TypeParam>{}.lift(x, 0));
  }
}

}  // namespace
}  // namespace multifold
