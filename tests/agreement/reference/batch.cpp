// Products of the reference: 256 bits, and a last one that stands for what was cut off.
#include "agreement/reference/batch.hpp"

namespace multifold::agreement {
namespace {

constexpr int cut_bits = 256;

}  // namespace

void long_product::multiply(const mpz_class& factor, long power) {
  if (factor == 0) {
    zero = true;
    return;
  }
  negative = negative != (factor < 0);
  significand *= abs(factor);
  exponent += power;
  const auto size = static_cast<long>(mpz_sizeinbase(significand.get_mpz_t(), 2));
  if (size <= cut_bits) return;
  const bool sticky = mpz_scan1(significand.get_mpz_t(), 0) < static_cast<mp_bitcnt_t>(size - cut_bits);
  significand >>= static_cast<mp_bitcnt_t>(size - cut_bits);
  if (sticky) significand |= 1;
  exponent += size - cut_bits;
}

void long_product::multiply(const real& x) {
  if (x.nan) nan = true;
  else if (x.infinite) infinite = true, negative = negative != x.negative;
  else if (x.significand == 0) zero = true, negative = negative != x.negative;
  else multiply(mpz_class(static_cast<long>(x.significand)), x.exponent);
}

exact_number long_product::value() const {
  if (nan || (zero && infinite)) return exact_number::of_nan();
  if (infinite) return exact_number::of_infinity(negative);
  if (zero) return exact_number::of_zero(negative);
  exact_number v;
  v.numerator = negative ? mpz_class(-significand) : significand;
  v.exponent = exponent;
  return v;
}

}  // namespace multifold::agreement
