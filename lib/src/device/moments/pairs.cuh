// Extremes by instructions that know NaN: of floats, and of the two elements of f16 or bf16 in a word. -0 is less than
// +0.
#pragma once

#include <type_traits>

#include "multifold/dtype.hpp"

namespace multifold::inline v0_1::cuda::moments {

template <class T>
inline constexpr bool is_bf16 = std::is_same_v<T, bf16>;

/// f of all of them, in a tree: each instruction waits for few others.
template <int N, class T, class F>
__device__ T over_all(const T (&values)[N], const F& f) {
  static_assert((N & (N - 1)) == 0);
  if constexpr (N == 1) {
    return values[0];
  } else {
    T halves[N / 2];
#pragma unroll
    for (int i = 0; i < N / 2; ++i) halves[i] = f(values[i], values[i + N / 2]);
    return over_all(halves, f);
  }
}

__device__ inline float greater_or_nan(float a, float b) {
  float x;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(x) : "f"(a), "f"(b));
  return x;
}
__device__ inline float less_or_nan(float a, float b) {
  float x;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(x) : "f"(a), "f"(b));
  return x;
}
template <class T>
__device__ unsigned less_or_nan_of_pairs(unsigned a, unsigned b) {
  unsigned x;
  if constexpr (is_bf16<T>) asm("min.NaN.bf16x2 %0, %1, %2;" : "=r"(x) : "r"(a), "r"(b));
  else asm("min.NaN.f16x2 %0, %1, %2;" : "=r"(x) : "r"(a), "r"(b));
  return x;
}
template <class T>
__device__ unsigned greater_or_nan_of_pairs(unsigned a, unsigned b) {
  unsigned x;
  if constexpr (is_bf16<T>) asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(x) : "r"(a), "r"(b));
  else asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(x) : "r"(a), "r"(b));
  return x;
}
/// All bits of the halves that are zeros, which are the same in both formats.
__device__ inline unsigned zeros_of_pair(unsigned pair) {
  unsigned x;
  asm("set.eq.u32.f16x2 %0, %1, %2;" : "=r"(x) : "r"(pair), "r"(0u));
  return x;
}
/// How many halves those are.
__device__ inline int count_of_halves(unsigned all_bits) { return -__dp2a_lo(static_cast<int>(all_bits), 0x0101, 0); }

template <class T>
__device__ unsigned pair_of(T lower, T upper) {
  return bit_copy<std::uint16_t>(lower) | static_cast<unsigned>(bit_copy<std::uint16_t>(upper)) << 16;
}

}  // namespace multifold::inline v0_1::cuda::moments
