// A bank: N lanes side by side, each gathering its own elements. Loops over lanes are what the compiler vectorises, and
// their number is part of the result's bits, so it is the same for every SIMD level.
#pragma once

#include <cstdint>

#include "host/elements/widened.hpp"

namespace multifold::inline v0_1::host {

/// Elements that a lane may gather before it must be taken: within every lane_capacity, and short enough that rounding
/// errors do not pile up.
inline constexpr std::int64_t lane_run = 1 << 15;

template <class Op, int N>
struct bank {
  using T = typename Op::value_type;
  using lane = lane_of<Op>;
  using accumulator = typename Op::accumulator;
  static constexpr std::int64_t capacity = lane_run;
  static_assert(lane_run <= lane::capacity);

  typename lane::type lanes[N];

  MULTIFOLD_INLINE void clear(const Op& op, int n) {
    for (int j = 0; j < n; ++j) lanes[j] = lane::identity(op);
  }

  /// Element j into lane j, for lanes [first, last); `turn` counts the elements of a lane since clear.
  MULTIFOLD_INLINE void absorb(const Op& op, const packed<T>* x, int first, int last, std::int64_t) {
    if constexpr (std::is_same_v<typename lane::type, double>) {
      for_each_widened<N>(x, first, last, [&](int j, auto value) { lanes[j] = step(op, lanes[j], value); });
    } else {
      for (int j = first; j < last; ++j) lanes[j] = lane::absorb(op, lanes[j], x[j].value, 0);
    }
  }

  /// The same for a block of N of which only the first n count: no loop of variable length.
  MULTIFOLD_INLINE void absorb_some(const Op& op, const packed<T>* x, int n) {
    if constexpr (std::is_same_v<typename lane::type, double>) {
      for_each_widened<N>(x, 0, N,
                          [&](int j, auto value) { lanes[j] = blend(j < n, step(op, lanes[j], value), lanes[j]); });
    } else {
      for (int j = 0; j < N; ++j) {
        const auto next = lane::absorb(op, lanes[j], x[j].value, 0);
        lanes[j] = blend(j < n, next, lanes[j]);
      }
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

/// Sums of bytes in 16 bits, which are widened before they are full.
template <class T, int N>
requires(sizeof(T) == 1) struct bank<integer_sum<T>, N> {
  using op_type = integer_sum<T>;
  using accumulator = typename op_type::accumulator;
  using wide = typename op_type::lane;
  using narrow = std::conditional_t<op_type::no_sign, std::uint16_t, std::int16_t>;
  static constexpr std::int64_t capacity = lane_run;
  static constexpr std::int64_t narrow_turns = 64;  // of at most 255; one more may come from absorb_some

  narrow few[N];
  wide many[N];

  MULTIFOLD_INLINE void clear(const op_type&, int n) {
    for (int j = 0; j < n; ++j) few[j] = 0;
    for (int j = 0; j < n; ++j) many[j] = 0;
  }
  MULTIFOLD_INLINE void absorb(const op_type& op, const packed<T>* x, int first, int last, std::int64_t turn) {
    if (turn % narrow_turns == narrow_turns - 1) widen(first, last);
    for (int j = first; j < last; ++j) few[j] = static_cast<narrow>(few[j] + value(op, x[j].value));
  }
  MULTIFOLD_INLINE void absorb_some(const op_type& op, const packed<T>* x, int n) {
    for (int j = 0; j < N; ++j) few[j] = static_cast<narrow>(few[j] + blend(j < n, value(op, x[j].value), narrow{0}));
  }
  MULTIFOLD_INLINE accumulator take(const op_type&, int j, std::int64_t, std::int64_t) const {
    return static_cast<wide>(many[j] + few[j]);
  }
  MULTIFOLD_INLINE accumulator fold(const op_type&) {
    widen(0, N);
    halve<N / 2>();
    return many[0];
  }

 private:
  MULTIFOLD_INLINE static narrow value(const op_type& op, T x) {
    return static_cast<narrow>(op.absorb(op.lane_identity(), x, 0));
  }
  MULTIFOLD_INLINE void widen(int first, int last) {
    for (int j = first; j < last; ++j) many[j] += few[j];
    for (int j = first; j < last; ++j) few[j] = 0;
  }
  template <int Width>
  MULTIFOLD_INLINE void halve() {
    for (int j = 0; j < Width; ++j) many[j] += many[j + Width];
    if constexpr (Width > 1) halve<Width / 2>();
  }
};

/// Sums of 64-bit integers by two sums of 64 bits each, which vectorise where 128 bits do not: modulo 2^64, and of upper
/// halves, rounded down, which is too little by less than 2^32 an element.
template <class Op, int N>
requires(requires { requires Op::wide; }) struct bank<Op, N> {
  using T = typename Op::value_type;
  using accumulator = typename Op::accumulator;
  static constexpr std::int64_t capacity = lane_run;

  std::uint64_t whole[N];
  T high[N];

  MULTIFOLD_INLINE void clear(const Op&, int n) {
    for (int j = 0; j < n; ++j) whole[j] = 0;
    for (int j = 0; j < n; ++j) high[j] = 0;
  }
  MULTIFOLD_INLINE void absorb(const Op&, const packed<T>* x, int first, int last, std::int64_t) {
    for (int j = first; j < last; ++j) {
      whole[j] += static_cast<std::uint64_t>(x[j].value);
      high[j] += static_cast<T>(x[j].value >> 32);
    }
  }
  MULTIFOLD_INLINE void absorb_some(const Op&, const packed<T>* x, int n) {
    for (int j = 0; j < N; ++j) {
      const T value = blend(j < n, T{x[j].value}, T{0});
      whole[j] += static_cast<std::uint64_t>(value);
      high[j] += static_cast<T>(value >> 32);
    }
  }
  MULTIFOLD_INLINE accumulator take(const Op&, int j, std::int64_t, std::int64_t) const {
    return together(whole[j], high[j]);
  }
  MULTIFOLD_INLINE accumulator fold(const Op&) {
    std::uint64_t w = 0;
    T h = 0;
    for (int j = 0; j < N; ++j) w += whole[j];
    for (int j = 0; j < N; ++j) h += high[j];
    return together(w, h);
  }

 private:
  MULTIFOLD_INLINE static accumulator together(std::uint64_t whole, T high) {
    const std::uint64_t low = whole - (static_cast<std::uint64_t>(high) << 32);
    return static_cast<int128_t>(high) * (int128_t{1} << 32) + low;
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

  MULTIFOLD_INLINE void clear(const op_type&, int n) {
    for (int j = 0; j < n; ++j) sum[j] = -0.0;
    for (int j = 0; j < n; ++j) count[j] = 0;
  }
  MULTIFOLD_INLINE void absorb(const op_type&, const packed<T>* x, int first, int last, std::int64_t) {
    for_each_widened<N>(x, first, last, [&](int j, auto element) { put(j, to_double(element), true); });
  }
  MULTIFOLD_INLINE void absorb_some(const op_type&, const packed<T>* x, int n) {
    for_each_widened<N>(x, 0, N, [&](int j, auto element) { put(j, to_double(element), j < n); });
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
    sum[j] += blend(number, x, -0.0);
    count[j] += number ? 1 : 0;
  }
  template <int Width>
  MULTIFOLD_INLINE void halve() {
    for (int j = 0; j < Width; ++j) sum[j] += sum[j + Width];
    for (int j = 0; j < Width; ++j) count[j] += count[j + Width];
    if constexpr (Width > 1) halve<Width / 2>();
  }
};

}  // namespace multifold::inline v0_1::host
