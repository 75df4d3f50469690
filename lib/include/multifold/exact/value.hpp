// A real number on its way from an exact sum to a result: its leading 128 bits, and whether anything follows them.
// Quotients and roots: docs/exact-sums.md, 4.
#pragma once

#include <cstdint>

#include "multifold/dtype.hpp"
#include "multifold/exact/rolled.hpp"
#include "multifold/types/wide_bits.hpp"

namespace multifold::inline v0_1 {

/// +-(significand + s) * 2^exponent with 0 < s < 4 if `sticky` and s = 0 otherwise; infinite; or not a number.
/// The highest bit of the significand is set unless the value is zero, so it rounds correctly to any format.
struct exact_value {
  enum class kind : std::uint8_t { finite, infinite, nan };
  kind what = kind::finite;
  bool negative = false;
  bool sticky = false;
  int exponent = 0;
  uint128_t significand = 0;

  MULTIFOLD_HD constexpr bool zero() const { return what == kind::finite && significand == 0; }

  MULTIFOLD_HD static constexpr exact_value of_nan() {
    exact_value v;
    v.what = kind::nan;
    return v;
  }
  MULTIFOLD_HD static constexpr exact_value of_infinity(bool negative) {
    exact_value v;
    v.what = kind::infinite;
    v.negative = negative;
    return v;
  }
  MULTIFOLD_HD static constexpr exact_value of_zero(bool negative) {
    exact_value v;
    v.negative = negative;
    return v;
  }
};

namespace detail {

struct square_root {
  std::uint64_t root;
  bool exact;
};

// The integer square root, a bit at a time: 64 bits for an argument of 127 or 128.
MULTIFOLD_HD constexpr square_root integer_root(uint128_t x) {
  uint128_t rest = 0, root = 0;
  MULTIFOLD_ROLLED
  for (int i = 126; i >= 0; i -= 2) {
    rest = (rest << 2) | ((x >> i) & 3u);
    const uint128_t trial = (root << 2) | 1u;
    root <<= 1;
    if (rest >= trial) {
      rest -= trial;
      root |= 1u;
    }
  }
  return {static_cast<std::uint64_t>(root), rest == 0};
}

}  // namespace detail

/// The quotient by n > 0, as precise as the value: still correctly rounded to any format.
MULTIFOLD_HD constexpr exact_value exact_quotient(exact_value v, std::int64_t n) {
  if (v.what != exact_value::kind::finite || v.zero()) return v;
  const auto divisor = static_cast<uint128_t>(n);
  const uint128_t quotient = v.significand / divisor;  // at least 2^127 / 2^63
  v.sticky = v.sticky || quotient * divisor != v.significand;
  const int up = 128 - detail::bit_width(quotient);
  v.significand = quotient << up;
  v.exponent -= up;
  return v;
}

/// The square root, as precise as the value: still correctly rounded to any format. NaN below zero.
MULTIFOLD_HD constexpr exact_value exact_root(exact_value v) {
  if (v.what == exact_value::kind::nan || v.zero()) return v;
  if (v.negative) return exact_value::of_nan();
  if (v.what == exact_value::kind::infinite) return v;
  if ((v.exponent & 1) != 0) {
    v.sticky = v.sticky || (v.significand & 1u) != 0;
    v.significand >>= 1;
    v.exponent += 1;
  }
  const detail::square_root root = detail::integer_root(v.significand);
  v.sticky = v.sticky || !root.exact;
  v.significand = static_cast<uint128_t>(root.root) << 64;
  v.exponent = v.exponent / 2 - 64;
  return v;
}

}  // namespace multifold::inline v0_1
