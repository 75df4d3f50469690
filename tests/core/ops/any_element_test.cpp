// Folds over elements of any dtype: they are those of the dtype, and merge as it does.
#include "multifold/ops/any_element.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "multifold/ops/visit.hpp"
#include "random_bits.hpp"

namespace multifold {
namespace {

template <class T>
class any_element : public ::testing::Test {};
using dtypes = ::testing::Types<bool8, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                                std::uint16_t, std::uint32_t, std::uint64_t, f16, bf16, float, double>;
TYPED_TEST_SUITE(any_element, dtypes);

template <class A>
bool same(const A& a, const A& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// Any NaN is any other: which one an addition of two gives depends on how the compiler ordered them.
bool same(const scalar& a, const scalar& b) {
  const bool same_real = std::bit_cast<std::uint64_t>(a.real) == std::bit_cast<std::uint64_t>(b.real);
  return a.what == b.what && a.count == b.count && a.integer == b.integer &&
         (same_real || (std::isnan(a.real) && std::isnan(b.real)));
}

// That the fold found at run time lifts elements as `op` does, and that what is merged is lowered as it would be.
template <class Op>
void expect_the_same(const Op& op) {
  using T = typename Op::value_type;
  const auto any = over_any_element(op);
  static_assert(folds_any_element<decltype(any)>);
  static_assert(order_free<Op> == order_free<decltype(any)>);
  test::random_bits random(5);
  auto a = op.identity(), b = any.identity();
  for (int i = 0; i < 200; ++i) {
    using bits = std::make_unsigned_t<key_of<T>>;
    const auto x = std::bit_cast<T>(static_cast<bits>(random()));
    const auto lifted = op.lift(x, i);
    any.with_fold([&]<class Fold>(const Fold& fold) {
      using element = typename Fold::value_type;
      if constexpr (sizeof(element) == sizeof(T)) {
        EXPECT_TRUE((std::is_same_v<element, T>));
        EXPECT_TRUE(same(fold.lift(std::bit_cast<element>(x), i), lifted));
      } else {
        ADD_FAILURE() << "a fold of elements of another size";
      }
    });
    a = op.combine(a, lifted);
    b = any.combine(b, lifted);
    EXPECT_TRUE(same(op.lower(a, i + 1), any.lower(b, i + 1))) << i;
  }
}

template <op_family Family, class T>
void expect_the_same_of(op_kind op, nan_policy nan) {
  visit_fold<Family, order_carrier<T>>(make_reduction(op, dtype_of<T>, nan, accuracy::fast),
                                       [](const auto& fold) { expect_the_same(fold); });
}

TYPED_TEST(any_element, folds_are_those_of_the_dtype) {
  using T = TypeParam;
  for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit}) {
    for (const op_kind op : {op_kind::min, op_kind::max}) expect_the_same_of<op_family::extremum, T>(op, nan);
    for (const op_kind op : {op_kind::argmin, op_kind::argmax}) expect_the_same_of<op_family::arg_extremum, T>(op, nan);
    for (const op_kind op : {op_kind::any, op_kind::all, op_kind::count_nonzero})
      expect_the_same_of<op_family::tally, T>(op, nan);
    if constexpr (floating_storage<T>) {
      expect_the_same_of<op_family::sum, T>(op_kind::sum, nan);
      expect_the_same_of<op_family::product, T>(op_kind::prod, nan);
    } else {
      expect_the_same(carried_sum<order_carrier<T>>{{integer_kind_of(dtype_of<T>)}});
      expect_the_same(carried_product<order_carrier<T>>{{integer_kind_of(dtype_of<T>)}});
    }
  }
}

}  // namespace
}  // namespace multifold
