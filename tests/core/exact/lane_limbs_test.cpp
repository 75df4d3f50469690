// Limbs side by side beside the exact accumulator: elements and products of any bits, in every lane of a warp, carried
// or not; and values that are rounded at another scale.
#include "multifold/exact/lane_limbs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "multifold/exact/accumulator.hpp"
#include "multifold/exact/finish.hpp"
#include "multifold/exact/near/near.hpp"
#include "multifold/ops/exact_sum.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

using engine = test::random_bits;
constexpr int lanes = 32;

template <class T>
T any_finite(engine& random, int spread) {
  using bits_type = typename detail::float_layout<T>::bits_type;
  if (spread > 0) {
    const double significand = 1.0 + static_cast<double>(random() >> 12) * 0x1p-52;
    const double x = std::ldexp(significand, static_cast<int>(random() % static_cast<unsigned>(spread)) - spread / 2);
    return static_cast<T>(random() % 2 == 0 ? x : -x);
  }
  while (true) {
    const T x = bit_copy<T>(static_cast<bits_type>(random()));
    if (std::isfinite(x)) return x;
  }
}

template <class Format, class AddTo, class AddExactly>
void compare(engine& random, const AddTo& add_to, const AddExactly& add_exactly) {
  constexpr int count = Format::limb_count;
  std::vector<std::int64_t> memory(static_cast<std::size_t>((count + 3) * lanes), 0);
  const int spread = random() % 3 == 0 ? 0 : 1 << random() % 6, terms = 1 << random() % 8;
  for (int lane = 0; lane < lanes; ++lane) {
    detail::lane_limbs<count, lanes> sum{memory.data() + lane};
    exact_accumulator<Format> expected;
    for (int i = 0; i < terms; ++i) {
      const auto a = any_finite<typename Format::element>(random, spread);
      const auto b = any_finite<typename Format::element>(random, spread);
      add_to(sum, a, b);
      add_exactly(expected, a, b);
      if (random() % 4 == 0) {  // what cancels leaves its range behind
        add_to(sum, -a, b);
        add_exactly(expected, -a, b);
      }
    }
    const int above = std::min(sum.high + 2, count);
    const detail::natural_of_limbs<lanes> all(sum.first, above, sum.low);
    const exact_value found = detail::leading(all, Format::unit_exponent);
    const exact_value wanted = detail::leading(detail::signed_of(expected.normalised_limbs()), Format::unit_exponent);
    ASSERT_EQ(found.zero(), wanted.zero());
    if (found.zero()) continue;
    ASSERT_EQ(found.negative, wanted.negative);
    ASSERT_EQ(found.exponent, wanted.exponent);
    ASSERT_EQ(found.sticky, wanted.sticky);
    ASSERT_TRUE(found.significand == wanted.significand);
  }
  for (int i = count * lanes; i < (count + 3) * lanes; ++i) ASSERT_EQ(memory[static_cast<std::size_t>(i)], 0);
}

template <class T>
class lane_limbs_of : public ::testing::Test {};
using elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(lane_limbs_of, elements);

TYPED_TEST(lane_limbs_of, sums_of_any_finite_elements) {
  using format = exact_traits<TypeParam>;
  engine random(1201);
  for (int i = 0; i < 300 && !this->HasFatalFailure(); ++i) {
    compare<format>(
        random,
        [](auto& sum, TypeParam a, TypeParam) {
          const detail::unpacked x = detail::unpack(a);
          sum.add(x.significand, x.position, x.negative);
        },
        [](auto& sum, TypeParam a, TypeParam) { sum.add(a); });
  }
}

TEST(lane_limbs, of_significands_in_32_bits) {
  using format = exact_traits<float>;
  engine random(1204);
  for (int i = 0; i < 300 && !::testing::Test::HasFatalFailure(); ++i) {
    compare<format>(
        random,
        [](auto& sum, float a, float) {
          const detail::unpacked x = detail::unpack(a);
          sum.add(static_cast<std::uint32_t>(x.significand), x.position, x.negative);
        },
        [](auto& sum, float a, float) { sum.add(a); });
  }
}

