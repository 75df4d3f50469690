// Real numbers that are known but for a small error: quotients, roots and covariances of sums in some tens of
// operations, and their rounding where all that they may be rounds to the same. Where it does not, exact values decide.
//
// In the bounds below u is 2^-53, what a rounding is off by relative to its result, and every bound is several times as
// wide as what is added up for it. What underflows on the way is off by 2^-1075, far below all of them.
// Their parts: docs/exact-sums.md, 17.
#pragma once

#include <cmath>
#include <cstdint>

#include "multifold/exact/expansions/pair.hpp"

namespace multifold::inline v0_1::detail {

/// A number within `error` of high + low, where |low| is at most 4 u of |high|; an error of 0 is none at all. Nothing
/// is certain of one whose high part is below 2^-900.
struct near_value {
  double high, low, error;
};

/// Nothing is certain of it.
MULTIFOLD_HD constexpr near_value unknown_value() {
  return {0.0, 0.0, bit_copy<double>(std::uint64_t{0x7ff0000000000000})};
}

/// Whether products of two of these and a count neither overflow nor lose their last places.
MULTIFOLD_HD inline bool is_moderate(const near_value& v) {
  const double size = std::fabs(v.high);
  return (size > 0x1p-400 && size < 0x1p400) || (size == 0 && v.error == 0);
}

/// The leading 106 bits of a finite value: exact if that is all of it. Unknown if it is not moderate.
MULTIFOLD_HD inline near_value near_of(const exact_value& v) {
  if (v.zero()) return {0.0, 0.0, 0.0};
  const int exponent = v.exponent + 127;
  if (exponent < -400 || exponent >= 400) return unknown_value();
  constexpr std::uint64_t mask = (std::uint64_t{1} << 53) - 1, rest = (std::uint64_t{1} << 22) - 1;
  const auto high = static_cast<double>(static_cast<std::uint64_t>(v.significand >> 75));
  const auto low = static_cast<double>(static_cast<std::uint64_t>(v.significand >> 22) & mask);
  const double unit = power_of_two(exponent - 52), sign = v.negative ? -unit : unit;
  const bool exact = !v.sticky && (static_cast<std::uint64_t>(v.significand) & rest) == 0;
  return {sign * high, sign * 0x1p-53 * low, exact ? 0.0 : unit * 0x1p-53};
}

/// x / divisor, of the divisor's rounded reciprocal: the nearest one or the next (Markstein, IBM Journal of Research
/// and Development 34, 1990), so that its remainder is a double.
MULTIFOLD_HD inline double quotient_by(double x, double divisor, double reciprocal) {
  const double near = x * reciprocal;
  return std::fma(std::fma(-near, divisor, x), reciprocal, near);
}

/// pair / divisor, of a tight pair, and of the divisor's rounded reciprocal. Divisors are integers.
///
/// The remainder is exact; it and the pair's low part come to u of the quotient each at most, and what is made of them
/// has few roundings: `low` is off by 3 u of itself, and the bound is 16 u. So the error is small beside `low`, not
/// only beside the quotient: results of fewer than 53 bits are certain, also in the middle between two of them and
/// beside it. Quotients of two parts, among which are all that lie in the middle between two doubles, have no error.
MULTIFOLD_HD inline near_value near_fraction(const two_sum& tight, double divisor, double reciprocal) {
  const double high = quotient_by(tight.sum, divisor, reciprocal);
  const double remainder = std::fma(-high, divisor, tight.sum), rest = plain_sum(remainder, tight.error);
  const double low = quotient_by(rest, divisor, reciprocal);
  const bool whole =
      plain_difference(rest, remainder) == tight.error && plain_difference(rest, tight.error) == remainder;
  const bool exact = whole && std::fma(-low, divisor, rest) == 0;
  return {high, low, exact ? 0.0 : std::fabs(low) * 0x1p-49 + 0x1p-1000};  // low may underflow, rest does not
}

/// Counts up to this one have remainders of 53 bits.
inline constexpr std::int64_t most_odd_divisor = std::int64_t{1} << 52;

/// pair / divisor rounded to odd, likewise, of a pair in 2^(+-800), or 0, and a divisor up to most_odd_divisor: rounded
/// once more to a format of at most 51 bits, it is the quotient, whatever that is.
///
/// The first quotient is off by 2 u of itself and what the low part adds, the second by u and 10 u^2. So the remainder
/// of that one has at most 53 bits, and its sum with the low part tells on which side the exact quotient is.
MULTIFOLD_HD inline double odd_fraction(const two_sum& tight, double divisor, double reciprocal) {
  const double near = tight.sum * reciprocal;
  const double high = std::fma(plain_sum(std::fma(-near, divisor, tight.sum), tight.error), reciprocal, near);
  const double rest = plain_sum(std::fma(-high, divisor, tight.sum), tight.error);
  return tight.sum == 0 ? tight.sum : odd_of(high, rest);  // -0 stays
}
MULTIFOLD_HD inline double odd_fraction(double x, double divisor, double reciprocal) {
  const double near = quotient_by(x, divisor, reciprocal), rest = std::fma(-near, divisor, x);
  return x == 0 ? x : odd_of(near, rest);
}

/// pair / count, with the count's rounded reciprocal; unknown for a count beyond 2^53.
MULTIFOLD_HD inline near_value near_quotient(const exact_pair& pair, std::int64_t count, double reciprocal) {
  if (count > (std::int64_t{1} << 53)) return unknown_value();
  const exact_pair sum = tightened(pair);
  return near_fraction(two_sum{sum.high, sum.low}, static_cast<double>(count), reciprocal);
}
MULTIFOLD_HD inline near_value near_quotient(const exact_pair& pair, std::int64_t count) {
  return near_quotient(pair, count, 1.0 / static_cast<double>(count));
}

/// A sum of integers over their count, likewise; unknown for sums beyond 2^85, too.
MULTIFOLD_HD inline near_value near_quotient(int128_t sum, std::int64_t count, double reciprocal) {
  constexpr std::int64_t most = std::int64_t{1} << 53;
  const auto upper = static_cast<std::int64_t>(sum >> 32);
  if (upper != sum >> 32 || upper > most || upper < -most || count > most) return unknown_value();
  const double top = static_cast<double>(upper) * 0x1p32;
  const auto rest = static_cast<double>(static_cast<std::uint32_t>(sum));
  const double high = plain_sum(top, rest);
  return near_fraction({high, plain_sum(plain_difference(top, high), rest)}, static_cast<double>(count), reciprocal);
}

/// The square root; unknown below zero and close to it.
///
/// With r the root of `high`, rounded, and w = (v - r^2) / r^2, it is r + r w / 2 - r w^2 / 8 + ..., and |w| is below 7
/// u beside the error. high - r^2 is exact; two roundings put `low` off by 3 u of itself, what follows r w / 2 by 2 u
/// more, and the bound is 16 u. The error counts half, and its bound is the whole.
MULTIFOLD_HD inline near_value near_root(const near_value& v) {
  if (!(v.high > 0x1p-800)) return unknown_value();
  const double root = std::sqrt(v.high), reciprocal = 1 / root;
  const double low = (std::fma(-root, root, v.high) + v.low) * 0.5 * reciprocal;
  return {root, low,
          low == 0 && v.error == 0 ? 0.0 : v.error * reciprocal * 1.01 + std::fabs(low) * 0x1p-49 + 0x1p-1000};
}

/// n products - x y as a tight pair, if all of them are exact, x and y are doubles, and a pair is enough: of narrow
/// elements, and of a few of any. Each of the products is one of two parts; four additions of those leave nothing.
MULTIFOLD_HD inline bool exact_numerator(const near_value& x, const near_value& y, const near_value& products, double n,
                                         two_sum& numerator) {
  if (x.low != 0 || y.low != 0 || x.error != 0 || y.error != 0 || products.error != 0) return false;
  const double a = plain_product(n, products.high), a_low = std::fma(n, products.high, -a);
  const double b = plain_product(x.high, y.high), b_low = std::fma(x.high, y.high, -b);
  const double c = plain_product(n, products.low), c_low = std::fma(n, products.low, -c);
  const two_sum top = add_exactly(a, -b), rest = add_exactly(a_low, -b_low), more = add_exactly(rest.sum, c);
  const two_sum low = add_exactly(top.error, more.sum);
  numerator = add_exactly(top.sum, low.sum);
  return c_low == 0 && rest.error == 0 && more.error == 0 && low.error == 0;
}

/// (n products - x y) / (n (n - correction)). Unknown for a count beyond 2^52.
///
/// Where neither numerator nor divisor is rounded, it is known as a quotient is. Elsewhere n times the products is off
/// by 10 u^2 of it, x y by 42 u^2 of it, and their difference by 11 and 20 u^2 of them: below 62 u^2 of both, and the
/// bound is 256 u^2. The divisor is exact as a pair, the remainder is exact, and what is made of it puts the quotient
/// off by 13 u^2 more: the bound is 128 u^2.
MULTIFOLD_HD inline near_value near_covariance(const near_value& x, const near_value& y, const near_value& products,
                                               std::int64_t count, std::int64_t correction) {
  constexpr std::int64_t most = std::int64_t{1} << 52;
  if (count > most || correction < -most || correction >= count) return unknown_value();
  if (!is_moderate(x) || !is_moderate(y) || !is_moderate(products)) return unknown_value();
  const auto n = static_cast<double>(count), freedom = static_cast<double>(count - correction);
  const double divisor = n * freedom, divisor_low = std::fma(n, freedom, -divisor);
  two_sum numerator;
  if (divisor_low == 0 && exact_numerator(x, y, products, n, numerator))
    return near_fraction(numerator, divisor, 1 / divisor);
  const double a = plain_product(n, products.high), a_low = std::fma(n, products.high, -a) + n * products.low;
  const double b = plain_product(x.high, y.high),
               b_low = std::fma(x.high, y.high, -b) + (x.high * y.low + x.low * y.high);
  const double error = 0x1p-98 * (std::fabs(a) + std::fabs(b)) + n * products.error +
                       2 * ((std::fabs(x.high) + x.error) * y.error + std::fabs(y.high) * x.error);
  const two_sum s = add_exactly(a, -b);
  const two_sum top = add_exactly(s.sum, s.error + (a_low - b_low));
  const double reciprocal = 1 / divisor, high = quotient_by(top.sum, divisor, reciprocal);
  const double low = (std::fma(-high, divisor, top.sum) + (top.error - high * divisor_low)) * reciprocal;
  return {high, low, error * reciprocal * 1.02 + std::fabs(high) * 0x1p-99};
}

/// Rounds if everything within the error rounds to the same: `out` is then written. Never certain of a zero, nor of
/// what may have overflowed on the way.
template <floating_storage T>
MULTIFOLD_HD bool round_if_certain(const near_value& v, T& out) {
  const double size = std::fabs(v.high);
  if (!(v.error < 0x1p-40 * size && size > 0x1p-900 && size < 0x1p1023)) return false;
  // Wider by more than its own roundings are; what is exact needs no more, even in the middle between two numbers.
  const double off = v.error == 0 ? 0.0 : v.error * (1 + 0x1p-48) + std::fabs(v.low) * 0x1p-50;
  const T least = nearest<T>(exact_pair{v.high, v.low - off}), greatest = nearest<T>(exact_pair{v.high, v.low + off});
  if (!same_bits(least, greatest)) return false;
  out = least;
  return true;
}

/// The same of v 2^up, which double need not hold.
template <floating_storage T>
MULTIFOLD_HD bool round_if_certain(const near_value& v, int up, T& out) {
  if (up == 0) return round_if_certain(v, out);
  const int exponent = unpack(v.high).position - 1074 + 52 + up;  // of v.high 2^up, or one more
  if (!(v.error < 0x1p-40 * std::fabs(v.high)) || exponent < -890) return false;
  if (exponent > 1030) {
    out = nearest<T>(v.high < 0 ? -HUGE_VAL : HUGE_VAL);
    return true;
  }
  // In two steps, since 2^up may be out of range; an error that gets too small to be seen is one all the same.
  const int half = up / 2;
  const auto scaled = [&](double x) { return x * power_of_two(half) * power_of_two(up - half); };
  const double error = scaled(v.error);
  return round_if_certain({scaled(v.high), scaled(v.low), v.error > 0 ? error + 0x1p-1000 : 0.0}, out);
}

/// To a floating `type`, at `out`, which is aligned for it.
MULTIFOLD_HD inline bool round_if_certain(const near_value& v, int up, dtype type, void* out) {
  if (type == dtype::f64) return round_if_certain(v, up, *static_cast<double*>(out));
  if (type == dtype::f32) return round_if_certain(v, up, *static_cast<float*>(out));
  if (type == dtype::bf16) return round_if_certain(v, up, *static_cast<bf16*>(out));
  return round_if_certain(v, up, *static_cast<f16*>(out));
}
MULTIFOLD_HD inline bool round_if_certain(const near_value& v, dtype type, void* out) {
  if (type == dtype::f64) return round_if_certain(v, *static_cast<double*>(out));
  if (type == dtype::f32) return round_if_certain(v, *static_cast<float*>(out));
  if (type == dtype::bf16) return round_if_certain(v, *static_cast<bf16*>(out));
  return round_if_certain(v, *static_cast<f16*>(out));
}

}  // namespace multifold::inline v0_1::detail
