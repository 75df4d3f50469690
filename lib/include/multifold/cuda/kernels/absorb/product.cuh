// Vectors multiplied among themselves before they meet the running product, which takes a dozen instructions for each
// factor of floating point, and more for one of integers.
#pragma once

#include "multifold/cuda/kernels/absorb.cuh"
#include "multifold/cuda/kernels/pending_product.cuh"
#include "multifold/ops/carried.hpp"

namespace multifold::inline v0_1::cuda::kernels {
namespace detail {

/// An element, or what stands for a NaN.
template <class T>
__device__ float factor_as_float(const float_product<T>& op, T element) {
  float x;
  if constexpr (sizeof(T) == 2) x = to_float(element);
  else x = element;
  return x != x ? static_cast<float>(op.nan_value) : x;
}

/// The product of two elements of T, exactly. Those of 2 bytes have one that float holds, whose conversion is half
/// of theirs: always that of f16, of bf16 if it is a normal number.
template <class T, class Real>
__device__ double product_of_two(Real x, Real y) {
  if constexpr (sizeof(T) == 2) {
    const float p = __fmul_rn(x, y);
    if (std::is_same_v<T, f16> || (fabsf(p) >= 0x1p-126f && fabsf(p) <= 0x1.fffffep127f)) return p;
  }
  return __dmul_rn(x, y);
}

/// The running product times x y, which stay within 2^-298 and 2^299 or are special: their product is exact, or so are
/// its two parts.
__device__ inline void multiply_two(scaled_product& into, double x, double y) {
  const double p = __dmul_rn(x, y);
  into = multifold::detail::times(into, p, multifold::detail::is_special(p) ? 0.0 : __fma_rn(x, y, -p));
}

/// Elements of T from `first` on, or those that there are. Eight bytes multiplied fit 64 bits, and sixteen 128.
template <class T, class C, int N>
__device__ wide_integer product_of_sixteen_bytes(const C (&x)[N], int first) {
  constexpr int half = vector_elements<T> / 2;
  return product_of_long_words(product_of_eight_bytes<T>(x, first), product_of_eight_bytes<T>(x, first + half));
}

}  // namespace detail

/// Integers, sixteen bytes at a time: only what those come to depends on what they stand for.
template <class C, int N>
__device__ void absorb_several(const carried_product<C>& op, wide_integer& into, const C (&x)[N]) {
#pragma unroll
  for (int first = 0; first < N; first += vector_elements<C>)
    into = into * op.with_element([&]<class T>(T) { return detail::product_of_sixteen_bytes<T>(x, first); });
}

namespace detail {

/// Of the elements from `first` on, or of those that there are: two floats, four bf16 or f16.
template <class T, int N>
__device__ double product_of_eight_bytes(const float_product<T>& op, const T (&v)[N], int first) {
  constexpr int most = 8 / sizeof(T);
  float x[most];
#pragma unroll
  for (int k = 0; k < most; ++k) x[k] = first + k < N ? factor_as_float(op, v[first + k]) : 1.0f;
  const double product = product_of_two<T>(x[0], x[1]);
  if constexpr (most == 2) return product;
  else return __dmul_rn(product, product_of_two<T>(x[2], x[3]));
}

}  // namespace detail

/// Sixteen bytes of elements at a time, of which eight have a product that is exact in double.
template <class T, int N>
requires(sizeof(T) <= 4) __device__
    void absorb_several(const float_product<T>& op, scaled_product& into, const T (&v)[N]) {
  constexpr int some = 8 / sizeof(T);
#pragma unroll
  for (int i = 0; i < N; i += 2 * some) {
    const double first = detail::product_of_eight_bytes(op, v, i);
    if (i + some >= N) {
      into = multifold::detail::times(into, first);
      continue;
    }
    const double second = detail::product_of_eight_bytes(op, v, i + some);
    // Those of four bfloat16 may be too great, or too small, to meet.
    if constexpr (std::is_same_v<T, bf16>) {
      into = multifold::detail::times(multifold::detail::times(into, first), second);
    } else {
      detail::multiply_two(into, first, second);
    }
  }
}

template <class C>
__device__ C padding_of(const carried_product<C>&) {
  return C{1};
}
template <class T>
requires(sizeof(T) <= 4) __device__ T padding_of(const float_product<T>&) {
  if constexpr (std::is_same_v<T, f16>) return to_f16(1.0f);
  else if constexpr (std::is_same_v<T, bf16>) return to_bf16(1.0f);
  else return 1;
}

/// Of truths one that is false is the product, and all others are none.
template <class C>
__device__ void absorb_vector(const carried_product<C>& op, thread_value<carried_product<C>>& into,
                              const vector_word& v, std::int64_t) {
  if (op.may_be_truth && op.kind == integer_kind::truth) {
    unsigned least = ~0u;
#pragma unroll
    for (const unsigned word : v.words) least = __vminu4(least, word);
    if (__vcmpeq4(least, 0u) != 0) into.current = {0, 0, 0, false, false};
    return;
  }
  absorb_several(op, into.current, bit_copy<elements_of<C>>(v).values);
}
template <class T>
requires(sizeof(T) <= 4) __device__ void absorb_vector(const float_product<T>& op, thread_value<float_product<T>>& into,
                                                       const vector_word& v, std::int64_t) {
  absorb_several(op, into.current, bit_copy<elements_of<T>>(v).values);
}

namespace detail {

/// Out of line, since it is seldom called and in many places.
__device__ __noinline__ inline scaled_product times_each(float_product<double> op, scaled_product into, double x,
                                                         double y) {
  using lane = lane_of<float_product<double>>;
  return lane::absorb(op, lane::absorb(op, into, x, 0), y, 0);
}

}  // namespace detail

/// Two doubles at a time where both are normal numbers: what they are between 1 and 2, and their exponents. A product that
/// is zero, infinite or NaN is multiplied as it is.
template <class T>
requires(sizeof(T) == 8) __device__
    void absorb_two(const float_product<T>& op, scaled_product& into, double x, double y) {
  namespace products = multifold::detail;
  if (products::is_special(x) || products::is_special(y)) {
    if (products::is_special(into.high)) {
      into.high = __dmul_rn(__dmul_rn(into.high, x != x ? op.nan_value : x), y != y ? op.nan_value : y);
    } else {
      into = detail::times_each(op, into, x, y);
    }
  } else {
    const int exponent = products::exponent_field(x) + products::exponent_field(y) - 2 * 1023;
    const double u = products::normalized(x), v = products::normalized(y), p = __dmul_rn(u, v);
    into = products::times(into, p, __fma_rn(u, v, -p));
    into.exponent += exponent;
  }
}

template <class T>
requires(sizeof(T) == 8) __device__ void absorb_vector(const float_product<T>& op, thread_value<float_product<T>>& into,
                                                       const vector_word& v, std::int64_t) {
  const auto x = bit_copy<elements_of<double>>(v);
  absorb_two(op, into.current, x.values[0], x.values[1]);
}

}  // namespace multifold::inline v0_1::cuda::kernels
