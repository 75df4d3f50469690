// Vectors absorbed by packed instructions, for operations that would otherwise be bound by arithmetic, not by memory.
#pragma once

#include <cstdint>
#include <type_traits>

#include "multifold/cuda/kernels/absorb.cuh"
#include "multifold/cuda/kernels/absorb_product.cuh"
#include "multifold/cuda/kernels/order_words.cuh"
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

/// Extrema: words are compared, and only the last one becomes a key.
template <class T>
requires(sizeof(T) <= 4) __device__
    void absorb_vector(const extremum<T>& op, thread_value<extremum<T>>& into, const vector_word& v, std::int64_t) {
  using words = order_words<T>;
  into.current = min(into.current, words::key_at(op.policy, words::least_of(op.policy, v)));
}

/// Indices of extrema: one comparison a vector, and the element is looked for only when it is a new best. A thread's
/// indices ascend, so the first of equals is the one that was found.
template <class T>
__device__ void absorb_vector(const arg_extremum<T>& op, thread_value<arg_extremum<T>>& into, const vector_word& v,
                              std::int64_t index) {
  using words = order_words<T>;
  const auto least = words::least_of(op.policy, v);
  const auto key = words::key_at(op.policy, least);
  // An integer may be as great as the identity's key; a float that is, is a NaN to be omitted.
  const bool first = !floating_storage<T> && into.current.index == arg_extremum<T>::no_index;
  if (key < into.current.key || first) into.current = {key, index + words::place_of(op.policy, v, least)};
}

}  // namespace multifold::cuda::kernels
