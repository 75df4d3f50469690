// From the exact sums of a set of moments to results, each rounded once. See docs/exact-sums.md, 16.
#pragma once

#include <cstdint>
#include <limits>

#include "multifold/exact/finish.hpp"
#include "multifold/exact/moments.hpp"
#include "multifold/ops/exact_sum.hpp"
#include "multifold/ops/moments/moments.hpp"
#include "multifold/summary.hpp"

namespace multifold::inline v0_1 {

/// The dtype of summary::sum beside other statistics in `result`: integers keep exact sums.
MULTIFOLD_HD constexpr dtype summary_sum_dtype(dtype input, dtype result) noexcept {
  return is_floating(input) ? result : is_unsigned(input) ? dtype::u64 : dtype::i64;
}

/// A summary that is not rounded yet; extremes as carriers.
template <storage_type T>
struct unrounded_summary {
  summary counts;
  carrier_of<T> min, max;
  exact_value sum, mean, std, norm2;
};

template <storage_type T, moment_set Set>
requires(Set != moment_set::description) MULTIFOLD_HD exact_value
    finish_scalar(op_kind op, const finished_moments<T, Set>& m, const initial_value&) {
  if constexpr (Set == moment_set::absolute) {
    return exact_total(m.sums.x);
  } else if constexpr (Set == moment_set::joint) {
    return exact_covariance(m.sums.x, m.sums.y, m.sums.products, m.correction);
  } else if constexpr (Set == moment_set::spread) {
    const exact_value variance = exact_variance(m.sums.x, m.sums.products, m.correction);
    return op == op_kind::std ? exact_root(variance) : variance;
  } else {
    const exact_value total = exact_total(m.sums.products);
    return op == op_kind::norm2 ? exact_root(total) : total;
  }
}

namespace detail {

template <storage_type T>
MULTIFOLD_HD T extreme_of(typename extremum<T>::accumulator least, bool greatest) {
  using key = key_of<T>;
  const auto k = static_cast<key>(least);
  if constexpr (floating_storage<T>) {
    if (k == least_key<key>) return bit_copy<T>(float_layout<T>::quiet_nan);
  }
  return element_of_key<T>(static_cast<key>(greatest ? ~k : k));
}

// A carrier as the element that it carries.
template <storage_type T>
MULTIFOLD_HD void put_carried(carrier_of<T> x, std::byte* out) {
  if constexpr (std::is_same_v<T, f16>) *reinterpret_cast<T*>(out) = to_f16(x);
  else if constexpr (std::is_same_v<T, bf16>) *reinterpret_cast<T*>(out) = to_bf16(x);
  else if constexpr (std::is_same_v<T, bool8>) *reinterpret_cast<T*>(out) = {static_cast<std::uint8_t>(x)};
  else *reinterpret_cast<T*>(out) = static_cast<T>(x);
}

}  // namespace detail

template <storage_type T>
MULTIFOLD_HD unrounded_summary<T> finish_scalar(op_kind, const finished_moments<T, moment_set::description>& m,
                                                const initial_value&) {
  using carrier = carrier_of<T>;
  unrounded_summary<T> d{};
  const description_marks<carrier>& marks = m.sums.marks;
  d.counts.count = m.sums.x.counters().n;
  d.counts.nan = marks.nan;
  d.counts.positive_infinity = marks.positive_infinity;
  d.counts.negative_infinity = marks.negative_infinity;
  d.counts.zero = marks.zero;
  const bool any = d.counts.count > 0;
  d.counts.argmin = any ? marks.argmin.index : -1;
  d.counts.argmax = any ? marks.argmax.index : -1;
  if (any) {
    d.min = detail::extreme_of<carrier>(marks.min, false);
    d.max = detail::extreme_of<carrier>(marks.max, true);
  }
  d.sum = exact_total(m.sums.x);
  d.mean = exact_mean(m.sums.x);
  d.std = exact_root(exact_variance(m.sums.x, m.sums.products, m.correction));
  d.norm2 = exact_root(m.sums.products);
  return d;
}

template <storage_type T>
MULTIFOLD_HD status store(const unrounded_summary<T>& d, dtype type, void* out) {
  summary rounded = d.counts;
  if (rounded.count > 0) {
    detail::put_carried<T>(d.min, rounded.min);
    detail::put_carried<T>(d.max, rounded.max);
  }
  const status fits = store(d.sum, summary_sum_dtype(dtype_of<T>, type), rounded.sum);
  store(d.mean, type, rounded.mean);
  store(d.std, type, rounded.std);
  store(d.norm2, type, rounded.norm2);
  *static_cast<summary*>(out) = rounded;
  return fits;
}

}  // namespace multifold::inline v0_1
