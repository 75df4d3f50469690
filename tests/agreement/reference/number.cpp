// Rounding by definition: enough bits of the value, cut where the format ends, and the rest compared with a half.
#include "agreement/reference/number.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace multifold::agreement {
namespace {

// At least `bits` leading bits of |value| as an integer times 2^exponent, and whether anything follows them.
struct leading {
  mpz_class bits;
  long exponent;
  bool more;
};

leading leading_of(const exact_number& value, int bits) {
  const mpz_class magnitude = abs(value.numerator);
  const auto size = [](const mpz_class& z) { return static_cast<long>(mpz_sizeinbase(z.get_mpz_t(), 2)); };
  long up = std::max<long>(0, (value.root ? 2 * bits : bits) + 1 + size(value.denominator) - size(magnitude));
  if (value.root && (value.exponent - up) % 2 != 0) ++up;
  leading l;
  l.exponent = value.exponent - up;
  const mpz_class scaled = magnitude << static_cast<mp_bitcnt_t>(up);
  mpz_class rest;
  mpz_tdiv_qr(l.bits.get_mpz_t(), rest.get_mpz_t(), scaled.get_mpz_t(), value.denominator.get_mpz_t());
  l.more = rest != 0;
  if (value.root) {
    mpz_class root;
    mpz_sqrtrem(root.get_mpz_t(), rest.get_mpz_t(), l.bits.get_mpz_t());
    l.more = l.more || rest != 0;
    l.bits = root;
    l.exponent /= 2;
  }
  return l;
}

void put_bits(std::uint64_t bits, std::int64_t bytes, std::byte* out) {
  std::memcpy(out, &bits, static_cast<std::size_t>(bytes));  // little-endian, as x86-64 is
}

}  // namespace

format format_of(dtype floating) {
  switch (floating) {
    case dtype::f16: return {11, 15};
    case dtype::bf16: return {8, 127};
    case dtype::f32: return {24, 127};
    default: return {53, 1023};
  }
}

std::uint64_t nearest(const exact_number& value, format f) {
  if (value.what == exact_number::kind::nan) return f.quiet_nan();
  if (value.what == exact_number::kind::infinite) return f.infinity() | (value.negative ? f.sign() : 0);
  if (value.numerator == 0) return value.negative ? f.sign() : 0;
  const std::uint64_t sign = value.numerator < 0 ? f.sign() : 0;
  const leading l = leading_of(value, f.precision + 2);
  const long size = static_cast<long>(mpz_sizeinbase(l.bits.get_mpz_t(), 2));
  const long dropped = std::max<long>(size - f.precision, f.least() - l.exponent);
  const auto at = static_cast<mp_bitcnt_t>(dropped);
  const bool half = mpz_tstbit(l.bits.get_mpz_t(), at - 1) != 0;
  const bool beyond_half = l.more || mpz_scan1(l.bits.get_mpz_t(), 0) < at - 1;
  mpz_class kept = l.bits >> at;
  if (half && (beyond_half || mpz_odd_p(kept.get_mpz_t()) != 0)) ++kept;
  const long binades = l.exponent + dropped - f.least();
  if (binades > 2 * f.bias) return f.infinity() | sign;
  // Where the significand has its full length, its leading bit counts as one binade more.
  const std::uint64_t pattern = (static_cast<std::uint64_t>(binades) << (f.precision - 1)) + kept.get_ui();
  return std::min(pattern, f.infinity()) | sign;
}

bool put(const exact_number& value, dtype type, std::byte* out) {
  if (is_floating(type)) {
    put_bits(nearest(value, format_of(type)), item_bytes(type), out);
    return true;
  }
  // Only integers are asked for as integers.
  mpz_class least = 0, greatest = 1;
  if (type != dtype::boolean) {
    const auto bits = static_cast<mp_bitcnt_t>(8 * item_bytes(type));
    greatest = (mpz_class(1) << (is_unsigned(type) ? bits : bits - 1)) - 1;
    if (!is_unsigned(type)) least = -greatest - 1;
  }
  if (value.numerator < least || value.numerator > greatest) return false;
  const mpz_class modulus = mpz_class(1) << 64;
  mpz_class bits;
  mpz_mod(bits.get_mpz_t(), value.numerator.get_mpz_t(), modulus.get_mpz_t());
  put_bits(bits.get_ui(), item_bytes(type), out);
  return true;
}

mpz_class natural_of(uint128_t x) {
  const std::uint64_t words[] = {static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(x >> 64)};
  mpz_class z;
  mpz_import(z.get_mpz_t(), 2, -1, sizeof words[0], 0, 0, words);
  return z;
}

mpz_class integer_of(int128_t x) {
  if (x >= 0) return natural_of(static_cast<uint128_t>(x));
  return -natural_of(-static_cast<uint128_t>(x));
}

real real_of(std::uint64_t bits, format f) {
  real x;
  x.negative = (bits & f.sign()) != 0;
  const std::uint64_t magnitude = bits & (f.sign() - 1);
  x.nan = magnitude > f.infinity();
  x.infinite = magnitude == f.infinity();
  const std::uint64_t hidden = std::uint64_t{1} << (f.precision - 1), fraction = magnitude & (hidden - 1);
  const int field = static_cast<int>(magnitude >> (f.precision - 1));
  const auto significand = static_cast<std::int64_t>(field == 0 ? fraction : fraction | hidden);
  x.significand = x.negative ? -significand : significand;
  x.exponent = f.least() + std::max(field, 1) - 1;
  return x;
}

exact_number number_of(double x) {
  const real r = real_of(std::bit_cast<std::uint64_t>(x), format_of(dtype::f64));
  if (r.nan) return exact_number::of_nan();
  if (r.infinite) return exact_number::of_infinity(r.negative);
  exact_number n = exact_number::of_zero(r.negative);
  n.numerator = static_cast<long>(r.significand);
  n.exponent = r.exponent;
  return n;
}

}  // namespace multifold::agreement