// Whose sums mean nothing, but are cleared: their words lie in the limbs, and those are touched.
template <class Format, class Significand>
void add_the_greatest(int field, Significand significand) {
  constexpr int count = Format::limb_count;
  std::vector<std::int64_t> memory(static_cast<std::size_t>(count), 0);
  detail::lane_limbs<count, 1> sum{memory.data()};
  sum.add(significand, field, true);
  EXPECT_LT(sum.high, count);
  for (int i = sum.low; i <= sum.high; ++i) memory[static_cast<std::size_t>(i)] = 0;
  EXPECT_EQ(std::count(memory.begin(), memory.end(), 0), count);
}

TEST(lane_limbs, have_room_for_elements_that_are_not_finite) {
  add_the_greatest<exact_traits<float>>(254, (std::uint32_t{1} << 24) - 1);
  add_the_greatest<exact_traits<double>>(2046, (std::uint64_t{1} << 53) - 1);
  add_the_greatest<exact_product_traits<float>>(2 * 254, (std::uint64_t{1} << 48) - 1);
  add_the_greatest<exact_product_traits<float>>(2 * 253, (uint128_t{1} << 48) - 1);  // finite, one by one
  add_the_greatest<exact_product_traits<double>>(2 * 2046, (uint128_t{1} << 106) - 1);
}

TEST(lane_limbs, that_zeros_were_added_to_are_not_touched) {
  std::vector<std::int64_t> memory(8, 0);
  detail::lane_limbs<8, 1> sum{memory.data()};
  sum.add(std::uint32_t{0}, 40, true);
  sum.add(std::uint64_t{0}, 40, true);
  sum.add(uint128_t{0}, 40, false);
  EXPECT_GT(sum.low, sum.high);
  EXPECT_EQ(std::count(memory.begin(), memory.end(), 0), 8);
}

TYPED_TEST(lane_limbs_of, products_of_any_finite_elements) {
  using format = exact_product_traits<TypeParam>;
  using product = std::conditional_t<sizeof(TypeParam) == 8, uint128_t, std::uint64_t>;
  engine random(1202);
  for (int i = 0; i < 300 && !this->HasFatalFailure(); ++i) {
    compare<format>(
        random,
        [](auto& sum, TypeParam a, TypeParam b) {
          const detail::unpacked x = detail::unpack(a), y = detail::unpack(b);
          sum.add(static_cast<product>(x.significand) * y.significand, x.position + y.position,
                  x.negative != y.negative);
        },
        [](auto& sum, TypeParam a, TypeParam b) { sum.add_product(a, b); });
  }
}

TEST(lane_limbs, that_nothing_touched_are_zero) {
  std::vector<std::int64_t> memory(2, -1);
  const detail::lane_limbs<70, 1> sum{memory.data() + 1};
  const detail::natural_of_limbs<1> all(sum.first, sum.high + 1, sum.low);
  EXPECT_EQ(all.bits(), 0);
  EXPECT_FALSE(all.negative);
}

// What is certain of v 2^up is what the exact value v 2^up is rounded to.
TEST(scaled_rounding, is_that_of_the_exact_value) {
  engine random(1203);
  int certain = 0, beyond = 0;
  for (int i = 0; i < 100000; ++i) {
    exact_value v;
    v.significand = static_cast<uint128_t>(random() | std::uint64_t{1} << 63) << 64;
    if (random() % 2 == 0) v.significand |= random();
    if (random() % 4 == 0) v.significand = v.significand >> 70 << 70;
    v.negative = random() % 2 == 0;
    v.sticky = random() % 2 == 0;
    const int up = static_cast<int>(random() % 3000) - 1500;
    v.exponent = -127 + static_cast<int>(random() % 100) - 50;
    const detail::near_value near = detail::near_of(v);
    exact_value scaled = v;
    scaled.exponent += up;
    const auto check = [&](auto result) {
      using T = decltype(result);
      T wanted{};
      if (!detail::round_if_certain(near, up, result)) return;
      round_to(scaled, dtype_of<T>, &wanted);
      ASSERT_TRUE(detail::same_bits(result, wanted)) << up << " " << near.high << " " << near.error;
      ++certain;
      beyond += detail::same_bits(wanted, std::numeric_limits<T>::infinity()) ||
                detail::same_bits(wanted, -std::numeric_limits<T>::infinity());
    };
    check(double{});
    check(float{});
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(certain, 100000);
  EXPECT_GT(beyond, 10000);
}

}  // namespace
}  // namespace multifold
