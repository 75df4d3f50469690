// Vectors absorbed by packed instructions, for operations that would otherwise be bound by arithmetic, not by memory.
#pragma once

#include <cstdint>
#include <type_traits>

#include "multifold/cuda/kernels/absorb.cuh"
#include "multifold/cuda/kernels/absorb_product.cuh"
#include "multifold/ops/extremum.hpp"
#include "multifold/ops/sum.hpp"

namespace multifold::cuda::kernels {

/// Bytes are summed four at a time by the dot product with ones.
__device__ inline void absorb_vector(const integer_sum<std::int8_t>&, thread_value<integer_sum<std::int8_t>>& into,
                                     const vector_word& v, std::int64_t) {
#pragma unroll
  for (unsigned word : v.words) into.current = __dp4a(static_cast<int>(word), 0x01010101, into.current);
}

__device__ inline void absorb_vector(const integer_sum<std::uint8_t>&, thread_value<integer_sum<std::uint8_t>>& into,
                                     const vector_word& v, std::int64_t) {
#pragma unroll
  for (unsigned word : v.words) into.current = __dp4a(word, 0x01010101u, into.current);
}

__device__ inline void absorb_vector(const integer_sum<bool8>&, thread_value<integer_sum<bool8>>& into,
                                     const vector_word& v, std::int64_t) {
#pragma unroll
  for (unsigned word : v.words) into.current = __dp4a(__vsetne4(word, 0u), 0x01010101u, into.current);
}

namespace detail {

// Which of four: min or max, and whether NaN is passed on or over.
template <class Op>
__device__ bool wants_greatest(const Op& op) {
  return op.policy.flip != 0;
}
template <class Op>
__device__ bool omits_nan(const Op& op) {
  return op.policy.nan_key == greatest_key<typename Op::key>;
}

#define MULTIFOLD_PACKED_EXTREMUM(NAME, TYPE)                                         \
  __device__ inline unsigned NAME(unsigned a, unsigned b, bool greatest, bool omit) { \
    unsigned r;                                                                       \
    if (greatest) {                                                                   \
      if (omit) asm("max." TYPE " %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));           \
      else asm("max.NaN." TYPE " %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));            \
    } else {                                                                          \
      if (omit) asm("min." TYPE " %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));           \
      else asm("min.NaN." TYPE " %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));            \
    }                                                                                 \
    return r;                                                                         \
  }
MULTIFOLD_PACKED_EXTREMUM(extremum_f16x2, "f16x2")
MULTIFOLD_PACKED_EXTREMUM(extremum_bf16x2, "bf16x2")
#undef MULTIFOLD_PACKED_EXTREMUM

__device__ inline unsigned extremum_s16x2(unsigned a, unsigned b, bool greatest) {
  return greatest ? __vmaxs2(a, b) : __vmins2(a, b);
}
__device__ inline unsigned extremum_u16x2(unsigned a, unsigned b, bool greatest) {
  return greatest ? __vmaxu2(a, b) : __vminu2(a, b);
}

// Bytes 0 and 2, or 1 and 3, of a word as two 16-bit numbers, with their sign or without.
template <bool Signed>
__device__ unsigned even_bytes(unsigned word) {
  unsigned r;
  asm("prmt.b32 %0, %1, 0, %2;" : "=r"(r) : "r"(word), "n"(Signed ? 0xa280 : 0x4240));
  return r;
}
template <bool Signed>
__device__ unsigned odd_bytes(unsigned word) {
  unsigned r;
  asm("prmt.b32 %0, %1, 0, %2;" : "=r"(r) : "r"(word), "n"(Signed ? 0xb391 : 0x4341));
  return r;
}

// Two elements for sixteen bytes: their extremum is that of the vector.
template <class T>
__device__ unsigned extreme_pair(const vector_word& v, bool greatest, bool omit) {
  const auto pick = [&](unsigned a, unsigned b) {
    if constexpr (std::is_same_v<T, f16>) return extremum_f16x2(a, b, greatest, omit);
    else if constexpr (std::is_same_v<T, bf16>) return extremum_bf16x2(a, b, greatest, omit);
    else if constexpr (std::is_same_v<T, std::uint16_t>) return extremum_u16x2(a, b, greatest);
    else return extremum_s16x2(a, b, greatest);
  };
  unsigned halves[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if constexpr (sizeof(T) == 1) {
      const unsigned word = std::is_same_v<T, bool8> ? __vsetne4(v.words[i], 0u) : v.words[i];
      constexpr bool has_sign = std::is_same_v<T, std::int8_t>;
      halves[i] = pick(even_bytes<has_sign>(word), odd_bytes<has_sign>(word));
    } else {
      halves[i] = v.words[i];
    }
  }
  return pick(pick(halves[0], halves[1]), pick(halves[2], halves[3]));
}

}  // namespace detail

/// Extrema of 8 and 16 bit elements: pairs are compared, and only the last two become keys.
template <class T>
requires(sizeof(T) <= 2) __device__ void absorb_vector(const extremum<T>& op, thread_value<extremum<T>>& into,
                                                       const vector_word& v, std::int64_t index) {
  const unsigned pair = detail::extreme_pair<T>(v, detail::wants_greatest(op), detail::omits_nan(op));
  using bits = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>;
  into.absorb(op, bit_copy<T>(static_cast<bits>(pair)), index);
  into.absorb(op, bit_copy<T>(static_cast<bits>(pair >> 16)), index);
}

/// Indices of extrema: one comparison a vector, and the element is looked for only when it is a new best. A thread's
/// indices ascend, so the first of equals is the one that was found.
template <class T>
__device__ void absorb_vector(const arg_extremum<T>& op, thread_value<arg_extremum<T>>& into, const vector_word& v,
                              std::int64_t index) {
  const auto unpacked = bit_copy<elements_of<T>>(v);
  constexpr int width = vector_elements<T>;
  decltype(op.identity().key) keys[width], best = greatest_key<key_of<T>>;
#pragma unroll
  for (int i = 0; i < width; ++i) {
    keys[i] = op.lift(unpacked.values[i], index).key;
    best = keys[i] < best ? keys[i] : best;
  }
  // An integer may be as great as the identity's key; a float that is, is a NaN to be omitted.
  const bool first = !floating_storage<T> && into.current.index == arg_extremum<T>::no_index;
  if (best < into.current.key || first) {
    int at = 0;
#pragma unroll
    for (int i = width - 1; i >= 0; --i) at = keys[i] == best ? i : at;
    into.current = {best, index + at};
  }
}

}  // namespace multifold::cuda::kernels
