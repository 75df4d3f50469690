// Quotients and roots of sums that are known to more places than a narrow format has, in half of the operations that
// near values take, and their rounding where it is sure; where it is not, because they are ties, zeros or close to
// either, the rounding of those whose numerator is a double. Bounds: docs/exact-sums.md, 17.
#pragma once

#include <cmath>
#include <cstdint>

#include "multifold/exact/near/near.hpp"

namespace multifold::inline v0_1::detail {

/// (n products - x y) / (n (n - correction)) within 2^-45 of itself, or 0 where that is not certain: for results of up
/// to 24 bits. `reciprocal` is that of n (n - correction), within a place or two.
///
/// The numerator is off by less than 2^-97 of n products and x y, by the bounds above, and by what they are off. If all
/// of that is at most 2^-47 of it, the quotient, the divisor's rounding and the numerator's add less than 2^-51.
MULTIFOLD_HD inline double rough_covariance(const near_value& x, const near_value& y, const near_value& products,
                                            std::int64_t count, double reciprocal) {
  if (!is_moderate(x) || !is_moderate(y) || !is_moderate(products)) return 0;
  const auto n = static_cast<double>(count);
  const double a = plain_product(n, products.high), a_low = std::fma(n, products.high, -a) + n * products.low;
  const double b = plain_product(x.high, y.high),
               b_low = std::fma(x.high, y.high, -b) + (x.high * y.low + x.low * y.high);
  const double error = 0x1p-97 * (std::fabs(a) + std::fabs(b)) + n * products.error +
                       2 * ((std::fabs(x.high) + x.error) * y.error + std::fabs(y.high) * x.error);
  const two_sum s = add_exactly(a, -b);
  const double numerator = s.sum + (s.error + (a_low - b_low));
  return error <= 0x1p-47 * std::fabs(numerator) ? numerator * reciprocal : 0.0;
}

/// 1 / (n (n - correction)) for it, or 0, which is never sure of anything.
MULTIFOLD_HD inline double rough_reciprocal(std::int64_t count, std::int64_t correction) {
  constexpr std::int64_t most = std::int64_t{1} << 52;
  if (count < 1 || count > most || correction < -most || correction >= count) return 0;
  return 1 / (static_cast<double>(count) * static_cast<double>(count - correction));
}

/// The root of a number that is within 2^-45 of itself, as such; 0 where there is none.
MULTIFOLD_HD inline double rough_root(double v) { return v > 0 ? std::sqrt(v) : 0.0; }

/// Rounds if everything within 2^-44 of v, which is not 0 then, rounds to the same: `out` is then written.
template <floating_storage T>
MULTIFOLD_HD bool round_if_sure(double v, T& out) {
  if (!(std::fabs(v) > 0x1p-900 && std::fabs(v) < 0x1p1000)) return false;
  const T least = nearest<T>(v * (1 - 0x1p-44)), greatest = nearest<T>(v * (1 + 0x1p-44));
  if (!same_bits(least, greatest)) return false;
  out = least;
  return true;
}
MULTIFOLD_HD inline bool round_if_sure(double v, dtype type, void* out) {
  if (type == dtype::f32) return round_if_sure(v, *static_cast<float*>(out));
  if (type == dtype::bf16) return round_if_sure(v, *static_cast<bf16*>(out));
  return type == dtype::f16 && round_if_sure(v, *static_cast<f16*>(out));
}

/// (n products - x y) / (n (n - correction)), or its root, rounded, if its numerator and its divisor are doubles: a
/// few elements of a narrow format, and equal ones, are nearly all of those that nothing was sure of. Returns whether
/// `out` is written.
///
/// The quotient is one of the two numbers that round_if_sure finds beside it. The sign of m d - numerator, or of m^2 d
/// - numerator, for the m in the middle between them, which has one bit more than they, tells which: the multiply-add
/// rounds to a number of that sign.
template <floating_storage T>
MULTIFOLD_HD bool round_fraction(const near_value& x, const near_value& y, const near_value& products,
                                 std::int64_t count, std::int64_t correction, bool has_root, T& out) {
  static_assert(sizeof(T) < 8);
  constexpr std::int64_t most = std::int64_t{1} << 26;
  if (count < 1 || count > most || correction < -most || correction >= count) return false;
  if (!is_moderate(x) || !is_moderate(y) || !is_moderate(products)) return false;
  two_sum numerator;
  const auto n = static_cast<double>(count);
  if (!exact_numerator(x, y, products, n, numerator) || numerator.error != 0) return false;
  const double divisor = n * static_cast<double>(count - correction), quotient = numerator.sum / divisor;
  if (quotient == 0) {
    out = nearest<T>(0.0);
    return true;
  }
  if (has_root && quotient < 0) return false;
  const double v = has_root ? std::sqrt(quotient) : quotient;
  const T least = nearest<T>(v * (1 - 0x1p-44)), greatest = nearest<T>(v * (1 + 0x1p-44));
  const double middle = 0.5 * (to_double(least) + to_double(greatest));
  if (!(std::fabs(middle) < HUGE_VAL)) return false;
  const double beyond = std::fma(has_root ? middle * middle : middle, divisor, -numerator.sum);
  if (beyond == 0) out = nearest<T>(middle);
  else out = (beyond > 0) == (v > 0) ? least : greatest;
  return true;
}

}  // namespace multifold::inline v0_1::detail
