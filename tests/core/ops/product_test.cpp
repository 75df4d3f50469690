// Products: where integers overflow and where they do not, and what NaN, zero and an initial value do.
#include "multifold/ops/product.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace multifold {
namespace {

template <class T>
scalar product_of(const std::vector<T>& elements) {
  const integer_product<T> op;
  auto total = op.identity();
  for (const T x : elements) total = op.combine(total, op.lift(x, 0));
  return op.lower(total, static_cast<std::int64_t>(elements.size()));
}

// Where the product fits no integer dtype.
template <class T>
void expect_overflow(const scalar& s, dtype type) {
  T out = 42;
  EXPECT_EQ(store(s, type, &out), status::overflow);
  EXPECT_EQ(out, T{42});
}

void expect_integer(const scalar& s, int128_t expected) {
  ASSERT_EQ(s.what, scalar::kind::integer);
  EXPECT_TRUE(s.integer == expected) << static_cast<std::int64_t>(s.integer);
}

TEST(product, reaches_the_limits_of_64_bits_with_either_sign) {
  constexpr std::int64_t half = std::int64_t{1} << 62;
  expect_integer(product_of<std::int64_t>({half, -2}), INT64_MIN);
  expect_integer(product_of<std::int64_t>({INT64_MIN}), INT64_MIN);
  expect_integer(product_of<std::int64_t>({INT64_MIN, -1}), -static_cast<int128_t>(INT64_MIN));
  expect_integer(product_of<std::int64_t>({-3, -5, -7}), -105);
  expect_integer(product_of<std::uint64_t>({UINT64_MAX, 1}), static_cast<int128_t>(UINT64_MAX));
  expect_integer(product_of<std::int8_t>({-128, -128}), 16384);
  expect_integer(product_of<std::int64_t>({}), 1);
  std::int64_t out = 0;
  EXPECT_EQ(store(product_of<std::int64_t>({half, 2}), dtype::i64, &out), status::overflow);
  EXPECT_EQ(store(product_of<std::int64_t>({half, -2}), dtype::i64, &out), status::ok);
}

TEST(product, overflow_is_final_unless_there_is_a_zero_anywhere) {
  constexpr std::int64_t big = std::int64_t{1} << 40;
  expect_overflow<std::int64_t>(product_of<std::int64_t>({big, big}), dtype::i64);
  expect_overflow<std::int64_t>(product_of<std::int64_t>({big, big, 1, -1}), dtype::i64);
  expect_overflow<std::int64_t>(product_of<std::int64_t>({big, big, big, big, big, big, big}), dtype::i64);
  expect_overflow<std::uint64_t>(product_of<std::uint64_t>({UINT64_MAX, 2}), dtype::u64);
  expect_integer(product_of<std::int64_t>({0, big, big}), 0);
  expect_integer(product_of<std::int64_t>({big, big, 0}), 0);
  expect_integer(product_of<std::int64_t>({big, 0, big, -5}), 0);

  const integer_product<std::int64_t> op;
  const auto over = op.combine(op.lift(big, 0), op.lift(big, 1));
  const auto zero = op.combine(op.lift(0, 2), op.lift(-4, 3));
  expect_integer(op.lower(op.combine(over, zero), 4), 0);
  expect_integer(op.lower(op.combine(zero, over), 4), 0);
  expect_overflow<std::int64_t>(op.lower(op.combine(over, over), 4), dtype::i64);
}

TEST(product, every_byte_but_zero_is_true) {
  expect_integer(product_of<bool8>({{1}, {2}, {255}}), 1);
  expect_integer(product_of<bool8>({{1}, {0}, {255}}), 0);
}

initial_value integer_initial(int128_t value) { return {true, true, value, static_cast<double>(value)}; }

TEST(product, an_initial_factor_takes_part_once) {
  expect_integer(finish_scalar(op_kind::prod, scalar::of_integer(-6, 2), integer_initial(7)), -42);
  expect_integer(finish_scalar(op_kind::prod, scalar::of_integer(-6, 2), integer_initial(-7)), 42);
  expect_integer(finish_scalar(op_kind::prod, product_of<std::int64_t>({INT64_MAX, 1 << 20, 7}), integer_initial(0)),
                 0);
  const scalar huge = scalar::of_integer(static_cast<int128_t>(UINT64_MAX), 2);
  const int128_t below_63_bits = (int128_t{1} << 63) - 1;
  expect_integer(finish_scalar(op_kind::prod, huge, integer_initial(below_63_bits)),
                 static_cast<int128_t>(UINT64_MAX) * below_63_bits);
  expect_overflow<std::uint64_t>(finish_scalar(op_kind::prod, huge, integer_initial(static_cast<int128_t>(UINT64_MAX))),
                                 dtype::u64);
  expect_integer(finish_scalar(op_kind::prod, scalar::of_integer(0, 2), integer_initial(~(int128_t{1} << 126))), 0);
  EXPECT_EQ(finish_scalar(op_kind::prod, scalar::of_real(1.5, 2), {true, false, 0, -2.0}).real, -3.0);
}

}  // namespace
}  // namespace multifold
