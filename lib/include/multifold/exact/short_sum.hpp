// Sums of a few numbers, whatever they are: two doubles and how far off these may be, in one pass without a look at
// exponents. For runs so short that a second pass, or a layout of windows, would cost more than their elements.
// Source: Ogita, Rump and Oishi, SIAM Journal on Scientific Computing 26, 2005. Proofs: docs/exact-sums.md, 14.
#pragma once

#include <cmath>

#include "multifold/exact/near/near.hpp"
#include "multifold/exact/near/rough.hpp"

namespace multifold::inline v0_1 {

/// The sum of what was added is within `rest` of high + low, and is high + low where `rest` is 0. A `rest` of NaN says
/// that something was not finite, or overflowed. Where all numbers were -0, `high` is, and `low` is 0.
struct short_sum {
  double high, low, rest;

  MULTIFOLD_HD static constexpr short_sum of(double x) { return {x, 0.0, detail::plain_difference(x, x)}; }
  MULTIFOLD_HD static constexpr short_sum of(double x, double y) {
    const detail::two_sum s = detail::add_exactly(x, y);
    return {s.sum, s.error, detail::plain_difference(s.error, s.error)};
  }
  MULTIFOLD_HD void add(double x) {
    const detail::two_sum top = detail::add_exactly(high, x), next = detail::add_exactly(low, top.error);
    high = top.sum;
    low = next.sum;
    rest = detail::plain_sum(rest, std::fabs(next.error));
  }
  MULTIFOLD_HD constexpr exact_pair pair() const { return {high, low}; }
};

namespace detail {

/// A mean of so many numbers is their sum, moved: exactly, if it has the exponents for that.
MULTIFOLD_HD constexpr bool is_power_of_two(std::int64_t count) { return (count & (count - 1)) == 0; }

/// The mean of `count` numbers, from 1 up, of the count's rounded reciprocal and the numbers' sum, which is not lost,
/// rounded once. Returns whether `out` is written: always of narrow formats, if the count is at most most_odd_divisor.
template <floating_storage T>
MULTIFOLD_HD bool round_mean(const exact_pair& sum, std::int64_t count, double reciprocal, T& out) {
  if (sizeof(T) == 8 || count > most_odd_divisor) {
    const double rounded_sum = nearest<double>(sum), size = std::fabs(rounded_sum);
    if (sizeof(T) == 8 && is_power_of_two(count) && size > 0x1p-900 && size < 0x1p1000) {
      out = nearest<T>(rounded_sum * reciprocal);
      return true;
    }
    if (sum.high != 0 || sum.low != 0) return round_if_certain(near_quotient(sum, count, reciprocal), out);
    out = nearest<T>(sum.high);  // with its sign
  } else if (is_power_of_two(count)) {
    out = nearest<T>(exact_pair{sum.high * reciprocal, sum.low * reciprocal});
  } else {
    const exact_pair tight = tightened(sum);
    out = nearest<T>(odd_fraction({tight.high, tight.low}, static_cast<double>(count), reciprocal));
  }
  return true;
}

/// Rounds the sum, or the mean, if all within `rest` of it round to the same: `out` is then written. Never certain of a
/// zero that has a `rest`.
template <floating_storage T>
MULTIFOLD_HD bool round_if_certain(const short_sum& sum, T& out) {
  const exact_pair tight = tightened(sum.pair());
  if constexpr (sizeof(T) < 8) return sum.rest <= 0x1p-60 * std::fabs(tight.high) && round_if_sure(tight.high, out);
  else return round_if_certain(near_value{tight.high, tight.low, 2 * sum.rest}, out);
}
template <floating_storage T>
MULTIFOLD_HD bool round_mean_if_certain(const short_sum& sum, std::int64_t count, double reciprocal, T& out) {
  if constexpr (sizeof(T) < 8) {
    const exact_pair tight = tightened(sum.pair());
    return sum.rest <= 0x1p-60 * std::fabs(tight.high) && round_if_sure(tight.high * reciprocal, out);
  } else {
    near_value mean = near_quotient(sum.pair(), count, reciprocal);
    mean.error += sum.rest * reciprocal * 2.01 + 0x1p-1000;
    return round_if_certain(mean, out);
  }
}

}  // namespace detail
}  // namespace multifold::inline v0_1
