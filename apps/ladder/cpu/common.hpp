// What the CPU's rungs share: three operations, and the arrays that they read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace multifold::ladder::cpu {

/// Floating point is added in its own precision, so that the rungs show what becomes of it; integers in 64 bits.
template <class T>
using sum_type = std::conditional_t<std::is_integral_v<T>, std::int64_t, T>;

/// Of numbers, and of vectors of them (rung 5). Always inlined, because rung 5 is compiled for several processors: what
/// was compiled for one of them must not stand in for the same function of another.
#define MULTIFOLD_LADDER_INLINE [[gnu::always_inline]] static inline

template <class T>
struct sum {
  using value_type = T;
  using acc = sum_type<T>;
  static constexpr bool rounds = std::is_floating_point_v<T>;
  MULTIFOLD_LADDER_INLINE acc identity() { return 0; }
  template <class V>
  MULTIFOLD_LADDER_INLINE V lift(V x, V) {
    return x;
  }
  template <class V>
  MULTIFOLD_LADDER_INLINE V combine(V a, V b) {
    return a + b;
  }
};

template <class T>
struct dot : sum<T> {
  template <class V>
  MULTIFOLD_LADDER_INLINE V lift(V x, V y) {
    return x * y;
  }
};

template <class T>
struct max {
  using value_type = T;
  using acc = T;
  static constexpr bool rounds = false;
  MULTIFOLD_LADDER_INLINE acc identity() {
    if constexpr (std::is_integral_v<T>) return std::numeric_limits<T>::min();
    else return -std::numeric_limits<T>::infinity();
  }
  template <class V>
  MULTIFOLD_LADDER_INLINE V lift(V x, V) {
    return x;
  }
  template <class V>
  MULTIFOLD_LADDER_INLINE V combine(V a, V b) {
    return a < b ? b : a;
  }
};

#undef MULTIFOLD_LADDER_INLINE

/// Elements [first, end) of one array, or of two; `y` is `x` where there is one.
template <class T>
struct elements {
  const T* x;
  const T* y;
  std::int64_t first, end;

  /// In the accumulator's precision.
  template <class Op>
  [[gnu::always_inline]] inline typename Op::acc lifted(std::int64_t i) const {
    using acc = typename Op::acc;
    return Op::lift(static_cast<acc>(x[i]), static_cast<acc>(y[i]));
  }
  elements part(std::int64_t from, std::int64_t to) const { return {x, y, from, to}; }
};

}  // namespace multifold::ladder::cpu
