// Folds over elements of any dtype that has their accumulators: the kernel is told at run time which one it is, and has
// a loop for each.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "multifold/ops/carried.hpp"
#include "multifold/ops/extremum.hpp"
#include "multifold/ops/product.hpp"
#include "multifold/ops/sum.hpp"
#include "multifold/ops/tally.hpp"

namespace multifold::inline v0_1 {

/// A fold without elements of its own: with_fold(f) calls f(fold) with that of the elements. over_any_element(op) is
/// the one that stands for a built-in operation.
template <class Op>
concept folds_any_element = requires {
  requires Op::any_element;
};

namespace detail {

/// f(T{}) with a floating type.
template <class F>
MULTIFOLD_HD constexpr decltype(auto) with_floating(dtype element, const F& f) {
  if (element == dtype::f32) return f(float{});
  if (element == dtype::f64) return f(double{});
  if (element == dtype::f16) return f(f16{});
  return f(bf16{});
}

/// f(T{}) with a carrier of a key as wide as Key, or of a narrower one than 4 bytes.
template <class Key, class F>
MULTIFOLD_HD constexpr decltype(auto) with_carrier(dtype carrier, const F& f) {
  if constexpr (sizeof(Key) == 8) {
    if (carrier == dtype::f64) return f(double{});
    return f(std::int64_t{});
  } else {
    if (carrier == dtype::f32) return f(float{});
    if (carrier == dtype::f16) return f(f16{});
    if (carrier == dtype::bf16) return f(bf16{});
    if (carrier == dtype::i32) return f(std::int32_t{});
    if (carrier == dtype::i16) return f(std::int16_t{});
    return f(any_byte{});
  }
}

/// f(T{}) with the carrier of integers of `bytes`.
template <class F>
MULTIFOLD_HD constexpr decltype(auto) with_integer_carrier(int bytes, const F& f) {
  if (bytes == 8) return f(std::int64_t{});
  if (bytes == 4) return f(std::int32_t{});
  if (bytes == 2) return f(std::int16_t{});
  return f(any_byte{});
}

/// The policy of any key.
template <class Key>
struct any_policy {
  Key flip;
  bool omits_nan, truth;

  template <class Narrow>
  MULTIFOLD_HD constexpr key_policy<Narrow> of() const {
    return {static_cast<Narrow>(flip), omits_nan ? greatest_key<Narrow> : least_key<Narrow>, truth};
  }
};

}  // namespace detail

/// Sums in double.
struct any_float_sum : merged_float_sum {
  static constexpr bool any_element = true;
  template <class F>
  MULTIFOLD_HD constexpr decltype(auto) with_fold(const F& f) const {
    return detail::with_floating(element, [&]<class T>(T) { return f(float_sum<T>{}); });
  }
};
template <class Op>
requires std::same_as<Op, float_sum<typename Op::value_type>>
constexpr any_float_sum over_any_element(const Op& op) { return {{op.merging()}}; }

struct any_float_sum_omit : float_sum_omit<double> {
  static constexpr bool any_element = true;
  dtype element;
  template <class F>
  MULTIFOLD_HD constexpr decltype(auto) with_fold(const F& f) const {
    return detail::with_floating(element, [&]<class T>(T) { return f(float_sum_omit<T>{}); });
  }
};
template <class Op>
requires std::same_as<Op, float_sum_omit<typename Op::value_type>>
constexpr any_float_sum_omit over_any_element(const Op&) { return {{}, dtype_of<typename Op::value_type>}; }

struct any_float_product : merged_float_product {
  static constexpr bool any_element = true;
  double nan_value;
  template <class F>
  MULTIFOLD_HD constexpr decltype(auto) with_fold(const F& f) const {
    return detail::with_floating(element, [&]<class T>(T) { return f(float_product<T>{nan_value}); });
  }
};
template <class Op>
requires std::same_as<Op, float_product<typename Op::value_type>>
constexpr any_float_product over_any_element(const Op& op) { return {op.merging(), op.nan_value}; }

/// Of integers: Fold is carried_sum or carried_product.
template <template <class> class Fold>
struct any_integers : Fold<std::int64_t> {
  static constexpr bool any_element = true;
  integer_kind element_kind;
  int bytes;
  template <class F>
  MULTIFOLD_HD constexpr decltype(auto) with_fold(const F& f) const {
    return detail::with_integer_carrier(bytes, [&]<class C>(C) { return f(Fold<C>{{element_kind}}); });
  }
};
template <class Op>
requires std::same_as<Op, carried_sum<typename Op::value_type>>
constexpr any_integers<carried_sum> over_any_element(const Op& op) {
  return {op.merging(), op.kind, sizeof(typename Op::value_type)};
}
template <class Op>
requires std::same_as<Op, carried_product<typename Op::value_type>>
constexpr any_integers<carried_product> over_any_element(const Op& op) {
  return {op.merging(), op.kind, sizeof(typename Op::value_type)};
}

struct any_tally : merged_tally {
  static constexpr bool any_element = true;
  int bytes;
  std::int64_t mask, most;
  template <class F>
  MULTIFOLD_HD constexpr decltype(auto) with_fold(const F& f) const {
    return detail::with_integer_carrier(bytes, [&]<class C>(C) {
      using key = key_of<C>;
      return f(tally<C>{{this->op}, static_cast<key>(mask), static_cast<key>(most)});
    });
  }
};
template <class Op>
requires std::same_as<Op, tally<typename Op::value_type>>
constexpr any_tally over_any_element(const Op& op) {
  return {op.merging(), sizeof(typename Op::value_type), op.mask, op.most};
}

template <class Key>
struct any_extremum : merged_extremum<Key> {
  static constexpr bool any_element = true, order_free = true;
  detail::any_policy<Key> policy;
  template <class F>
  MULTIFOLD_HD constexpr decltype(auto) with_fold(const F& f) const {
    return detail::with_carrier<Key>(this->carrier,
                                     [&]<class T>(T) { return f(extremum<T>{policy.template of<key_of<T>>()}); });
  }
};
template <class Op>
requires std::same_as<Op, extremum<order_carrier<typename Op::value_type>>>
constexpr auto over_any_element(const Op& op) {
  using key = typename Op::accumulator;
  return any_extremum<key>{op.merging(), {op.policy.flip, op.policy.omits_nan(), op.policy.truth}};
}

template <class Key>
struct any_arg_extremum : arg_extremum<Key> {
  static constexpr bool any_element = true;
  dtype carrier;
  detail::any_policy<Key> any;
  template <class F>
  MULTIFOLD_HD constexpr decltype(auto) with_fold(const F& f) const {
    return detail::with_carrier<Key>(carrier,
                                     [&]<class T>(T) { return f(arg_extremum<T>{any.template of<key_of<T>>()}); });
  }
};
template <class Op>
requires std::same_as<Op, arg_extremum<order_carrier<typename Op::value_type>>>
constexpr auto over_any_element(const Op& op) {
  using T = typename Op::value_type;
  using key = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  return any_arg_extremum<key>{op.merging(), dtype_of<T>, {op.policy.flip, op.policy.omits_nan(), op.policy.truth}};
}

}  // namespace multifold::inline v0_1
