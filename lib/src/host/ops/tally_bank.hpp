// Lanes of counts, which are as wide as elements are, so that vectors hold as many of the one as of the other.
#pragma once

#include <limits>

#include "host/kernels/bank.hpp"
#include "multifold/ops/tally.hpp"

namespace multifold::inline v0_1::host {

template <class C, int N>
struct bank<tally<C>, N> {
  using op_type = tally<C>;
  using accumulator = typename op_type::accumulator;
  using counter = bits_of<sizeof(C)>;
  static constexpr std::int64_t capacity = lane_run;
  static constexpr bool fills = sizeof(C) == 1;  // and is emptied before it is full
  static_assert(fills || lane_run <= std::numeric_limits<counter>::max());
  static constexpr std::int64_t turns_to_fill = 254;  // one more may come from absorb_some

  counter few[N];
  std::uint16_t many[fills ? N : 1];

  MULTIFOLD_INLINE void clear(const op_type&, int n) {
    for (int j = 0; j < n; ++j) few[j] = 0;
    if constexpr (fills) {
      for (int j = 0; j < n; ++j) many[j] = 0;
    }
  }
  MULTIFOLD_INLINE void absorb(const op_type& op, const packed<C>* x, int first, int last, std::int64_t turn) {
    if constexpr (fills) {
      if (turn % turns_to_fill == turns_to_fill - 1) empty(first, last);
    }
    for (int j = first; j < last; ++j) few[j] = static_cast<counter>(few[j] + one_of(op, x[j].value));
  }
  MULTIFOLD_INLINE void absorb_some(const op_type& op, const packed<C>* x, int n) {
    for (int j = 0; j < N; ++j)
      few[j] = static_cast<counter>(few[j] + blend(j < n, one_of(op, x[j].value), counter{0}));
  }
  MULTIFOLD_INLINE accumulator take(const op_type&, int j, std::int64_t, std::int64_t) const {
    if constexpr (fills) return many[j] + few[j];
    else return static_cast<accumulator>(few[j]);
  }
  MULTIFOLD_INLINE accumulator fold(const op_type&) {
    if constexpr (fills) {
      empty(0, N);
      halve<N / 2>(many);
      return many[0];
    } else {
      halve<N / 2>(few);
      return static_cast<accumulator>(few[0]);
    }
  }

 private:
  // Of bytes the lesser of the byte and 1, which GCC vectorises: of a comparison it does not, at a tenth of the speed.
  MULTIFOLD_INLINE static counter one_of(const op_type& op, C x) {
    if constexpr (fills) return x.bits < 1 ? x.bits : counter{1};
    else return op.counts(x) ? 1 : 0;
  }
  MULTIFOLD_INLINE void empty(int first, int last) {
    for (int j = first; j < last; ++j) many[j] = static_cast<std::uint16_t>(many[j] + few[j]);
    for (int j = first; j < last; ++j) few[j] = 0;
  }
  template <int Width, class Counter>
  MULTIFOLD_INLINE static void halve(Counter* of) {
    for (int j = 0; j < Width; ++j) of[j] = static_cast<Counter>(of[j] + of[j + Width]);
    if constexpr (Width > 1) halve<Width / 2>(of);
  }
};

}  // namespace multifold::inline v0_1::host
