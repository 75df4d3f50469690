// Oracles for exact sums: limbs as GMP integers, and MPFR for the rounding. They share no code with the library.
#pragma once

#include <gmpxx.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "multifold/exact.hpp"
#include "multifold/types/float16.hpp"

namespace multifold::testing_oracle {

/// A format as MPFR sees it: significands in [1/2, 1).
struct mpfr_format {
  int precision;
  int bias;
  int least() const { return 2 - bias - precision; }  // exponent of the smallest subnormal
};

template <floating_storage T>
constexpr mpfr_format format_of() {
  if constexpr (std::is_same_v<T, f16>) return {11, 15};
  else if constexpr (std::is_same_v<T, bf16>) return {8, 127};
  else if constexpr (std::is_same_v<T, float>) return {24, 127};
  else return {53, 1023};
}

template <floating_storage T>
std::uint64_t bits_of(T x) {
  if constexpr (sizeof(T) == 2) return x.bits;
  else if constexpr (sizeof(T) == 4) return std::bit_cast<std::uint32_t>(x);
  else return std::bit_cast<std::uint64_t>(x);
}

template <floating_storage T>
T from_bits(std::uint64_t bits) {
  if constexpr (sizeof(T) == 2) return T{static_cast<std::uint16_t>(bits)};
  else if constexpr (sizeof(T) == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  else return std::bit_cast<double>(bits);
}

/// value * 2^exponent.
inline mpq_class scaled(const mpz_class& value, int exponent) {
  mpq_class q(value);
  if (exponent >= 0) mpq_mul_2exp(q.get_mpq_t(), q.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
  else mpq_div_2exp(q.get_mpq_t(), q.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  return q;
}

/// A finite double in units of 2^unit, of which it is a multiple.
inline mpz_class units_of(double x, int unit) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  mpz_class z(static_cast<double>(std::ldexp(fraction, 53)));
  const int shift = exponent - 53 - unit;
  if (shift >= 0) z <<= static_cast<mp_bitcnt_t>(shift);
  else mpz_tdiv_q_2exp(z.get_mpz_t(), z.get_mpz_t(), static_cast<mp_bitcnt_t>(-shift));
  return z;
}

/// Finite numbers as they are.
inline mpq_class rational(double x) { return scaled(units_of(x, -1074), -1074); }
inline mpq_class rational(std::int64_t n) { return mpq_class(mpz_class(static_cast<long>(n))); }

template <int N>
mpz_class integer_of(const limbs<N>& sum) {
  mpz_class z = 0;
  for (int i = N - 1; i >= 0; --i) z = (z << 32) + mpz_class(static_cast<long>(sum.limb[i]));
  return z;
}

/// The sum of an accumulator, in its units.
template <class Format>
mpz_class integer_of(const exact_accumulator<Format>& sum) {
  return integer_of(sum.normalised_limbs());
}

/// An accumulator of one input that is this integer, in its units.
template <class Format>
exact_accumulator<Format> sum_of(const mpz_class& value) {
  exact_accumulator<Format> sum;
  mpz_class rest = abs(value);
  for (int i = 0; rest != 0; ++i, rest >>= 32) {
    const auto word = static_cast<std::int64_t>(mpz_class(rest & 0xffffffffu).get_ui());
    sum.add_quanta(sgn(value) * word, Format::unit_exponent + 32 * i);
  }
  sum.add_counts({1, 0, 0, 0, 1});
  return sum;
}

/// Restores MPFR's exponent range when it goes.
class exponent_range {
 public:
  explicit exponent_range(mpfr_format f) {
    mpfr_set_emin(f.least() + 1);
    mpfr_set_emax(f.bias + 1);
  }
  exponent_range(const exponent_range&) = delete;
  exponent_range& operator=(const exponent_range&) = delete;
  ~exponent_range() {
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
  }
};

// Assigns by `assign(x)`, which returns MPFR's ternary value, in the format of T: its bits. Zero is +0.
template <floating_storage T, class Assign>
std::uint64_t rounded_by(Assign&& assign) {
  constexpr mpfr_format f = format_of<T>();
  const exponent_range range(f);
  mpfr_t x;
  mpfr_init2(x, f.precision);
  const int ternary = assign(x);
  mpfr_subnormalize(x, ternary, MPFR_RNDN);
  const double wide = mpfr_get_d(x, MPFR_RNDN);  // exact
  mpfr_clear(x);
  if constexpr (std::is_same_v<T, f16>) return to_f16(wide).bits;
  else if constexpr (std::is_same_v<T, bf16>) return to_bf16(wide).bits;
  else return bits_of(static_cast<T>(wide));
}

/// The bits of value * 2^exponent, correctly rounded to T.
template <floating_storage T>
std::uint64_t nearest(const mpz_class& value, int exponent) {
  return rounded_by<T>([&](mpfr_t x) { return mpfr_set_z_2exp(x, value.get_mpz_t(), exponent, MPFR_RNDN); });
}

/// The bits of a rational number, correctly rounded to T.
template <floating_storage T>
std::uint64_t nearest(const mpq_class& value) {
  return rounded_by<T>([&](mpfr_t x) { return mpfr_set_q(x, value.get_mpq_t(), MPFR_RNDN); });
}

/// The midpoint between the positive patterns `pattern` and `pattern + 1` of T.
template <floating_storage T>
mpq_class midpoint(std::uint64_t pattern) {
  constexpr mpfr_format f = format_of<T>();
  const std::uint64_t fraction = pattern & ((std::uint64_t{1} << (f.precision - 1)) - 1);
  const int field = static_cast<int>(pattern >> (f.precision - 1));
  const std::uint64_t significand = fraction | (field == 0 ? 0 : std::uint64_t{1} << (f.precision - 1));
  return scaled(mpz_class(static_cast<unsigned long>(2 * significand + 1)),
                (field == 0 ? 1 : field) - 1 + f.least() - 1);
}

/// Whether `pattern` is the square root of `square`, correctly rounded to T: by the squares of its midpoints.
template <floating_storage T>
bool is_nearest_root(const mpq_class& square, std::uint64_t pattern) {
  constexpr mpfr_format f = format_of<T>();
  const std::uint64_t infinity = ((std::uint64_t{2} * static_cast<unsigned>(f.bias)) + 1) << (f.precision - 1);
  if (pattern > infinity) return false;
  const bool even = pattern % 2 == 0;
  if (pattern < infinity) {
    const mpq_class above = midpoint<T>(pattern);
    const int order = cmp(square, mpq_class(above * above));
    if (order > 0 || (order == 0 && !even)) return false;
  }
  if (pattern == 0) return true;
  const mpq_class below = midpoint<T>(pattern - 1);
  const int order = cmp(square, mpq_class(below * below));
  return order > 0 || (order == 0 && even);
}

}  // namespace multifold::testing_oracle
