// Accumulators of exact sums to results: a few instructions each for pairs, and the long way for everything else.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "core/state_record.hpp"
#include "host/elements/blend.hpp"
#include "host/exact/gather.hpp"
#include "host/fold.hpp"
#include "multifold/exact/blob.hpp"
#include "multifold/exact/near/near.hpp"
#include "multifold/ops/visit.hpp"

namespace multifold::inline v0_1::host {

/// A quotient that is not 0, rounded once, if its double tells: between the middles of neighbours of Result, both round to
/// the same. False for what lies in a middle, among subnormal numbers, or is of a count beyond 2^53.
template <class Result>
MULTIFOLD_INLINE bool round_quotient(double sum, std::int64_t count, Result& out) {
  using layout = multifold::detail::float_layout<Result>;
  const double quotient = sum / static_cast<double>(count);
  bool tells = sum != 0 && count <= std::int64_t{1} << 53;
  if constexpr (sizeof(Result) < 8) {
    constexpr int dropped = 52 - layout::mantissa_bits;
    constexpr std::uint64_t rest = (std::uint64_t{1} << dropped) - 1, middle = std::uint64_t{1} << (dropped - 1);
    constexpr double least = multifold::detail::power_of_two(1 - layout::bias);
    tells = tells && (std::bit_cast<std::uint64_t>(quotient) & rest) != middle && std::fabs(quotient) >= least;
  }
  if (tells) out = multifold::detail::nearest<Result>(quotient);
  return tells;
}

template <class T, bool Omit>
struct exact_lowering {
  using op_type = exact_gather<T, Omit>;
  using accumulator = typename op_type::accumulator;

  const op_type& op;
  const lower_work& w;

  std::int64_t count_of(const accumulator& acc, std::int64_t batch) const {
    if constexpr (Omit) return acc.count;
    else return w.count_of(batch);
  }

  [[gnu::noinline]] void slowly(const accumulator& acc, std::int64_t batch, std::byte* out) const {
    op.take_exactly(acc, count_of(acc, batch), [&](const exact_sum<T>& sum) {
      store(finish_scalar(w.what->op, sum, w.what->initial), w.what->result, out);
    });
  }

  template <class Result>
  void sums() const {
    const auto* acc = reinterpret_cast<const accumulator*>(w.acc);
    std::byte* out = w.out;
    for (std::int64_t i = 0; i < w.results; ++i, ++acc, out += w.out_step) {
      if (acc->spilled() || count_of(*acc, i) == 0) slowly(*acc, i, out);
      else *reinterpret_cast<Result*>(out) = multifold::detail::nearest<Result>(acc->pair);
    }
  }

  template <class Result>
  void means() const {
    using multifold::detail::near_quotient, multifold::detail::round_if_certain;
    const auto* acc = reinterpret_cast<const accumulator*>(w.acc);
    std::byte* out = w.out;
    for (std::int64_t i = 0; i < w.results; ++i, ++acc, out += w.out_step) {
      auto& result = *reinterpret_cast<Result*>(out);
      const std::int64_t count = count_of(*acc, i);
      if (!acc->spilled() && count > 0) {
        if (acc->pair.low == 0 && round_quotient(acc->pair.high, count, result)) continue;
        if (round_if_certain(near_quotient(acc->pair, count), result)) continue;
      }
      slowly(*acc, i, out);
    }
  }

  void state() const {
    const auto& acc = *reinterpret_cast<const accumulator*>(w.acc);
    op.take_exactly(acc, count_of(acc, 0), [&](const exact_sum<T>& sum) {
      save_exact(sum, {w.out, exact_state_bytes<exact_traits<T>>});
    });
  }

  void records() const {
    const auto* acc = reinterpret_cast<const accumulator*>(w.acc);
    for (std::int64_t i = 0; i < w.results; ++i) {
      op.take_exactly(acc[i], count_of(acc[i], i), [&](const exact_sum<T>& sum) {
        multifold::detail::state_record<exact_float_sum<T>>::put(
            {}, sum, w.count_of(i), multifold::detail::record_writer(w.out + i * w.out_step));
      });
    }
  }

  template <class Result>
  void all() const {
    if (w.what->op == op_kind::mean) return means<Result>();
    if (!w.what->initial.given) return sums<Result>();
    const auto* acc = reinterpret_cast<const accumulator*>(w.acc);
    for (std::int64_t i = 0; i < w.results; ++i) slowly(acc[i], i, w.out + i * w.out_step);
  }
};

template <class T, bool Omit>
outcome lower_exactly(const void* op, const lower_work& w) {
  const exact_lowering<T, Omit> lowering{*static_cast<const exact_gather<T, Omit>*>(op), w};
  if (w.what->as_records) return lowering.records(), outcome{};
  if (w.what->as_state) return lowering.state(), outcome{};
  visit_floating(w.what->result, [&]<class Result>() { lowering.template all<Result>(); });
  return {};
}

}  // namespace multifold::inline v0_1::host
