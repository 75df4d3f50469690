// Sums of moments to results: variances, covariances and roots in pairs of binary64 with a bound on their error, which
// nearly always tells what the result rounds to; and exactly where it does not.
#pragma once

#include <cmath>

#include "host/exact_lower.hpp"
#include "host/fold.hpp"
#include "multifold/ops/finish_moments.hpp"

namespace multifold::host {
namespace detail {

/// (value.high + value.low + e) * 2^exponent with |e| <= error, for a high part that is neither huge nor tiny.
struct scaled_pair {
  exact_pair value;
  double error;
  int exponent;
};

inline exact_pair normalised(double high, double low) {
  const double sum = high + low;
  return {sum, low - (sum - high)};
}

/// The leading 106 bits, in [1, 2): off by less than 2^-105. Zero is zero.
inline scaled_pair scaled(const exact_value& v) {
  if (v.zero()) return {{0, 0}, 0, 0};
  const auto high = static_cast<double>(static_cast<std::uint64_t>(v.significand >> 75));
  const auto low =
      static_cast<double>(static_cast<std::uint64_t>(v.significand >> 22) & ((std::uint64_t{1} << 53) - 1));
  const double sign = v.negative ? -1 : 1;
  return {{sign * 0x1p-52 * high, sign * 0x1p-105 * low}, 0x1p-105, v.exponent + 127};
}

/// The product of two pairs, off by less than 2^-102 of it apart from their own errors: errors of 2^-105 of each double
/// that, at most.
inline exact_pair product(const exact_pair& a, const exact_pair& b) {
  const double p = a.high * b.high, e = std::fma(a.high, b.high, -p);
  return normalised(p, e + (a.high * b.low + a.low * b.high));
}

/// n P - S T over n (n - correction). Each of the two products is off by less than 2^-100 of itself and their
/// difference by less than 2^-101 of both; the quotient by 2^-100 of itself, and the bounds here are four times as
/// wide. Infinite error if it is not worth it.
inline scaled_pair quick_covariance(const scaled_pair& s, const scaled_pair& t, const scaled_pair& p, std::int64_t n,
                                    std::int64_t correction) {
  constexpr scaled_pair unknown{{0, 0}, std::numeric_limits<double>::infinity(), 0};
  constexpr std::int64_t most = std::int64_t{1} << 52;
  if (n > most || correction < -most || correction >= n || p.value.high == 0) return unknown;
  const int shift = s.exponent + t.exponent - p.exponent;
  if (shift > 900 || p.exponent < -900 || p.exponent > 900) return unknown;
  const double count = static_cast<double>(n), freedom = static_cast<double>(n - correction);
  const exact_pair a = product(p.value, {count, 0});
  exact_pair b = product(s.value, t.value);
  const double scale = shift < -900 ? 0.0 : std::ldexp(1.0, shift);
  b = {b.high * scale, b.low * scale};
  const auto top = multifold::detail::add_exactly(a.high, -b.high);
  const exact_pair d = normalised(top.sum, top.error + (a.low - b.low));
  const exact_pair divisor = product({count, 0}, {freedom, 0});  // exact
  const double q = d.high / divisor.high;
  const double rest = std::fma(-q, divisor.high, d.high) + (d.low - q * divisor.low);
  const exact_pair value = normalised(q, rest / divisor.high);
  const double error = 0x1p-98 * (std::abs(a.high) + std::abs(b.high)) / divisor.high + 0x1p-98 * std::abs(q);
  return {value, error, p.exponent};
}

/// The square root, off by less than 2^-100 of it beside what its argument is off by.
inline scaled_pair quick_root(scaled_pair x) {
  if (x.exponent % 2 != 0) x = {{2 * x.value.high, 2 * x.value.low}, 2 * x.error, x.exponent - 1};
  if (!(x.value.high > 0 && x.error < x.value.high / 4)) return {{0, 0}, std::numeric_limits<double>::infinity(), 0};
  const double root = std::sqrt(x.value.high);
  const double rest = std::fma(-root, root, x.value.high) + x.value.low;
  return {normalised(root, rest / (2 * root)), x.error / root + 0x1p-98 * root, x.exponent / 2};
}

/// Whether all that x may be rounds to the same Result, which is then in `out`, and normal.
template <floating_storage Result>
bool round_scaled(const scaled_pair& x, Result& out) {
  using layout = multifold::detail::float_layout<Result>;
  const double magnitude = std::abs(x.value.high);
  if (!(x.error < 0x1p-40 * magnitude && magnitude > 0x1p-900 && magnitude < 0x1p900)) return false;
  const int exponent = std::ilogb(magnitude) + x.exponent;
  if (exponent < 3 - layout::bias || exponent > layout::bias - 3 || exponent < -850) return false;
  const double high = std::ldexp(x.value.high, x.exponent), low = std::ldexp(x.value.low, x.exponent);
  const double error = std::ldexp(x.error, x.exponent);
  if constexpr (std::is_same_v<Result, double>) {
    out = high + (low + error);
    return high + (low - error) == out;
  } else {
    out = rounded<Result>(exact_pair{high, low + error});
    const Result other = rounded<Result>(exact_pair{high, low - error});
    return to_double(out) == to_double(other);
  }
}

template <class Sum>
bool all_finite(const Sum& sum) {
  return sum.counters().all_finite() && sum.counters().n > 0;
}

/// The result of one batch, if it comes quickly; not rounded yet.
template <class T, moment_set Set>
bool quick_moments(const exact_moments<T, Set>& op, op_kind kind, const moment_sums<T, Set>& sums, scaled_pair& out) {
  if constexpr (Set == moment_set::joint) {
    if (!all_finite(sums.x) || !all_finite(sums.y) || !all_finite(sums.products)) return false;
    out = quick_covariance(scaled(exact_total(sums.x)), scaled(exact_total(sums.y)), scaled(exact_total(sums.products)),
                           sums.products.counters().n, op.correction);
    return true;
  } else if constexpr (Set == moment_set::spread) {
    if (!all_finite(sums.x) || !all_finite(sums.products)) return false;
    const scaled_pair x = scaled(exact_total(sums.x));
    out = quick_covariance(x, x, scaled(exact_total(sums.products)), sums.products.counters().n, op.correction);
    if (kind == op_kind::std) out = quick_root(out);
    return true;
  } else if constexpr (Set == moment_set::squares) {
    if (kind != op_kind::norm2 || !all_finite(sums.products)) return false;
    out = quick_root(scaled(exact_total(sums.products)));
    return true;
  } else {
    return false;
  }
}

inline bool round_scaled(const scaled_pair& x, dtype result, std::byte* out) {
  switch (result) {
    case dtype::f64: return round_scaled(x, *reinterpret_cast<double*>(out));
    case dtype::f32: return round_scaled(x, *reinterpret_cast<float*>(out));
    case dtype::bf16: return round_scaled(x, *reinterpret_cast<bf16*>(out));
    case dtype::f16: return round_scaled(x, *reinterpret_cast<f16*>(out));
    default: return false;
  }
}

/// How a batch was lowered, if it was.
struct quick_outcome {
  bool found;
  status fits = status::ok;
};

template <class T, moment_set Set>
quick_outcome lower_quickly(const exact_moments<T, Set>& op, const reduction& what, const moment_sums<T, Set>& sums,
                            std::byte* out) {
  scaled_pair found;
  return {quick_moments(op, what.op, sums, found) && round_scaled(found, what.result, out)};
}

/// A description in the same way; what costs little comes exactly.
template <class T>
quick_outcome lower_quickly(const exact_moments<T, moment_set::description>& op, const reduction& what,
                            const moment_sums<T, moment_set::description>& sums, std::byte* out) {
  if (!all_finite(sums.x) || !all_finite(sums.products)) return {false};
  const auto& marks = sums.marks;
  const std::int64_t n = sums.x.counters().n;
  const exact_value total = exact_total(sums.x);
  const scaled_pair x = scaled(total), squares = scaled(exact_total(sums.products));
  summary d{};
  if (!round_scaled(quick_root(quick_covariance(x, x, squares, n, op.correction)), what.result, d.std)) return {false};
  if (!round_scaled(quick_root(squares), what.result, d.norm2)) return {false};
  d.count = n;
  d.nan = marks.nan;  // omitted
  d.zero = marks.zero;
  d.argmin = marks.argmin.index;
  d.argmax = marks.argmax.index;
  using multifold::detail::extreme_of, multifold::detail::put_carried;
  put_carried<T>(extreme_of<carrier_of<T>>(marks.min, false), d.min);
  put_carried<T>(extreme_of<carrier_of<T>>(marks.max, true), d.max);
  const status fits = store(total, summary_sum_dtype(what.input, what.result), d.sum);
  store(exact_quotient(total, n), what.result, d.mean);
  *reinterpret_cast<summary*>(out) = d;
  return {true, fits};
}

}  // namespace detail

template <class Op>
status lower_moments(const void* op, const lower_work& w) {
  const auto* const acc = reinterpret_cast<const typename Op::accumulator*>(w.acc);
  const auto& moments = *static_cast<const Op*>(op);
  status worst = status::ok;
  std::byte* out = w.out;
  for (std::int64_t i = 0; i < w.results; ++i, out += w.out_step) {
    const detail::quick_outcome quick = detail::lower_quickly(moments, *w.what, acc[i], out);
    status s = quick.fits;
    if (!quick.found) {
      const auto lowered = moments.lower(acc[i], w.count);
      s = store(finish_scalar(w.what->op, lowered, w.what->initial), w.what->result, out);
    }
    if (s > worst) worst = s;
  }
  return worst;
}

}  // namespace multifold::host
