// Sums and products of integers of any dtype of one size: their kernels are compiled once, and are told at run time
// what the bits of an element stand for.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "multifold/ops/order_key.hpp"
#include "multifold/ops/product.hpp"
#include "multifold/ops/sum.hpp"

namespace multifold::inline v0_1 {

/// What the bits of an integer stand for.
enum class integer_kind : std::uint8_t { with_sign, without_sign, truth };

constexpr integer_kind integer_kind_of(dtype input) noexcept {
  return input == dtype::boolean ? integer_kind::truth
         : is_unsigned(input)    ? integer_kind::without_sign
                                 : integer_kind::with_sign;
}

/// Integers of the size of C, which is their order_carrier, as the elements of a fold.
template <storage_type C>
struct carried_integers {
  static_assert(!floating_storage<C> && std::is_same_v<C, order_carrier<C>>);
  using value_type = C;
  using with_sign = key_of<C>;
  using without_sign = std::make_unsigned_t<with_sign>;
  static constexpr bool may_be_truth = sizeof(C) == 1;
  integer_kind kind;

  /// f(T{}) with the type of elements.
  template <class F>
  MULTIFOLD_HD constexpr decltype(auto) with_element(const F& f) const {
    if constexpr (may_be_truth) {
      if (kind == integer_kind::truth) return f(bool8{});
    }
    if (kind == integer_kind::without_sign) return f(without_sign{});
    return f(with_sign{});
  }
  /// What accumulators are the sums or products of, as far as results tell: those of truths are signed.
  MULTIFOLD_HD constexpr integer_kind kind_of_results() const {
    return kind == integer_kind::without_sign ? kind : integer_kind::with_sign;
  }
};

/// integer_sum of elements of any kind.
template <storage_type C>
struct carried_sum : carried_integers<C> {
  using signed_sum = integer_sum<typename carried_integers<C>::with_sign>;
  using unsigned_sum = integer_sum<typename carried_integers<C>::without_sign>;
  using accumulator = int128_t;
  using lane = typename signed_sum::lane;
  static constexpr bool order_free = true;
  static constexpr std::int64_t lane_capacity = signed_sum::lane_capacity;
  // Lanes have a sign, and hold the greatest unsigned sums, too.
  static_assert(lane_capacity == unsigned_sum::lane_capacity);
  static_assert(sizeof(C) == 8 ||
                static_cast<int128_t>(std::numeric_limits<typename unsigned_sum::value_type>::max()) * lane_capacity <
                    int128_t{1} << (8 * sizeof(lane) - 1));

  MULTIFOLD_HD constexpr accumulator identity() const { return 0; }
  MULTIFOLD_HD constexpr accumulator lift(C x, std::int64_t) const { return widen(value_of(x)); }
  MULTIFOLD_HD constexpr accumulator combine(accumulator a, accumulator b) const { return a + b; }
  MULTIFOLD_HD constexpr scalar lower(accumulator a, std::int64_t count) const { return scalar::of_integer(a, count); }
  MULTIFOLD_HD constexpr carried_sum<std::int64_t> merging() const { return {{this->kind_of_results()}}; }

  MULTIFOLD_HD constexpr lane lane_identity() const { return 0; }
  MULTIFOLD_HD constexpr lane absorb(lane l, C x, std::int64_t) const { return l + value_of(x); }
  MULTIFOLD_HD constexpr accumulator widen(lane l) const { return l; }

  MULTIFOLD_HD constexpr lane value_of(C x) const {
    return this->with_element([&]<class T>(T) { return static_cast<lane>(integer_sum<T>::value_of(bit_copy<T>(x))); });
  }
};

/// integer_product of elements of any kind.
template <storage_type C>
struct carried_product : carried_integers<C> {
  using accumulator = wide_integer;
  static constexpr int most_columns = integer_product<C>::most_columns;

  MULTIFOLD_HD constexpr accumulator identity() const { return {1, 0, 0, false, false}; }
  MULTIFOLD_HD constexpr accumulator lift(C x, std::int64_t index) const {
    return this->with_element([&]<class T>(T) { return integer_product<T>{}.lift(bit_copy<T>(x), index); });
  }
  MULTIFOLD_HD constexpr accumulator combine(const accumulator& a, const accumulator& b) const { return a * b; }
  MULTIFOLD_HD constexpr scalar lower(const accumulator& a, std::int64_t count) const { return a.value(count); }
  MULTIFOLD_HD constexpr carried_product<std::int64_t> merging() const { return {{this->kind_of_results()}}; }
};

/// An operation that is told at run time what its elements stand for, and gathers them in lanes: loops over elements
/// are for one kind each. Products ask for every few elements, since what those come to is one more factor.
template <class Op>
concept carries_integers = has_lane<Op> && std::is_same_v<decltype(Op::kind), integer_kind>;

}  // namespace multifold::inline v0_1
