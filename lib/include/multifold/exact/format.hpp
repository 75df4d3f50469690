// How wide an exact sum is: for sums of each element type, and for sums of products of two of its numbers.
// The table: docs/exact-sums.md, 2.
#pragma once

#include <concepts>

#include "multifold/dtype.hpp"

namespace multifold::inline v0_1 {

/// What is summed: numbers of `element`, or products of two of them.
struct exact_kind {
  dtype element;
  bool products;
  MULTIFOLD_HD friend constexpr bool operator==(exact_kind a, exact_kind b) {
    return a.element == b.element && a.products == b.products;
  }
};

namespace detail {

// A sum is an integer of 32 * Limbs bits times 2^Unit, and 2^63 numbers below 2^Top cannot overflow it.
template <storage_type T, bool Products, int Limbs, int Unit, int Top>
struct exact_layout {
  using element = T;
  static constexpr bool products = Products;
  static constexpr int limb_count = Limbs;
  static constexpr int unit_exponent = Unit;
  static constexpr int top_exponent = Top;
  static constexpr exact_kind kind{dtype_of<T>, Products};
  static_assert(Top - Unit + 63 < 32 * Limbs);
};

}  // namespace detail

/// Sums of T. The unit of integers is 1, of floating point the smallest subnormal (bf16 shares the limbs of f32).
template <storage_type T>
struct exact_traits : detail::exact_layout<T, false, 5, 0, 64> {};
template <>
struct exact_traits<f16> : detail::exact_layout<f16, false, 4, -24, 16> {};
template <>
struct exact_traits<bf16> : detail::exact_layout<bf16, false, 12, -149, 128> {};
template <>
struct exact_traits<float> : detail::exact_layout<float, false, 12, -149, 128> {};
template <>
struct exact_traits<double> : detail::exact_layout<double, false, 70, -1074, 1024> {};

/// Sums of products of two T: dot products and sums of squares.
template <storage_type T>
struct exact_product_traits : detail::exact_layout<T, true, 7, 0, 128> {};
template <>
struct exact_product_traits<f16> : detail::exact_layout<f16, true, 20, -298, 256> {};
template <>
struct exact_product_traits<bf16> : detail::exact_layout<bf16, true, 20, -298, 256> {};
template <>
struct exact_product_traits<float> : detail::exact_layout<float, true, 20, -298, 256> {};
template <>
struct exact_product_traits<double> : detail::exact_layout<double, true, 134, -2148, 2048> {};

/// exact_traits<T> or exact_product_traits<T>.
template <class Format>
concept exact_format = storage_type<typename Format::element> && requires {
  { Format::kind } -> std::convertible_to<exact_kind>;
  { Format::limb_count } -> std::convertible_to<int>;
  { Format::unit_exponent } -> std::convertible_to<int>;
};

/// Whether every sum of `From` is a sum that `To` can hold.
template <class From, class To>
concept exact_fits_in = exact_format<From> && exact_format<To> &&
                        From::unit_exponent >= To::unit_exponent&& From::top_exponent <= To::top_exponent;

}  // namespace multifold::inline v0_1
