// Accumulators of exact sums to results: a few instructions each for pairs, and the long way for everything else.
#pragma once

#include <cmath>
#include <limits>

#include "host/blend.hpp"
#include "host/exact_gather.hpp"
#include "host/fold.hpp"
#include "multifold/exact/blob.hpp"
#include "multifold/float16.hpp"
#include "multifold/ops/visit.hpp"

namespace multifold::host {
namespace detail {

/// high + low rounded to odd: what is inexact ends in a 1, so that rounding it to any narrower format is rounding the
/// pair (Boldo and Melquiond, IEEE Transactions on Computers 57, 2008).
inline double rounded_to_odd(const exact_pair& pair) {
  const auto s = multifold::detail::add_exactly(pair.high, pair.low);
  const auto bits = std::bit_cast<std::uint64_t>(s.sum);
  const bool inexact = (s.error > 0) | (s.error < 0);
  const bool outwards = (s.error > 0) == (s.sum > 0);
  const std::uint64_t neighbour = outwards ? bits + 1 : bits - 1;
  return std::bit_cast<double>(inexact && (bits & 1u) == 0 ? neighbour : bits);
}

template <floating_storage Result>
Result rounded(const exact_pair& pair) {
  const double nearest = blend(pair.low == 0, pair.high, pair.high + pair.low);  // the sum would not keep -0
  if constexpr (std::is_same_v<Result, double>) {
    return nearest;
  } else {
    const double odd = blend(pair.low == 0, pair.high, rounded_to_odd(pair));
    if constexpr (std::is_same_v<Result, f16>) return to_f16(odd);
    else if constexpr (std::is_same_v<Result, bf16>) return to_bf16(odd);
    else return static_cast<Result>(odd);
  }
}

/// A quotient as a pair that is off by less than `error`.
struct near_pair {
  exact_pair value;
  double error;
};

/// pair / count, where that is far from the ends of the range; else an error without end.
inline near_pair quotient(const exact_pair& pair, std::int64_t count) {
  constexpr near_pair unknown{{0.0, 0.0}, std::numeric_limits<double>::infinity()};
  const auto s = multifold::detail::add_exactly(pair.high, pair.low);
  const auto n = static_cast<double>(count);
  const double q = s.sum / n;
  if (!(std::abs(q) > 0x1p-800 && std::abs(s.sum) < 0x1p1000 && count < (std::int64_t{1} << 53))) return unknown;
  const double remainder = std::fma(-q, n, s.sum);  // exact
  const double more = (remainder + s.error) / n;    // two roundings, of a relative 2^-53 each
  const auto t = multifold::detail::add_exactly(q, more);
  return {{t.sum, t.error}, std::abs(more) * 0x1p-50};
}

/// Writes the rounded quotient, unless it is too close to where rounding changes.
template <floating_storage Result>
bool round_quotient(const near_pair& q, Result& out) {
  const double off = q.value.low, error = q.error;
  if constexpr (std::is_same_v<Result, double>) {
    out = q.value.high;
    return out + (off + error) == out && out + (off - error) == out;
  } else {
    out = rounded<Result>(q.value);
    return error == 0 || (std::abs(off) > error && error < std::numeric_limits<double>::infinity());
  }
}

}  // namespace detail

template <class T, bool Omit>
struct exact_lowering {
  using op_type = exact_gather<T, Omit>;
  using accumulator = typename op_type::accumulator;

  const op_type& op;
  const lower_work& w;

  std::int64_t count_of(const accumulator& acc) const {
    if constexpr (Omit) return acc.count;
    else return w.count;
  }

  [[gnu::noinline]] void slowly(const accumulator& acc, std::byte* out) const {
    op.take_exactly(acc, count_of(acc), [&](const exact_sum<T>& sum) {
      store(finish_scalar(w.what->op, sum, w.what->initial), w.what->result, out);
    });
  }

  template <class Result>
  void sums() const {
    const auto* acc = reinterpret_cast<const accumulator*>(w.acc);
    std::byte* out = w.out;
    for (std::int64_t i = 0; i < w.results; ++i, ++acc, out += w.out_step) {
      if (acc->spilled() || count_of(*acc) == 0) slowly(*acc, out);
      else *reinterpret_cast<Result*>(out) = detail::rounded<Result>(acc->pair);
    }
  }

  template <class Result>
  void means() const {
    const auto* acc = reinterpret_cast<const accumulator*>(w.acc);
    std::byte* out = w.out;
    for (std::int64_t i = 0; i < w.results; ++i, ++acc, out += w.out_step) {
      auto& result = *reinterpret_cast<Result*>(out);
      const bool quick = !acc->spilled() && count_of(*acc) > 0 &&
                         detail::round_quotient(detail::quotient(acc->pair, count_of(*acc)), result);
      if (!quick) slowly(*acc, out);
    }
  }

  void state() const {
    const auto& acc = *reinterpret_cast<const accumulator*>(w.acc);
    op.take_exactly(acc, count_of(acc), [&](const exact_sum<T>& sum) {
      save_exact(sum, {w.out, exact_state_bytes<exact_traits<T>>});
    });
  }

  template <class Result>
  void all() const {
    if (w.what->op == op_kind::mean) return means<Result>();
    if (!w.what->initial.given) return sums<Result>();
    const auto* acc = reinterpret_cast<const accumulator*>(w.acc);
    for (std::int64_t i = 0; i < w.results; ++i) slowly(acc[i], w.out + i * w.out_step);
  }
};

template <class T, bool Omit>
status lower_exactly(const void* op, const lower_work& w) {
  const exact_lowering<T, Omit> lowering{*static_cast<const exact_gather<T, Omit>*>(op), w};
  if (w.what->as_state) return lowering.state(), status::ok;
  switch (w.what->result) {
    case dtype::f64: lowering.template all<double>(); break;
    case dtype::f32: lowering.template all<float>(); break;
    case dtype::bf16: lowering.template all<bf16>(); break;
    default: lowering.template all<f16>(); break;
  }
  return status::ok;
}

}  // namespace multifold::host
