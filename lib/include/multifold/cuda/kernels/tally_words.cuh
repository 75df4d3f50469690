// What counts in a tally, of an element or of a word of narrow ones, in a few instructions.
#pragma once

#include <cstdint>
#include <type_traits>

#include "multifold/cuda/kernels/absorb.cuh"
#include "multifold/ops/tally.hpp"

namespace multifold::inline v0_1::cuda::kernels {

/// 1, or 0 of 0: one instruction, and the compiler makes two of a comparison, and of min().
__device__ inline unsigned is_set(unsigned bits) {
  unsigned r;
  asm("min.u32 %0, %1, 1;" : "=r"(r) : "r"(bits));
  return r;
}

/// Whether NaN may be left out, which costs another comparison: known at compile time after with_known_order.
template <class C>
__device__ bool leaves_nan_out(const tally<C>& op) {
  return sizeof(C) > 1 && op.most != greatest_key<key_of<C>>;
}

/// 1 of an element that counts, else 0.
template <class C>
__device__ unsigned counted(const tally<C>& op, C x) {
  if (leaves_nan_out(op)) return op.counts(x) ? 1 : 0;
  if constexpr (sizeof(C) == 1) {
    return is_set(x.bits);
  } else if constexpr (sizeof(C) == 8) {
    const auto bits = static_cast<std::uint64_t>(x & op.mask);
    return is_set(static_cast<unsigned>(bits) | static_cast<unsigned>(bits >> 32));
  } else {
    return is_set(static_cast<unsigned>(x & op.mask));
  }
}

/// The uppermost bit of each element of a word that counts.
template <class C>
__device__ unsigned marked(const tally<C>& op, unsigned word) {
  constexpr unsigned upper = sizeof(C) == 1 ? 0x80808080u : 0x80008000u, ones = sizeof(C) == 1 ? 0x01010101u : 0x10001u;
  const unsigned low = word & ~upper;
  unsigned set = low + ~upper;  // carries into the uppermost bit, unless it is zero
  if constexpr (sizeof(C) == 1) {
    set |= word;
  } else {
    set |= word & (static_cast<std::uint16_t>(op.mask) * ones);
    if (leaves_nan_out(op)) set &= ~(low + (0x7fffu - static_cast<std::uint16_t>(op.most)) * ones);
  }
  return set & upper;
}

/// Marks of words, added: of bytes 128 for each, of two bytes in halves of a word. Room for 2^15 words.
template <class C>
__device__ unsigned add_marks(unsigned marks, unsigned sum) {
  if constexpr (sizeof(C) == 1) return __dp4a(marks, 0x01010101u, sum);
  else return sum + (marks >> 15);
}
template <class C>
__device__ unsigned count_of_marks(unsigned sum) {
  if constexpr (sizeof(C) == 1) return sum >> 7;
  else return (sum & 0xffffu) + (sum >> 16);
}

}  // namespace multifold::inline v0_1::cuda::kernels
