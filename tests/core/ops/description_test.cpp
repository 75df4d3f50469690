// Descriptions: counts, extremes and indices against plain loops, and NaN under both policies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "multifold/ops/visit.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

template <class T>
summary description_of(const std::vector<T>& x, nan_policy nan, std::size_t first = 0) {
  const reduction what = make_reduction(op_kind::describe, dtype_of<T>, nan);
  summary d;
  visit_fold<op_family::moments, T>(what, [&](const auto& op) {
    if constexpr (std::remove_cvref_t<decltype(op)>::set == moment_set::description) {
      auto sums = op.identity();
      for (std::size_t i = 0; i < x.size(); ++i) {  // in whatever order
        const std::size_t k = (i + first) % x.size();
        op.add(sums, x[k], static_cast<std::int64_t>(k));
      }
      const auto value = finish_scalar(what.op, op.lower(sums, static_cast<std::int64_t>(x.size())), what.initial);
      EXPECT_EQ(store(value, what.result, &d), status::ok);
    }
  });
  return d;
}

template <class T>
T number_in(const std::byte (&field)[8]) {
  T x;
  std::memcpy(&x, field, sizeof x);
  return x;
}

template <class T>
double plain(T x) {
  if constexpr (std::is_same_v<T, bool8>) return x.bits != 0 ? 1 : 0;
  else if constexpr (floating_storage<T>) return to_double(x);
  else return static_cast<double>(x);
}

template <class T>
T element(int value) {
  if constexpr (std::is_same_v<T, bool8>) return {static_cast<std::uint8_t>(value > 0 ? 1 : 0)};
  else if constexpr (std::is_same_v<T, f16>) return to_f16(value);
  else if constexpr (std::is_same_v<T, bf16>) return to_bf16(value);
  else return static_cast<T>(value);
}

template <class T>
class descriptions : public ::testing::Test {};
using elements = ::testing::Types<bool8, std::int8_t, std::int64_t, std::uint8_t, std::uint32_t, std::uint64_t, f16,
                                  bf16, float, double>;
TYPED_TEST_SUITE(descriptions, elements);

TYPED_TEST(descriptions, are_what_plain_loops_find) {
  test::random_bits random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<TypeParam> x(1 + random() % 30);
    for (TypeParam& e : x) e = element<TypeParam>(static_cast<int>(random() % 9));
    const summary d = description_of(x, nan_policy::propagate, random() % x.size());
    const auto less = [](TypeParam a, TypeParam b) { return plain(a) < plain(b); };
    const auto least = std::min_element(x.begin(), x.end(), less),
               greatest = std::max_element(x.begin(), x.end(), less);
    ASSERT_EQ(d.count, static_cast<std::int64_t>(x.size()));
    ASSERT_EQ(d.zero, std::count_if(x.begin(), x.end(), [](TypeParam e) { return plain(e) == 0; }));
    ASSERT_EQ(d.nan | d.positive_infinity | d.negative_infinity, 0);
    ASSERT_EQ(d.argmin, least - x.begin());
    ASSERT_EQ(d.argmax, greatest - x.begin());
    ASSERT_EQ(plain(number_in<TypeParam>(d.min)), plain(*least));
    ASSERT_EQ(plain(number_in<TypeParam>(d.max)), plain(*greatest));
    double sum = 0, squares = 0;
    for (const TypeParam e : x) sum += plain(e), squares += plain(e) * plain(e);
    if constexpr (std::is_same_v<TypeParam, double>) {
      ASSERT_EQ(number_in<double>(d.sum), sum);
      ASSERT_EQ(number_in<double>(d.mean), sum / static_cast<double>(x.size()));
      ASSERT_EQ(number_in<double>(d.norm2), std::sqrt(squares));
    } else if constexpr (std::is_same_v<TypeParam, std::uint8_t>) {
      ASSERT_EQ(number_in<std::uint64_t>(d.sum), static_cast<std::uint64_t>(sum));
      ASSERT_EQ(number_in<double>(d.norm2), std::sqrt(squares));
    }
  }
}

TEST(descriptions, nan_propagates_but_not_to_counts) {
  const std::vector<float> x = {1, -0.0f, NAN, -INFINITY, 0, NAN, INFINITY, -3};
  const summary d = description_of(x, nan_policy::propagate);
  EXPECT_EQ(d.count, 8);
  EXPECT_EQ(d.nan, 2);
  EXPECT_EQ(d.positive_infinity, 1);
  EXPECT_EQ(d.negative_infinity, 1);
  EXPECT_EQ(d.zero, 2);
  EXPECT_EQ(d.argmin, 2);
  EXPECT_EQ(d.argmax, 2);
  for (const auto* field : {&d.min, &d.max, &d.sum, &d.mean, &d.std, &d.norm2}) {
    EXPECT_TRUE(std::isnan(number_in<float>(*field)));
  }
}

TEST(descriptions, omitted_nan_takes_part_in_its_count_alone) {
  const std::vector<float> x = {NAN, 0.0f, -0.0f, 2, NAN, 2, -2};
  const summary d = description_of(x, nan_policy::omit);
  EXPECT_EQ(d.count, 5);
  EXPECT_EQ(d.nan, 2);
  EXPECT_EQ(d.zero, 2);
  EXPECT_EQ(d.argmin, 6);
  EXPECT_EQ(d.argmax, 3);
  EXPECT_EQ(number_in<float>(d.min), -2);
  EXPECT_EQ(number_in<float>(d.max), 2);
  EXPECT_EQ(number_in<float>(d.sum), 2);
  EXPECT_EQ(number_in<float>(d.norm2), static_cast<float>(std::sqrt(12.0)));
}

// -0 is less than +0, for an index, too.
TEST(descriptions, zeros_of_both_signs) {
  const summary d = description_of(std::vector<float>{0.0f, -0.0f, 0.0f}, nan_policy::propagate);
  EXPECT_TRUE(std::signbit(number_in<float>(d.min)));
  EXPECT_FALSE(std::signbit(number_in<float>(d.max)));
  EXPECT_EQ(d.argmin, 1);
  EXPECT_EQ(d.argmax, 0);
  EXPECT_EQ(d.zero, 3);
  const summary minus = description_of(std::vector<float>{-0.0f, -0.0f}, nan_policy::propagate);
  EXPECT_TRUE(std::signbit(number_in<float>(minus.sum)));
  EXPECT_TRUE(std::signbit(number_in<float>(minus.max)));
}

TEST(descriptions, of_nothing_but_omitted_nan) {
  const summary d = description_of(std::vector<float>{NAN, NAN}, nan_policy::omit);
  EXPECT_EQ(d.count, 0);
  EXPECT_EQ(d.nan, 2);
  EXPECT_EQ(d.argmin, -1);
  EXPECT_EQ(d.argmax, -1);
  const std::byte nothing[8] = {};
  EXPECT_EQ(std::memcmp(d.min, nothing, 8), 0);
  EXPECT_EQ(std::memcmp(d.max, nothing, 8), 0);
  EXPECT_EQ(number_in<float>(d.sum), 0);
  EXPECT_TRUE(std::isnan(number_in<float>(d.mean)));
}

}  // namespace
}  // namespace multifold
