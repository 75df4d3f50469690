// Products: magnitudes of 128 bits, and of floating point the sum of two doubles, beside an exponent of their own. No
// partial product overflows or underflows, and the only rounding to the result is the last.
#pragma once

#include <cstdint>
#include <type_traits>

#include "multifold/exact/expansions/pair.hpp"
#include "multifold/exact/uncontracted.hpp"
#include "multifold/ops.hpp"
#include "multifold/types/wide_integer.hpp"

namespace multifold::inline v0_1 {

/// Product of integers, exact as long as it has 128 significant bits: zeros behind them do not count. Beyond, every
/// factor but 0, 1 and -1 cuts off less than 2^-127 of it. A zero wins, wherever it stands.
template <storage_type T>
struct integer_product {
  using value_type = T;
  using accumulator = wide_integer;
  static constexpr int most_columns = 2;  // a thread, in tiles

  MULTIFOLD_HD constexpr accumulator identity() const { return {1, 0, 0, false, false}; }
  MULTIFOLD_HD constexpr accumulator lift(T x, std::int64_t) const {
    if constexpr (std::is_same_v<T, bool8>) return {x.bits != 0 ? 1u : 0u, 0, 0, false, false};
    else if constexpr (std::is_unsigned_v<T>) return {static_cast<std::uint64_t>(x), 0, 0, false, false};
    else return {static_cast<std::uint64_t>(x < 0 ? -static_cast<int128_t>(x) : x), 0, 0, x < 0, false};
  }
  MULTIFOLD_HD constexpr accumulator combine(const accumulator& a, const accumulator& b) const { return a * b; }
  MULTIFOLD_HD constexpr scalar lower(const accumulator& a, std::int64_t count) const { return a.value(count); }
  /// Accumulators do not tell what their elements were, but for the dtype of their results.
  MULTIFOLD_HD constexpr auto merging() const {
    return integer_product<std::conditional_t<std::is_unsigned_v<T>, std::uint64_t, std::int64_t>>{};
  }
};

/// (high + low) 2^exponent. |low| is at most 2^-52 of |high|, and 2^-300 <= |high| < 2^301, or high is all of it: zero,
/// infinite or NaN.
struct scaled_product {
  double high;
  double low;
  std::int64_t exponent;
};

namespace detail {

inline constexpr int moderate_exponent = 300;

MULTIFOLD_HD constexpr int exponent_field(double x) {
  return static_cast<int>(bit_copy<std::uint64_t>(x) >> 52) & 0x7ff;
}
/// Whether x is within 2^-300 and 2^301: neither zero, nor subnormal, nor infinite, nor NaN.
MULTIFOLD_HD constexpr bool is_moderate(double x) {
  constexpr unsigned least = 1023 - moderate_exponent;
  return static_cast<unsigned>(exponent_field(x)) - least <= 2 * moderate_exponent;
}
MULTIFOLD_HD constexpr bool is_special(double x) {
  return static_cast<unsigned>(exponent_field(x)) - 1 >= 0x7fe;  // or subnormal
}

/// A normal number with the exponent 0: its magnitude is from 1 to 2.
MULTIFOLD_HD constexpr double normalized(double x) {
  constexpr std::uint64_t exponent = std::uint64_t{0x7ff} << 52;
  return bit_copy<double>((bit_copy<std::uint64_t>(x) & ~exponent) | (std::uint64_t{1023} << 52));
}

/// The same product with 1 <= |high| < 2, of one whose high part is a normal number.
MULTIFOLD_HD constexpr scaled_product rescaled(scaled_product a) {
  const int exponent = exponent_field(a.high) - 1023;
  a.high *= power_of_two(-exponent);
  a.low *= power_of_two(-exponent);
  a.exponent += exponent;
  return a;
}

/// (p + rest) 2^exponent, where the rest is at most 4 u of p.
MULTIFOLD_HD inline scaled_product settled(double p, double rest, std::int64_t exponent) {
  const double high = plain_sum(p, rest);
  const scaled_product product{high, plain_difference(rest, plain_difference(high, p)), exponent};
  return is_moderate(high) ? product : rescaled(product);
}

/// a x for |x| from 2^-597 to 2^597, or special.
///
/// With u = 2^-53: the product of the high parts is exact as p and its error; what is left out, and the roundings of
/// the rest, which is at most 4 u, put the product off by less than 2^-102 of it. So does x_low below, at most 2 u of
/// x.
MULTIFOLD_HD inline scaled_product times(const scaled_product& a, double x) {
  const double p = plain_product(a.high, x);
  if (is_special(p)) return {p, 0.0, a.exponent};
  return settled(p, fused(a.low, x, fused(a.high, x, -p)), a.exponent);
}
/// a (x + x_low).
MULTIFOLD_HD inline scaled_product times(const scaled_product& a, double x, double x_low) {
  const double p = plain_product(a.high, x);
  if (is_special(p)) return {p, 0.0, a.exponent};
  return settled(p, fused(a.high, x_low, fused(a.low, x, fused(a.high, x, -p))), a.exponent);
}

/// A factor of any size: x 2^exponent is what it was, and x is moderate or special.
struct factor {
  double x;
  int exponent;
};
MULTIFOLD_HD constexpr factor factor_of(double x) {
  if (is_moderate(x)) return {x, 0};
  int exponent = 0;
  if (exponent_field(x) == 0) {
    x *= 0x1p64;
    exponent = -64;
  }
  if (is_special(x)) return {x, 0};
  return {normalized(x), exponent + exponent_field(x) - 1023};
}

}  // namespace detail

/// Products of floating point of any dtype.
struct merged_float_product {
  using accumulator = scaled_product;
  dtype element;

