// A bank: N lanes side by side, each gathering its own elements. Loops over lanes are what the compiler vectorises, and
// their number is part of the result's bits, so it is the same for every SIMD level.
#pragma once

#include <cstdint>

#include "host/packed.hpp"
#include "multifold/ops/visit.hpp"

namespace multifold::host {

/// Elements that a lane may gather before it must be taken: within every lane_capacity, and short enough that rounding
/// errors do not pile up.
inline constexpr std::int64_t lane_run = 1 << 15;

#define MULTIFOLD_INLINE [[gnu::always_inline]] inline

template <class Op, int N>
struct bank {
  using T = typename Op::value_type;
  using lane = lane_of<Op>;
  using accumulator = typename Op::accumulator;
  static constexpr std::int64_t capacity = lane_run;
  static_assert(lane_run <= lane::capacity);

  typename lane::type lanes[N];

  MULTIFOLD_INLINE void clear(const Op& op) {
    for (int j = 0; j < N; ++j) lanes[j] = lane::identity(op);
  }

  /// One element into each of the first n lanes; `turn` counts such calls since clear.
  MULTIFOLD_INLINE void absorb(const Op& op, const packed<T>* x, int n, std::int64_t) {
    for (int j = 0; j < n; ++j) lanes[j] = lane::absorb(op, lanes[j], x[j].value, 0);
  }

  /// The same for a block of N of which only the first n count: no loop of variable length.
  MULTIFOLD_INLINE void absorb_some(const Op& op, const packed<T>* x, int n) {
    for (int j = 0; j < N; ++j) {
      const auto next = lane::absorb(op, lanes[j], x[j].value, 0);
      lanes[j] = j < n ? next : lanes[j];
    }
  }

  MULTIFOLD_INLINE accumulator take(const Op& op, int j, std::int64_t, std::int64_t) const {
    return lane::widen(op, lanes[j]);
  }

  /// All lanes as one, by halving. Only for banks of at most lane_run elements altogether.
  MULTIFOLD_INLINE accumulator fold(const Op& op) {
    halve<N / 2>(op);
    return lane::widen(op, lanes[0]);
  }

 private:
  template <int Width>
  MULTIFOLD_INLINE void halve(const Op& op) {
    for (int j = 0; j < Width; ++j) lanes[j] = together(op, lanes[j], lanes[j + Width]);
    if constexpr (Width > 1) halve<Width / 2>(op);
  }

  template <class Lane>
  MULTIFOLD_INLINE static Lane together(const Op& op, Lane a, Lane b) {
    if constexpr (requires { Op::wide; }) return a + b;  // integer sums: lane_run elements fit one lane
    else if constexpr (has_lane<Op>) return b < a ? b : a;
    else return op.combine(a, b);
  }
};

/// Sums of 64-bit integers in two halves of 64 bits each, which vectorise where 128 bits do not.
template <class Op, int N>
requires(requires { requires Op::wide; }) struct bank<Op, N> {
  using T = typename Op::value_type;
  using accumulator = typename Op::accumulator;
  static constexpr std::int64_t capacity = lane_run;

  std::uint64_t low[N];
  T high[N];

  MULTIFOLD_INLINE void clear(const Op&) {
    for (int j = 0; j < N; ++j) low[j] = 0;
    for (int j = 0; j < N; ++j) high[j] = 0;
  }
  MULTIFOLD_INLINE void absorb(const Op&, const packed<T>* x, int n, std::int64_t) {
    for (int j = 0; j < n; ++j) {
      low[j] += static_cast<std::uint64_t>(x[j].value) & 0xffffffffu;
      high[j] += static_cast<T>(x[j].value >> 32);
    }
  }
  MULTIFOLD_INLINE void absorb_some(const Op&, const packed<T>* x, int n) {
    for (int j = 0; j < N; ++j) {
      const T value = j < n ? x[j].value : T{0};
      low[j] += static_cast<std::uint64_t>(value) & 0xffffffffu;
      high[j] += static_cast<T>(value >> 32);
    }
  }
  MULTIFOLD_INLINE accumulator take(const Op&, int j, std::int64_t, std::int64_t) const {
    return static_cast<int128_t>(high[j]) * (int128_t{1} << 32) + low[j];
  }
  MULTIFOLD_INLINE accumulator fold(const Op&) {
    std::uint64_t l = 0;
    T h = 0;
    for (int j = 0; j < N; ++j) l += low[j];
    for (int j = 0; j < N; ++j) h += high[j];
    return static_cast<int128_t>(h) * (int128_t{1} << 32) + l;
  }
};

/// Sums that count what they do not omit.
template <class T, int N>
struct bank<float_sum_omit<T>, N> {
  using op_type = float_sum_omit<T>;
  using accumulator = typename op_type::accumulator;
  static constexpr std::int64_t capacity = lane_run;

  double sum[N];
  std::int64_t count[N];

  MULTIFOLD_INLINE void clear(const op_type&) {
    for (int j = 0; j < N; ++j) sum[j] = -0.0;
    for (int j = 0; j < N; ++j) count[j] = 0;
  }
  MULTIFOLD_INLINE void absorb(const op_type&, const packed<T>* x, int n, std::int64_t) {
    for (int j = 0; j < n; ++j) put(j, to_double(x[j].value), true);
  }
  MULTIFOLD_INLINE void absorb_some(const op_type&, const packed<T>* x, int n) {
    for (int j = 0; j < N; ++j) put(j, to_double(x[j].value), j < n);
  }
  MULTIFOLD_INLINE accumulator take(const op_type&, int j, std::int64_t, std::int64_t) const {
    return {sum[j], count[j]};
  }
  MULTIFOLD_INLINE accumulator fold(const op_type&) {
    halve<N / 2>();
    return {sum[0], count[0]};
  }

 private:
  MULTIFOLD_INLINE void put(int j, double x, bool counts) {
    const bool number = counts & (x == x);
    sum[j] += number ? x : -0.0;
    count[j] += number ? 1 : 0;
  }
  template <int Width>
  MULTIFOLD_INLINE void halve() {
    for (int j = 0; j < Width; ++j) sum[j] += sum[j + Width];
    for (int j = 0; j < Width; ++j) count[j] += count[j + Width];
    if constexpr (Width > 1) halve<Width / 2>();
  }
};

}  // namespace multifold::host
