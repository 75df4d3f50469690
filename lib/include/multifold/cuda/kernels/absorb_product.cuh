// Vectors multiplied among themselves before they meet the running product, which takes a dozen instructions for each
// factor of floating point, and more for one of integers.
#pragma once

#include "multifold/cuda/kernels/absorb.cuh"
#include "multifold/ops/product.hpp"

namespace multifold::cuda::kernels {
namespace detail {

/// The running product times x y, which stay within 2^-298 and 2^299 or are special: their product is exact, or so are
/// its two parts.
__device__ inline void multiply_two(scaled_product& into, double x, double y) {
  const double p = __dmul_rn(x, y);
  into = multifold::detail::times(into, p, multifold::detail::is_special(p) ? 0.0 : __fma_rn(x, y, -p));
}

}  // namespace detail

/// Eight bytes of integers multiplied fit 64 bits, and sixteen 128.
template <class T, int N>
requires(!floating_storage<T> && sizeof(T) >= 4) __device__
    void absorb_several(const integer_product<T>& op, wide_integer& into, const T (&x)[N]) {
  constexpr int half = vector_elements<T> / 2;
#pragma unroll
  for (int first = 0; first < N; first += 2 * half) {
    std::uint64_t word[2] = {1, 1};
    bool negative = false;
#pragma unroll
    for (int i = first; i < N && i < first + 2 * half; ++i) {
      const wide_integer each = op.lift(x[i], 0);
      word[(i - first) / half] *= each.low;
      negative = negative != each.negative;
    }
    const uint128_t product = static_cast<uint128_t>(word[0]) * word[1];
    into = into * wide_integer{static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64), 0,
                               negative, false};
  }
}

/// Of narrow ones four bytes fit 32 bits, with their sign.
template <class T, int N>
requires(!floating_storage<T> && sizeof(T) <= 2) __device__
    void absorb_several(const integer_product<T>&, wide_integer& into, const T (&x)[N]) {
  constexpr int quarter = static_cast<int>(4 / sizeof(T)), whole = 4 * quarter;
  using word = std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>;
  using long_word = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
#pragma unroll
  for (int first = 0; first < N; first += whole) {
    word part[4] = {1, 1, 1, 1};
#pragma unroll
    for (int i = first; i < N && i < first + whole; ++i) {
      if constexpr (std::is_same_v<T, bool8>) part[(i - first) / quarter] &= x[i].bits != 0 ? 1u : 0u;
      else part[(i - first) / quarter] *= static_cast<word>(x[i]);
    }
    const long_word half[2] = {static_cast<long_word>(part[0]) * part[1], static_cast<long_word>(part[2]) * part[3]};
    std::uint64_t magnitude[2];
    bool negative = false;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      magnitude[k] = static_cast<std::uint64_t>(half[k]);
      if constexpr (std::is_signed_v<T>) {
        if (half[k] < 0) magnitude[k] = 0 - magnitude[k];
        negative = negative != (half[k] < 0);
      }
    }
    const uint128_t product = static_cast<uint128_t>(magnitude[0]) * magnitude[1];
    into = into * wide_integer{static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64), 0,
                               negative, false};
  }
}

/// Four elements at a time; products of two binary32, and of four bfloat16 or binary16, are exact in binary64.
template <class T, int N>
requires(sizeof(T) <= 4) __device__
    void absorb_several(const float_product<T>& op, scaled_product& into, const T (&v)[N]) {
#pragma unroll
  for (int i = 0; i < N; i += 4) {
    double x[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) x[k] = i + k < N ? to_double(v[i + k]) : 1.0;
    if (op.nan_value == op.nan_value) {  // else NaN stays what it is
#pragma unroll
      for (double& each : x) each = each != each ? op.nan_value : each;
    }
    const double first = __dmul_rn(x[0], x[1]), second = __dmul_rn(x[2], x[3]);
    if constexpr (sizeof(T) == 2) into = multifold::detail::times(into, __dmul_rn(first, second));
    else detail::multiply_two(into, first, second);
  }
}

template <class T>
requires(!floating_storage<T>) __device__ T padding_of(const integer_product<T>&) {
  if constexpr (std::is_same_v<T, bool8>) return {1};
  else return 1;
}
template <class T>
requires(sizeof(T) <= 4) __device__ T padding_of(const float_product<T>&) {
  if constexpr (std::is_same_v<T, f16>) return to_f16(1.0f);
  else if constexpr (std::is_same_v<T, bf16>) return to_bf16(1.0f);
  else return 1;
}

template <class T>
requires(!floating_storage<T>) __device__
    void absorb_vector(const integer_product<T>& op, thread_value<integer_product<T>>& into, const vector_word& v,
                       std::int64_t) {
  absorb_several(op, into.current, bit_copy<elements_of<T>>(v).values);
}
template <class T>
requires(sizeof(T) <= 4) __device__ void absorb_vector(const float_product<T>& op, thread_value<float_product<T>>& into,
                                                       const vector_word& v, std::int64_t) {
  absorb_several(op, into.current, bit_copy<elements_of<T>>(v).values);
}

/// Two binary64 at a time where both are moderate.
template <class T>
requires(sizeof(T) == 8) __device__ void absorb_vector(const float_product<T>& op, thread_value<float_product<T>>& into,
                                                       const vector_word& v, std::int64_t index) {
  const auto x = bit_copy<elements_of<double>>(v);
  if (multifold::detail::is_moderate(x.values[0]) && multifold::detail::is_moderate(x.values[1])) {
    const double p = __dmul_rn(x.values[0], x.values[1]);
    into.current = multifold::detail::times(into.current, p, __fma_rn(x.values[0], x.values[1], -p));
  } else {
    into.absorb(op, x.values[0], index);
    into.absorb(op, x.values[1], index + 1);
  }
}

}  // namespace multifold::cuda::kernels
