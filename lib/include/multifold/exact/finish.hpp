// What an exact sum comes to: the sum, its mean, its square root, as values that round once to any format.
// See docs/exact-sums.md, 1 and 16.
#pragma once

#include <cstdint>

#include "multifold/exact/accumulator.hpp"
#include "multifold/exact/natural.hpp"
#include "multifold/exact/round.hpp"
#include "multifold/exact/value.hpp"

namespace multifold::inline v0_1 {
namespace detail {

// NaN, or infinities of both signs: NaN. Infinities of one sign: that one, even against finite overflow.
MULTIFOLD_HD constexpr exact_value special_total(const exact_counters& counters) {
  const bool both = counters.positive_infinity > 0 && counters.negative_infinity > 0;
  if (counters.nan > 0 || both) return exact_value::of_nan();
  return exact_value::of_infinity(counters.negative_infinity > 0);
}

// An exact zero is +0, unless there were inputs and all of them were -0.
MULTIFOLD_HD constexpr exact_value with_sign_of_zero(exact_value v, const exact_counters& counters) {
  if (v.zero()) v.negative = counters.n > 0 && counters.not_negative_zero == 0;
  return v;
}

}  // namespace detail

/// The exact sum; +0 if there were no inputs.
template <exact_format Format>
MULTIFOLD_HD exact_value exact_total(const exact_accumulator<Format>& sum) {
  const exact_counters& counters = sum.counters();
  if (!counters.all_finite()) return detail::special_total(counters);
  const exact_value v = detail::leading(detail::signed_of(sum.normalised_limbs()), Format::unit_exponent);
  return detail::with_sign_of_zero(v, counters);
}

/// The exact sum over the number of inputs; NaN if there were none.
template <exact_format Format>
MULTIFOLD_HD exact_value exact_mean(const exact_accumulator<Format>& sum) {
  const exact_counters& counters = sum.counters();
  if (counters.n == 0) return exact_value::of_nan();
  if (!counters.all_finite()) return detail::special_total(counters);
  const exact_value v = detail::leading_quotient(detail::signed_of(sum.normalised_limbs()),
                                                 static_cast<uint128_t>(counters.n), Format::unit_exponent);
  return detail::with_sign_of_zero(v, counters);
}

/// The square root of a sum of squares: the 2-norm.
template <exact_format Format>
MULTIFOLD_HD exact_value exact_root(const exact_accumulator<Format>& squares) {
  return exact_root(exact_total(squares));
}

/// The sum, correctly rounded to T.
template <floating_storage T, exact_format Format>
MULTIFOLD_HD T round_to(const exact_accumulator<Format>& sum) {
  return round_to<T>(exact_total(sum));
}

}  // namespace multifold::inline v0_1
