// Accumulators to results: one store per result, and the worst that happened to one.
#pragma once

#include <limits>

#include "core/state_record.hpp"
#include "host/elements/blend.hpp"
#include "host/fold.hpp"
#include "multifold/ops/visit.hpp"

namespace multifold::inline v0_1::host {

/// Sums, products and means of reals without an initial value, in a few instructions each: where rows are short this is
/// most of the work. Does what finish_scalar and store do.
template <class Result>
void lower_reals(const lower_work& w) {
  const auto* const acc = reinterpret_cast<const double*>(w.acc);
  const auto put = [&](std::int64_t i, double divisor) {
    const auto x = static_cast<Result>(acc[i] / divisor);
    *reinterpret_cast<Result*>(w.out + i * w.out_step) = blend(x == x, x, std::numeric_limits<Result>::quiet_NaN());
  };
  const bool divides = w.what->op == op_kind::mean;
  if (divides && w.counts != nullptr) {
    for (std::int64_t i = 0; i < w.results; ++i) put(i, static_cast<double>(w.counts[i]));
  } else {
    const double divisor = divides ? static_cast<double>(w.count) : 1.0;
    for (std::int64_t i = 0; i < w.results; ++i) put(i, divisor);
  }
}

/// Accumulators to records of a state, where their operation has any.
template <class Op>
outcome record_accumulators(const Op& op, const lower_work& w) {
  if constexpr (multifold::detail::has_state_record<Op>) {
    const auto* const acc = reinterpret_cast<const typename Op::accumulator*>(w.acc);
    for (std::int64_t i = 0; i < w.results; ++i) {
      multifold::detail::state_record<Op>::put(op, acc[i], w.count_of(i),
                                               multifold::detail::record_writer(w.out + i * w.out_step));
    }
  }
  return {};
}

template <class Op>
outcome lower_accumulators(const void* op, const lower_work& w) {
  if (w.what->as_records) return record_accumulators(*static_cast<const Op*>(op), w);
  if constexpr (std::is_same_v<typename Op::accumulator, double>) {
    const bool plain = (w.counts != nullptr || w.count > 0) && !w.what->initial.given;
    if (plain && w.what->result == dtype::f32) return lower_reals<float>(w), outcome{};
    if (plain && w.what->result == dtype::f64) return lower_reals<double>(w), outcome{};
  }
  const Op& o = *static_cast<const Op*>(op);
  const auto* const acc = reinterpret_cast<const typename Op::accumulator*>(w.acc);
  outcome all;
  std::byte* out = w.out;
  for (std::int64_t i = 0; i < w.results; ++i, out += w.out_step) {
    const scalar value = finish_scalar(w.what->op, o.lower(acc[i], w.count_of(i)), w.what->initial);
    all.note(store(value, w.what->result, out), i);
  }
  return all;
}

}  // namespace multifold::inline v0_1::host
