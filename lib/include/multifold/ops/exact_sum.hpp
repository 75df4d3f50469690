// Exact sums of floating point as a fold: nothing is rounded before finish_scalar. The meaning of accuracy::exact, and
// slow; engines gather in something faster, with the same results. Specials: docs/exact-sums.md, 1.
#pragma once

#include <cstdint>

#include "multifold/exact/finish.hpp"
#include "multifold/ops.hpp"
#include "multifold/types/scalar_store.hpp"

namespace multifold::inline v0_1 {

/// Sum of T; mean is a sum that finish_scalar divides.
template <floating_storage T>
struct exact_float_sum {
  using value_type = T;
  using accumulator = exact_sum<T>;
  static constexpr bool order_free = true;

  nan_policy nan = nan_policy::propagate;

  MULTIFOLD_HD accumulator identity() const { return {}; }
  MULTIFOLD_HD accumulator lift(T x, std::int64_t) const {
    accumulator a;
    if (nan == nan_policy::propagate || !detail::unpack(x).nan) a.add(x);
    return a;
  }
  MULTIFOLD_HD accumulator combine(accumulator a, const accumulator& b) const {
    a.merge(b);
    return a;
  }
  MULTIFOLD_HD const accumulator& lower(const accumulator& a, std::int64_t) const { return a; }
};

namespace detail {

// A double is a sum of the widest kind, so an initial value is added without rounding it to anything.
template <exact_format Format>
MULTIFOLD_HD exact_value total_with(const exact_accumulator<Format>& sum, double initial) {
  exact_sum<double> wide;
  wide.add(initial);
  wide.merge(sum);
  return exact_total(wide);
}

}  // namespace detail

/// From an exact sum to the value of `op`: nothing is rounded but the tail that exact_value calls sticky.
template <exact_format Format>
MULTIFOLD_HD exact_value finish_scalar(op_kind op, const exact_accumulator<Format>& sum, const initial_value& initial) {
  if (op == op_kind::mean) return exact_mean(sum);
  return initial.given ? detail::total_with(sum, initial.real_value) : exact_total(sum);
}

/// Rounds once to a floating `type`, and writes it at `out`. An integer type takes integers that fit.
MULTIFOLD_HD inline status store(const exact_value& value, dtype type, void* out) {
  if (is_floating(type)) {
    round_to(value, type, out);
    return status::ok;
  }
  // The leading bit of an integer below 2^127 is among the top of 128 bits that end at or above the point.
  const bool whole = value.what == exact_value::kind::finite && !value.sticky &&
                     (value.zero() || (value.exponent < 0 && value.exponent > -128));
  if (!whole) return status::overflow;
  const auto magnitude = static_cast<int128_t>(value.zero() ? 0 : value.significand >> -value.exponent);
  return store(scalar::of_integer(value.negative ? -magnitude : magnitude, 0), type, out);
}

}  // namespace multifold::inline v0_1
