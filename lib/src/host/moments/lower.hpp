// Sums of moments to results: variances, covariances and roots in pairs of doubles with a bound on their error, which
// nearly always tells what the result rounds to; and exactly where it does not. See docs/exact-sums.md, 17.
#pragma once

#include "core/fractional_correction.hpp"
#include "core/state_record.hpp"
#include "host/exact/gather.hpp"
#include "host/fold.hpp"
#include "multifold/exact/near/near.hpp"
#include "multifold/ops/moments/finish_moments.hpp"

namespace multifold::inline v0_1::host {
namespace detail {

using multifold::detail::near_covariance_of, multifold::detail::near_of, multifold::detail::near_root;
using multifold::detail::near_value, multifold::detail::round_if_certain, multifold::detail::unknown_value;

template <class Sum>
bool all_finite(const Sum& sum) {
  return sum.counters().all_finite() && sum.counters().n > 0;
}

/// Rounds once, if that is certain. 0 is exact, and keeps its sign.
inline bool round_near(const near_value& v, dtype result, std::byte* out) {
  if (v.high != 0 || v.low != 0 || v.error != 0) return round_if_certain(v, result, out);
  round_to(exact_value::of_zero(std::signbit(v.high)), result, out);
  return true;
}

/// value 2^up, so that double need not hold it.
struct scaled_value {
  near_value value;
  int up;

  bool round(dtype type, void* out) const { return round_if_certain(value, up, type, out); }
};
inline scaled_value unknown_scaled() { return {unknown_value(), 0}; }

inline near_value near_of_scaled(exact_value v, int down) {
  v.exponent -= down;
  return near_of(v);
}

/// The power of two near a value, by which others of its kind become moderate.
inline int scale_of(const exact_value& v) { return v.zero() ? 0 : v.exponent + 127; }

/// A variance or its root: the scale is that of the squares.
inline scaled_value scaled_spread(const exact_value& x, const exact_value& squares, std::int64_t n,
                                  std::int64_t correction, bool root) {
  const int half = scale_of(squares) / 2;
  const near_value near_x = near_of_scaled(x, half);
  const near_value v = near_covariance_of(near_x, near_x, near_of_scaled(squares, 2 * half), n, correction);
  return root ? scaled_value{near_root(v), half} : scaled_value{v, 2 * half};
}

inline scaled_value scaled_root(const exact_value& squares) {
  const int half = scale_of(squares) / 2;
  return {near_root(near_of_scaled(squares, 2 * half)), half};
}

/// The result of one batch, not rounded yet; unknown if it does not come quickly.
template <class T, moment_set Set>
scaled_value quick_moments(const exact_moments<T, Set>& op, op_kind kind, const moment_sums<T, Set>& sums) {
  if constexpr (Set == moment_set::joint) {
    if (!all_finite(sums.x) || !all_finite(sums.y) || !all_finite(sums.products)) return unknown_scaled();
    const exact_value x = exact_total(sums.x), y = exact_total(sums.y);
    const int of_x = scale_of(x), of_y = scale_of(y);
    return {near_covariance_of(near_of_scaled(x, of_x), near_of_scaled(y, of_y),
                               near_of_scaled(exact_total(sums.products), of_x + of_y), sums.products.counters().n,
                               op.correction),
            of_x + of_y};
  } else if constexpr (Set == moment_set::spread) {
    if (!all_finite(sums.x) || !all_finite(sums.products)) return unknown_scaled();
    return scaled_spread(exact_total(sums.x), exact_total(sums.products), sums.products.counters().n, op.correction,
                         kind == op_kind::std);
  } else if constexpr (Set == moment_set::squares) {
    if (kind != op_kind::norm2 || !all_finite(sums.products)) return unknown_scaled();
    return scaled_root(exact_total(sums.products));
  } else {
    return unknown_scaled();
  }
}

/// The extremes of a description, where they are, and what was counted.
template <class T>
void put_marks(const description_marks<carrier_of<T>>& marks, summary& d) {
  using multifold::detail::extreme_of, multifold::detail::put_carried;
  d.nan = marks.nan;  // omitted
  d.zero = marks.zero;
  d.argmin = marks.argmin.index;
  d.argmax = marks.argmax.index;
  put_carried<T>(extreme_of<carrier_of<T>>(marks.min, false), d.min);
  put_carried<T>(extreme_of<carrier_of<T>>(marks.max, true), d.max);
}

/// How a batch was lowered, if it was.
struct quick_outcome {
  bool found;
  status fits = status::ok;
};

template <class T, moment_set Set>
quick_outcome lower_quickly(const exact_moments<T, Set>& op, const reduction& what, const moment_sums<T, Set>& sums,
                            std::byte* out) {
  if (!is_floating(what.result)) return {false};  // an integer's results need no rounding
  return {quick_moments(op, what.op, sums).round(what.result, out)};
}

/// A description in the same way; what costs little comes exactly.
template <class T>
quick_outcome lower_quickly(const exact_moments<T, moment_set::description>& op, const reduction& what,
                            const moment_sums<T, moment_set::description>& sums, std::byte* out) {
  if (!all_finite(sums.x) || !all_finite(sums.products)) return {false};
  const std::int64_t n = sums.x.counters().n;
  const exact_value total = exact_total(sums.x), squares = exact_total(sums.products);
  summary d{};
  if (!scaled_spread(total, squares, n, op.correction, true).round(what.result, d.std)) return {false};
  if (!scaled_root(squares).round(what.result, d.norm2)) return {false};
  d.count = n;
  put_marks<T>(sums.marks, d);
  const status fits = store(total, summary_sum_dtype(what.input, what.result), d.sum);
  store(exact_quotient(total, n), what.result, d.mean);
  *reinterpret_cast<summary*>(out) = d;
  return {true, fits};
}

/// One batch's sums to its result: quickly, or exactly.
template <class T, moment_set Set>
status lower_sums(const exact_moments<T, Set>& op, const lower_work& w, const moment_sums<T, Set>& sums,
                  std::byte* out) {
  if (w.what->as_records) {
    multifold::detail::state_record<exact_moments<T, Set>>::put(op, sums, w.count,
                                                                multifold::detail::record_writer(out));
    return status::ok;
  }
  const quick_outcome quick = lower_quickly(op, *w.what, sums, out);
  if (quick.found) return quick.fits;
  return store(multifold::detail::finish_any(w.what->op, op.lower(sums, w.count), w.what->initial), w.what->result,
               out);
}

}  // namespace detail

}  // namespace multifold::inline v0_1::host
