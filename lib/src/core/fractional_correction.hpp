// Variances and covariances whose correction is no integer: what is left of the count is a binary fraction, of which
// nothing is rounded. See docs/exact-sums.md, 16.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/exact_ratio.hpp"
#include "multifold/correction.hpp"
#include "multifold/exact/near/near.hpp"
#include "multifold/ops/moments/finish_moments.hpp"

namespace multifold::inline v0_1::detail {

/// n products - x y, in units of the products.
template <storage_type T>
auto covariance_numerator(const exact_sum<T>& x, const exact_sum<T>& y, const exact_dot<T>& products) {
  constexpr int sum_words = 2 * exact_traits<T>::limb_count, product_words = exact_product_traits<T>::limb_count + 2;
  constexpr int words = sum_words > product_words ? sum_words : product_words;
  constexpr int shift = 2 * exact_traits<T>::unit_exponent - exact_product_traits<T>::unit_exponent;
  const std::int64_t n = products.counters().n;
  signed_natural<2> count;
  count.word[0] = static_cast<std::uint32_t>(n & 0xffffffff);
  count.word[1] = static_cast<std::uint32_t>(n >> 32);
  const auto scaled = product<words>(signed_of(products.normalised_limbs()), count);
  const auto squared = product<words>(signed_of(x.normalised_limbs()), signed_of(y.normalised_limbs()));
  return difference(scaled, shifted_up(squared, shift));
}

/// n (n - c) = divisor * 2^unit, for 0 < c < n that is no integer: below 2^52, so that its unit is below 1, and not
/// below 2^-1126. Counts have 63 bits.
struct fractional_divisor {
  static constexpr int words = 40;
  signed_natural<words> divisor;
  int unit;

  fractional_divisor(std::int64_t n, double c) {
    int exponent = 0;
    const double significand = std::ldexp(std::frexp(c, &exponent), 53);
    unit = exponent - 53;
    const auto count = natural_of(n), taken = natural_of(static_cast<std::int64_t>(significand));
    divisor = product<words>(difference(shifted_up(count, -unit), taken), count);
  }

 private:
  static signed_natural<words> natural_of(std::int64_t value) {
    signed_natural<words> a;
    a.word[0] = static_cast<std::uint32_t>(value & 0xffffffff);
    a.word[1] = static_cast<std::uint32_t>(value >> 32);
    return a;
  }
};

/// exact_covariance for a correction that is no integer.
template <storage_type T>
exact_value fractional_covariance(const exact_sum<T>& x, const exact_sum<T>& y, const exact_dot<T>& products,
                                  double correction) {
  const std::int64_t n = products.counters().n;
  const bool finite = x.counters().all_finite() && y.counters().all_finite() && products.counters().all_finite();
  if (!finite || correction >= static_cast<double>(n)) return exact_covariance(x, y, products, n);  // nothing is left
  const fractional_divisor by(n, correction);
  return exact_ratio(covariance_numerator(x, y, products), exact_product_traits<T>::unit_exponent, by.divisor, by.unit);
}

/// near_covariance for any correction, as reduction::correction holds it.
///
/// What is left of the count is f + e: f of 50 bits, which with a power of two is an integer as near_covariance takes
/// it, and e below 2^-49 of it. Divided by f, the quotient is q, and q (1 - e / f) is off by 2^-98 of it, to which
/// what is rounded or left out adds less; the bound is 2^-96.
inline near_value near_covariance_of(const near_value& x, const near_value& y, const near_value& products,
                                     std::int64_t n, std::int64_t held) {
  if (correction::holds_integer(held)) return near_covariance(x, y, products, n, held);
  const double correction = correction::of_held(held).value();
  constexpr std::int64_t most = std::int64_t{1} << 51;
  if (n > most || correction >= static_cast<double>(n)) return unknown_value();
  const two_sum left = add_exactly(static_cast<double>(n), -correction);
  int exponent = 0;
  auto freedom = static_cast<std::int64_t>(std::ldexp(std::frexp(left.sum, &exponent), 50));
  int down = 50 - exponent;  // f = freedom 2^-down
  while (freedom % 2 == 0) freedom /= 2, --down;
  if (down < 0) freedom <<= -down, down = 0;
  const near_value v = near_covariance(x, y, products, n, n - freedom);
  if (!(std::fabs(v.high) > 0x1p-700 && std::fabs(v.high) < 0x1p850)) return unknown_value();
  const double up = power_of_two(down), high = v.high * up, low = v.low * up, error = v.error * up;
  const double f = std::ldexp(static_cast<double>(freedom), -down), e = (left.sum - f) + left.error;
  if (e == 0) return {high, low, error};
  const exact_pair all = tightened({high, low - high * (e / f)});
  return {all.high, all.low, error * 1.01 + std::fabs(high) * 0x1p-96};
}

/// Whether a correction, as reduction::correction holds it, leaves anything of n.
inline bool leaves_freedom(std::int64_t held, std::int64_t n) {
  if (correction::holds_integer(held)) return held < n;
  return correction::of_held(held).value() < static_cast<double>(n);
}

/// finish_scalar for any correction.
template <class Merged>
auto finish_any(op_kind op, const Merged& merged, const initial_value& initial) {
  return finish_scalar(op, merged, initial);
}
template <storage_type T, moment_set Set>
auto finish_any(op_kind op, const finished_moments<T, Set>& m, const initial_value& initial) {
  auto value = finish_scalar(op, m, initial);
  if (correction::holds_integer(m.correction)) return value;
  const double c = correction::of_held(m.correction).value();
  if constexpr (Set == moment_set::joint) {
    value = fractional_covariance(m.sums.x, m.sums.y, m.sums.products, c);
  } else if constexpr (Set == moment_set::spread || Set == moment_set::description) {
    const exact_value variance = fractional_covariance(m.sums.x, m.sums.x, m.sums.products, c);
    if constexpr (Set == moment_set::description) value.std = exact_root(variance);
    else value = op == op_kind::std ? exact_root(variance) : variance;
  }
  return value;
}

}  // namespace multifold::inline v0_1::detail
