// A double-double: two doubles whose sum is an exact sum, and that say when two are not enough. Sources: TwoSum is
// Knuth's (The Art of Computer Programming 2, 4.2.2); the pair is Dekker's (Numerische Mathematik 18, 1971).
// Proofs: docs/exact-sums.md, 5.
#pragma once

#include <cstdint>

#include "multifold/exact/accumulator.hpp"
#include "multifold/exact/uncontracted.hpp"
#include "multifold/exact/value.hpp"
#include "multifold/types/float16.hpp"

namespace multifold::inline v0_1 {

/// The sum of everything that was added is exactly high + low, unless `lost()`: what was lost has to be added
/// again, in an exact_accumulator. NaN and infinities are always lost.
///
/// About 106 bits: sums of ordinary data fit, such as 2^20 floats whose magnitudes differ by up to 2^42.
struct exact_pair {
  double high = -0.0;  // so that a sum of nothing but -0 is -0
  double low = 0.0;    // NaN: lost

  MULTIFOLD_HD constexpr bool lost() const { return low != low; }
};

namespace detail {

struct two_sum {
  double sum, error;
};

// sum + error == a + b, and sum is the rounded one; NaN in `error` if it overflows.
MULTIFOLD_HD constexpr two_sum add_exactly(double a, double b) {
  a = rounded(a);
  b = rounded(b);
  const double sum = plain_sum(a, b);
  const double b_part = plain_difference(sum, a);
  const double a_part = plain_difference(sum, b_part);
  return {sum, plain_sum(plain_difference(a, a_part), plain_difference(b, b_part))};
}

// a + b if that is exact, else NaN. The larger one's part is exact, and tells.
MULTIFOLD_HD constexpr double add_or_lose(double a, double b) {
  a = rounded(a);
  b = rounded(b);
  const double sum = plain_sum(a, b);
  const double nothing = bit_copy<double>(std::uint64_t{0x7ff8000000000000});
  return plain_difference(sum, a) == b && plain_difference(sum, b) == a ? sum : nothing;
}

}  // namespace detail

MULTIFOLD_HD constexpr exact_pair operator+(const exact_pair& pair, double x) {
  const detail::two_sum s = detail::add_exactly(pair.high, x);
  return {s.sum, detail::add_or_lose(pair.low, s.error)};
}

MULTIFOLD_HD constexpr exact_pair operator+(const exact_pair& a, const exact_pair& b) {
  const detail::two_sum s = detail::add_exactly(a.high, b.high);
  return {s.sum, detail::add_or_lose(detail::add_or_lose(a.low, b.low), s.error)};
}

namespace detail {

// The pair with all of its sum in `high` that fits there: |low| is then at most half of the last place of `high`.
MULTIFOLD_HD constexpr exact_pair tightened(const exact_pair& pair) {
  if (pair.low == 0) return pair;  // keeps the sign of a zero
  const two_sum s = add_exactly(pair.high, pair.low);
  return {s.sum, s.error};
}

// `sum`, which is that of the pair, unless `high` is all of it: its sum with 0 would not keep -0.
MULTIFOLD_HD constexpr double high_or_sum(const exact_pair& pair, double sum) {
#if defined(__CUDA_ARCH__)
  return pair.low == 0 ? pair.high : sum;
#else
  // A mask, where compilers make a branch that is hard to predict.
  const std::uint64_t whole = std::uint64_t{0} - static_cast<std::uint64_t>(pair.low == 0);
  return bit_copy<double>((bit_copy<std::uint64_t>(pair.high) & whole) | (bit_copy<std::uint64_t>(sum) & ~whole));
#endif
}

// x + rest rounded to odd, where the rest is less than the distance to the next number: what is inexact ends in a 1, so
// that rounding it to any format of at most 51 bits is rounding the sum (Boldo and Melquiond, IEEE Transactions on
// Computers 57, 2008).
MULTIFOLD_HD constexpr double odd_of(double x, double rest) {
  const auto bits = bit_copy<std::uint64_t>(x);
  const bool inexact = (rest > 0) | (rest < 0);
  const bool outwards = (rest > 0) == (x > 0);
  const std::uint64_t neighbour = outwards ? bits + 1 : bits - 1;
  return bit_copy<double>(inexact && (bits & 1u) == 0 ? neighbour : bits);
}

// high + low rounded to odd.
MULTIFOLD_HD constexpr double rounded_to_odd(const exact_pair& pair) {
  const two_sum s = add_exactly(pair.high, pair.low);
  return high_or_sum(pair, odd_of(s.sum, s.error));
}

template <floating_storage T>
MULTIFOLD_HD constexpr T nearest(double x) {
  if constexpr (std::is_same_v<T, f16>) return to_f16(x);
  else if constexpr (std::is_same_v<T, bf16>) return to_bf16(x);
  else return static_cast<T>(x);
}

// The pair, which is not lost, rounded once.
template <floating_storage T>
MULTIFOLD_HD constexpr T nearest(const exact_pair& pair) {
  if constexpr (std::is_same_v<T, double>) return high_or_sum(pair, plain_sum(rounded(pair.high), rounded(pair.low)));
  else return nearest<T>(rounded_to_odd(pair));
}

template <floating_storage T>
MULTIFOLD_HD constexpr bool same_bits(T a, T b) {
  using bits = typename float_layout<T>::bits_type;
  return bit_copy<bits>(a) == bit_copy<bits>(b);
}

// A finite double as value * 2^exponent.
struct whole_quanta {
  std::int64_t value;
  int exponent;
};
MULTIFOLD_HD constexpr whole_quanta quanta_of(double x) {
  const unpacked parts = unpack(x);
  const auto magnitude = static_cast<std::int64_t>(parts.significand);
  return {parts.negative ? -magnitude : magnitude, float_layout<double>::least_exponent + parts.position};
}

}  // namespace detail

/// The pair, which is not lost, as a value that rounds correctly to any format.
MULTIFOLD_HD constexpr exact_value value_of(const exact_pair& pair) {
  // Beside one that large the sum may be beyond double. Then the low part is so large that its half is exact, too.
  const bool huge = (pair.high >= 0x1p1022 || pair.high <= -0x1p1022) && (pair.low > 1 || pair.low < -1);
  const double unit = huge ? 0.5 : 1.0;
  const exact_pair tight = detail::tightened({pair.high * unit, pair.low * unit});
  exact_value v;
  v.negative = (bit_copy<std::uint64_t>(tight.high) >> 63) != 0;
  if (tight.high == 0) return v;
  const detail::unpacked high = detail::unpack(tight.high), low = detail::unpack(tight.low);
  const int width = detail::bit_width(high.significand);
  // The high part's leading bit becomes bit 126; the low part reaches it at most by one.
  v.significand = static_cast<uint128_t>(high.significand) << (127 - width);
  v.exponent = detail::float_layout<double>::least_exponent + high.position - (127 - width) + (huge ? 1 : 0);
  const int down = high.position - (127 - width) - low.position;  // places that the low part moves, to the right
  uint128_t part = low.significand;
  if (down > 127) {
    v.sticky = part != 0;
    part = 0;
  } else if (down > 0) {
    v.sticky = ((part >> down) << down) != part;
    part >>= down;
  } else {
    part <<= -down;
  }
  if (low.negative == high.negative || low.zero()) {
    v.significand += part;
  } else {
    v.significand -= part;
    if (v.sticky) v.significand -= 1;  // a little less is one less and a little more
  }
  const int up = 128 - detail::bit_width(v.significand);
  v.significand <<= up;
  v.exponent -= up;
  return v;
}

/// Adds the sum of `count` inputs that a pair holds, which is not lost. Throws: as add_quanta.
template <exact_format Format>
MULTIFOLD_HD void add_pair(exact_accumulator<Format>& sum, const exact_pair& pair, std::int64_t count) {
  const bool only_negative_zeros = pair.high == 0 && (bit_copy<std::uint64_t>(pair.high) >> 63) != 0 && pair.low == 0;
  sum.add_counts({count, 0, 0, 0, count > 0 && !only_negative_zeros});
  for (const double part : {pair.high, pair.low}) {
    const detail::whole_quanta q = detail::quanta_of(part);
    sum.add_quanta(q.value, q.exponent);
  }
}

}  // namespace multifold::inline v0_1