  MULTIFOLD_HD constexpr accumulator identity() const { return {1.0, 0.0, 0}; }
  MULTIFOLD_HD accumulator combine(const accumulator& a, const accumulator& b) const {
    accumulator product = detail::times(a, b.high, b.low);
    product.exponent += b.exponent;
    return product;
  }
  MULTIFOLD_HD constexpr scalar lower(const accumulator& a, std::int64_t count) const {
    if (detail::is_special(a.high)) return scalar::of_real(a.high, count);
    const exact_value v = value_of(exact_pair{a.high, a.low});
    constexpr std::int64_t most = 1 << 20;  // far beyond every format
    const std::int64_t scale = a.exponent > most ? most : a.exponent < -most ? -most : a.exponent;
    const bool rest = v.sticky || (v.significand & 3u) != 0;
    const auto integer = static_cast<int128_t>((v.significand >> 2) | (rest ? 1u : 0u));
    scalar s = scalar::of_integer(v.negative ? -integer : integer, count);
    s.signed_zero = true;
    s.exponent = v.exponent + 2 + static_cast<int>(scale);
    return s;
  }
};

/// Product of floating point: off by less than n 2^-102 of it before the one rounding to the result, for n elements, up
/// to 2^49. `nan_value` replaces NaN elements: NaN itself, or 1 to omit them.
template <floating_storage T>
struct float_product {
  using value_type = T;
  using accumulator = scaled_product;
  static constexpr int most_columns = 2;  // a thread, in tiles
  double nan_value;

  MULTIFOLD_HD constexpr accumulator identity() const { return {1.0, 0.0, 0}; }
  MULTIFOLD_HD accumulator lift(T element, std::int64_t) const {
    const double x = to_double(element);
    const detail::factor f = detail::factor_of(x != x ? nan_value : x);
    return {f.x, 0.0, f.exponent};
  }
  MULTIFOLD_HD accumulator combine(const accumulator& a, const accumulator& b) const { return merging().combine(a, b); }
  MULTIFOLD_HD constexpr scalar lower(const accumulator& a, std::int64_t count) const {
    return merging().lower(a, count);
  }
  MULTIFOLD_HD constexpr merged_float_product merging() const { return merged_float_product{dtype_of<T>}; }
};

/// Elements go straight into the product: the low part of a lifted one is nothing.
template <floating_storage T>
struct lane_of<float_product<T>> {
  using type = scaled_product;
  static constexpr std::int64_t capacity = INT64_MAX;
  MULTIFOLD_HD static type identity(const float_product<T>& op) { return op.identity(); }
  MULTIFOLD_HD static type absorb(const float_product<T>& op, const type& l, T x, std::int64_t i) {
    const type factor = op.lift(x, i);
    type product = detail::times(l, factor.high);
    product.exponent += factor.exponent;
    return product;
  }
  MULTIFOLD_HD static type widen(const float_product<T>&, const type& l) { return l; }
};

}  // namespace multifold::inline v0_1
