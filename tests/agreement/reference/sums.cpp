// How the buckets of an exact sum become one number, and what special values make of it.
#include "agreement/reference/sums.hpp"

namespace multifold::agreement {

exact_number bucket_sum::take() {
  exact_number sum;
  if (low_ > high_) return sum;
  int at = high_;
  for (int exponent = high_; exponent >= low_; --exponent) {
    int128_t& bucket = buckets_[static_cast<std::size_t>(exponent - least)];
    if (bucket == 0) continue;
    sum.numerator <<= static_cast<mp_bitcnt_t>(at - exponent);
    sum.numerator += integer_of(bucket);
    at = exponent;
    bucket = 0;
  }
  sum.exponent = at;
  low_ = greatest;
  high_ = least;
  return sum;
}

void real_sum::add(const real& x) {
  ++count;
  nan = nan || x.nan;
  positive_infinity = positive_infinity || (x.infinite && !x.negative);
  negative_infinity = negative_infinity || (x.infinite && x.negative);
  not_negative_zero = not_negative_zero || !(x.finite() && x.negative && x.significand == 0);
  if (x.finite()) finite.add(x.significand, x.exponent);
}

void real_sum::add_magnitude(const real& x) {
  real magnitude = x;
  magnitude.negative = false;
  magnitude.significand = std::max(x.significand, -x.significand);
  add(magnitude);
}

void real_sum::add_product(const real& x, const real& y) {
  ++count;
  const bool negative = x.negative != y.negative;
  const bool infinite = x.infinite || y.infinite;
  const bool zero = (x.finite() && x.significand == 0) || (y.finite() && y.significand == 0);
  if (x.nan || y.nan || (infinite && zero)) {
    nan = true;
  } else if (infinite) {
    (negative ? negative_infinity : positive_infinity) = true;
  } else {
    finite.add_product(x.significand, y.significand, x.exponent + y.exponent);
    not_negative_zero = not_negative_zero || !zero || !negative;
  }
}

exact_number real_sum::take() {
  exact_number sum = finite.take();
  if (nan || (positive_infinity && negative_infinity)) return exact_number::of_nan();
  if (positive_infinity || negative_infinity) return exact_number::of_infinity(negative_infinity);
  if (sum.numerator == 0) return exact_number::of_zero(count > 0 && !not_negative_zero);
  return sum;
}

void real_sum::clear() {
  finite.take();
  nan = positive_infinity = negative_infinity = not_negative_zero = false;
  count = 0;
}

}  // namespace multifold::agreement
