// Vectors absorbed by packed instructions, for operations that would otherwise be bound by arithmetic, not by memory.
#pragma once

#include <cstdint>
#include <type_traits>

#include "multifold/cuda/kernels/absorb.cuh"
#include "multifold/cuda/kernels/absorb/product.cuh"
#include "multifold/cuda/kernels/order_words.cuh"
#include "multifold/cuda/kernels/tally_words.cuh"
#include "multifold/ops/carried.hpp"
#include "multifold/ops/extremum.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// Bytes are summed four at a time by the dot product with ones.
__device__ inline void absorb_vector(const carried_sum<any_byte>& op, thread_value<carried_sum<any_byte>>& into,
                                     const vector_word& v, std::int64_t) {
  constexpr unsigned ones = 0x01010101u;
  if (op.kind == integer_kind::with_sign) {
#pragma unroll
    for (unsigned word : v.words) into.current = __dp4a(static_cast<int>(word), static_cast<int>(ones), into.current);
  } else {
    auto sum = static_cast<unsigned>(into.current);
#pragma unroll
    for (unsigned word : v.words) sum = __dp4a(op.kind == integer_kind::truth ? __vsetne4(word, 0u) : word, ones, sum);
    into.current = static_cast<int>(sum);
  }
}

/// Counts: what counts of a word of narrow elements is marked, and marks are added.
template <class C>
__device__ void absorb_vector(const tally<C>& op, thread_value<tally<C>>& into, const vector_word& v, std::int64_t) {
  if constexpr (sizeof(C) <= 2) {
    unsigned marks = 0;
#pragma unroll
    for (const unsigned word : v.words) marks = add_marks<C>(marked(op, word), marks);
    into.current += count_of_marks<C>(marks);
  } else {
    const auto elements = bit_copy<elements_of<C>>(v);
#pragma unroll
    for (const C x : elements.values) into.current += counted(op, x);
  }
}

/// Extrema: words are compared, and only the last one becomes a key.
template <class T>
__device__ void absorb_vector(const extremum<T>& op, thread_value<extremum<T>>& into, const vector_word& v,
                              std::int64_t) {
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

}  // namespace multifold::inline v0_1::cuda::kernels
