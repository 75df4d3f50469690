// The bank of argmin and argmax: the best key of every lane, and the turn in which it came.
#pragma once

#include "host/kernels/bank.hpp"

namespace multifold::inline v0_1::host {

template <class Op>
inline constexpr bool is_arg = false;
template <class T>
inline constexpr bool is_arg<arg_extremum<T>> = true;

/// For columns only; rows are searched by arg_rows.hpp. Turns are as wide as keys, so that both vectorise together.
template <class T, int N>
struct bank<arg_extremum<T>, N> {
  using op_type = arg_extremum<T>;
  using accumulator = typename op_type::accumulator;
  using key = typename op_type::key;
  static constexpr std::int64_t capacity = sizeof(key) == 1 ? 127 : 32767;

  key best[N];
  key turn_of[N];  // -1: nothing was less than the identity

  MULTIFOLD_INLINE void clear(const op_type&, int n) {
    for (int j = 0; j < n; ++j) best[j] = greatest_key<key>;
    for (int j = 0; j < n; ++j) turn_of[j] = -1;
  }
  MULTIFOLD_INLINE void absorb(const op_type& op, const packed<T>* x, int first, int last, std::int64_t turn) {
    const key now = static_cast<key>(turn);
    for (int j = first; j < last; ++j) {
      const key k = static_cast<key>(op.lift(x[j].value, 0).key);
      const bool better = k < best[j];
      best[j] = k < best[j] ? k : best[j];
      turn_of[j] = blend(better, now, turn_of[j]);
    }
  }
  /// Turn t of lane j is index `first + t * step`. At least one element must have been absorbed.
  MULTIFOLD_INLINE accumulator take(const op_type&, int j, std::int64_t first, std::int64_t step) const {
    if (turn_of[j] >= 0) return {best[j], first + turn_of[j] * step};
    // All keys were the greatest there is: for integers that is a value, for floating point an omitted NaN.
    return {greatest_key<key>, floating_storage<T> ? op_type::no_index : first};
  }
};

}  // namespace multifold::inline v0_1::host
