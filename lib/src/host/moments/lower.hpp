// Sums of moments to results: variances, covariances and roots in pairs of binary64 with a bound on their error, which
// nearly always tells what the result rounds to; and exactly where it does not. See docs/exact-sums.md, 17.
#pragma once

#include "core/fractional_correction.hpp"
#include "core/state_record.hpp"
#include "host/exact/gather.hpp"
#include "host/fold.hpp"
#include "multifold/exact/near.hpp"
#include "multifold/ops/finish_moments.hpp"

namespace multifold::host {
namespace detail {

using multifold::detail::near_covariance_of, multifold::detail::near_of, multifold::detail::near_root;
using multifold::detail::near_value, multifold::detail::round_if_certain, multifold::detail::unknown_value;

template <class Sum>
bool all_finite(const Sum& sum) {
  return sum.counters().all_finite() && sum.counters().n > 0;
}

/// The result of one batch, not rounded yet; unknown if it does not come quickly.
template <class T, moment_set Set>
near_value quick_moments(const exact_moments<T, Set>& op, op_kind kind, const moment_sums<T, Set>& sums) {
  if constexpr (Set == moment_set::joint) {
    if (!all_finite(sums.x) || !all_finite(sums.y) || !all_finite(sums.products)) return unknown_value();
    return near_covariance_of(near_of(exact_total(sums.x)), near_of(exact_total(sums.y)),
                              near_of(exact_total(sums.products)), sums.products.counters().n, op.correction);
  } else if constexpr (Set == moment_set::spread) {
    if (!all_finite(sums.x) || !all_finite(sums.products)) return unknown_value();
    const near_value x = near_of(exact_total(sums.x)), squares = near_of(exact_total(sums.products));
    const near_value variance = near_covariance_of(x, x, squares, sums.products.counters().n, op.correction);
    return kind == op_kind::std ? near_root(variance) : variance;
  } else if constexpr (Set == moment_set::squares) {
    if (kind != op_kind::norm2 || !all_finite(sums.products)) return unknown_value();
    return near_root(near_of(exact_total(sums.products)));
  } else {
    return unknown_value();
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
  if (!is_floating(what.result)) return {false};  // an integer's results need no rounding
  return {round_if_certain(quick_moments(op, what.op, sums), what.result, out)};
}

/// A description in the same way; what costs little comes exactly.
template <class T>
quick_outcome lower_quickly(const exact_moments<T, moment_set::description>& op, const reduction& what,
                            const moment_sums<T, moment_set::description>& sums, std::byte* out) {
  if (!all_finite(sums.x) || !all_finite(sums.products)) return {false};
  const auto& marks = sums.marks;
  const std::int64_t n = sums.x.counters().n;
  const exact_value total = exact_total(sums.x);
  const near_value x = near_of(total), squares = near_of(exact_total(sums.products));
  summary d{};
  const near_value deviation = near_root(near_covariance_of(x, x, squares, n, op.correction));
  if (!round_if_certain(deviation, what.result, d.std)) return {false};
  if (!round_if_certain(near_root(squares), what.result, d.norm2)) return {false};
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

template <class Op>
outcome lower_moments(const void* op, const lower_work& w) {
  const auto* const acc = reinterpret_cast<const typename Op::accumulator*>(w.acc);
  outcome all;
  std::byte* out = w.out;
  for (std::int64_t i = 0; i < w.results; ++i, out += w.out_step) {
    all.note(detail::lower_sums(*static_cast<const Op*>(op), w, acc[i], out), i);
  }
  return all;
}

}  // namespace multifold::host
