// Between what bounds the elements of a thread's step lie: their magnitudes, and of descriptions the numbers
// themselves. Of bf16, two elements an instruction; of binary64, upper words.
#pragma once

#include <cstdint>
#include <type_traits>

#include "device/moments/pairs.cuh"
#include "multifold/ops/moments.hpp"
#include "multifold/ops/order_key.hpp"

namespace multifold::cuda::moments {

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

/// The least and the greatest magnitude of some numbers; zeros count only where there is nothing else, and NaN is the
/// greatest. As words: see magnitude_words.
template <class T>
struct magnitude_range;

template <>
struct magnitude_range<float> {
  float greatest, least;

  __device__ int greatest_word() const { return __float_as_int(greatest); }
  __device__ int least_word() const { return __float_as_int(least); }

  /// Whether all of them were finite, none was subnormal, and none more than `binades` apart, zeros aside.
  __device__ bool within(unsigned binades) const {
    const unsigned top = __float_as_uint(greatest), low = __float_as_uint(least) >> 23;
    return top == 0 || (top < 0x7f800000u && low > 0 && (top >> 23) - low <= binades);
  }
  /// The exponent e of the greatest one, which is below 2^(e+1); of no matter if all are zero.
  __device__ int exponent() const { return static_cast<int>(__float_as_uint(greatest) >> 23) - 127; }
};

/// Upper words, which of numbers that are not zero count as 1 at least.
template <>
struct magnitude_range<double> {
  int greatest, least;

  __device__ int greatest_word() const { return greatest; }
  __device__ int least_word() const { return least; }
};

/// With the numbers' signs, and how many of them are zeros. -0 is less than +0.
template <class T>
struct element_range;

template <>
struct element_range<float> : magnitude_range<float> {
  float low, high;
  std::uint32_t zeros = 0;

  __device__ static std::int32_t key_of(float x) { return ordered_bits(__float_as_int(x)); }
  __device__ std::int32_t low_key() const { return key_of(low); }
  __device__ std::int32_t high_key() const { return key_of(high); }
};

/// Of the keys, the upper words.
template <>
struct element_range<double> : magnitude_range<double> {
  std::int32_t low, high;
  std::uint32_t zeros = 0;

  __device__ static std::int32_t key_of(double x) { return ordered_bits(__double2hiint(x)); }
  __device__ std::int32_t low_key() const { return low; }
  __device__ std::int32_t high_key() const { return high; }
};

template <class T, moment_set Set>
using step_range = std::conditional_t<Set == moment_set::description, element_range<T>, magnitude_range<T>>;

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

template <moment_set Set, int N>
__device__ step_range<float, Set> range_of(const float (&a)[N]) {
  constexpr bool describes = Set == moment_set::description;
  step_range<float, Set> of;
  float magnitude[N];
#pragma unroll
  for (int i = 0; i < N; ++i) magnitude[i] = fabsf(a[i]);
  of.least = over_all(magnitude, fminf);
  if constexpr (describes) {
    of.low = over_all(a, less_or_nan);
    of.high = over_all(a, greater_or_nan);
    of.greatest = greater_or_nan(fabsf(of.low), fabsf(of.high));
  } else {
    of.greatest = over_all(magnitude, greater_or_nan);
  }
  if (of.least == 0) {
    of.least = of.greatest;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const bool zero = a[i] == 0;
      of.least = zero ? of.least : fminf(of.least, magnitude[i]);
      if constexpr (describes) of.zeros += zero;
    }
  }
  return of;
}

template <moment_set Set, int N>
__device__ step_range<double, Set> range_of(const double (&a)[N]) {
  constexpr bool describes = Set == moment_set::description;
  constexpr int all_but_sign = 0x7fffffff;
  const auto lesser = [](int x, int y) { return min(x, y); };
  const auto greater = [](int x, int y) { return max(x, y); };
  step_range<double, Set> of;
  int magnitude[N];
#pragma unroll
  for (int i = 0; i < N; ++i) magnitude[i] = __double2hiint(a[i]) & all_but_sign;
  of.least = over_all(magnitude, lesser);
  if constexpr (describes) {
    std::int32_t key[N];
#pragma unroll
    for (int i = 0; i < N; ++i) key[i] = of.key_of(a[i]);
    of.low = over_all(key, lesser);
    of.high = over_all(key, greater);
    of.greatest = max(ordered_bits(of.low) & all_but_sign, ordered_bits(of.high) & all_but_sign);
  } else {
    of.greatest = over_all(magnitude, greater);
  }
  if (of.least == 0) {
    unsigned least = 0xffffffffu;  // less one, so that zeros are none
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const int seen = magnitude[i] | (__double2loint(a[i]) != 0 ? 1 : 0);
      least = min(least, static_cast<unsigned>(seen) - 1);
      of.greatest = max(of.greatest, seen);
      if constexpr (describes) of.zeros += seen == 0;
    }
    of.least = static_cast<int>(least + 1);
  }
  return of;
}

/// The same of pairs of bf16.
template <moment_set Set, int Pairs>
__device__ step_range<float, Set> range_of(const unsigned (&pair)[Pairs]) {
  constexpr bool describes = Set == moment_set::description;
  step_range<float, Set> of;
  unsigned magnitude[Pairs];
#pragma unroll
  for (int i = 0; i < Pairs; ++i) magnitude[i] = pair[i] & 0x7fff7fffu;
  const unsigned least = over_all(magnitude, lesser_of_pairs<bf16>);
  of.least = fminf(lower_of_pair(least), upper_of_pair(least));
  if constexpr (describes) {
    const unsigned low = over_all(pair, less_or_nan_of_pairs<bf16>),
                   high = over_all(pair, greater_or_nan_of_pairs<bf16>);
    of.low = less_or_nan(lower_of_pair(low), upper_of_pair(low));
    of.high = greater_or_nan(lower_of_pair(high), upper_of_pair(high));
    of.greatest = greater_or_nan(fabsf(of.low), fabsf(of.high));
  } else {
    const unsigned greatest = over_all(magnitude, greater_or_nan_of_pairs<bf16>);
    of.greatest = greater_or_nan(lower_of_pair(greatest), upper_of_pair(greatest));
  }
  if (of.least == 0) {
    // What is not zero carries into the sign. Zeros become more than any magnitude.
    constexpr unsigned signs = 0x80008000u;
    [[maybe_unused]] std::uint32_t zeros = 0;
    unsigned least_but_zeros = signs;
#pragma unroll
    for (int i = 0; i < Pairs; ++i) {
      const unsigned zero = ~(magnitude[i] + ~signs) & signs;
      if constexpr (describes) zeros = __dp2a_lo(zero, 0x0101u, zeros);
      least_but_zeros = __vminu2(least_but_zeros, magnitude[i] | zero);
    }
    const unsigned bits = min(least_but_zeros & 0xffffu, least_but_zeros >> 16);
    of.least = bits == 0x8000u ? of.greatest : __uint_as_float(bits << 16);
    if constexpr (describes) of.zeros = zeros >> 15;
  }
  return of;
}

}  // namespace multifold::cuda::moments
