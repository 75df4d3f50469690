// Products of integers of 1 and 2 bytes in words, as long as they hold them, and the lane that gathers bytes of a run.
#pragma once

#include <cstdint>
#include <type_traits>

#include "multifold/ops/product.hpp"

namespace multifold::cuda::kernels {

template <class T>
concept narrow_integer = !floating_storage<T> && sizeof(T) <= 2;

/// Four bytes of elements multiplied fit a word, and eight a long one, with their sign.
template <class T>
using product_word = std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>;
template <class T>
using long_product_word = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;

__device__ inline wide_integer signed_integer(std::uint64_t x) { return {x, 0, 0, false, false}; }
__device__ inline wide_integer signed_integer(std::int64_t x) {
  const auto bits = static_cast<std::uint64_t>(x);
  return {x < 0 ? 0 - bits : bits, 0, 0, x < 0, false};
}

namespace detail {

// The exact product of two words. Named, because the compiler sees that products of bytes are small, and would have all
// of them in 64 bits.
__device__ inline std::uint64_t product_of_words(std::uint32_t a, std::uint32_t b) {
  std::uint64_t product;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
  return product;
}
__device__ inline std::int64_t product_of_words(std::int32_t a, std::int32_t b) {
  std::int64_t product;
  asm("mul.wide.s32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
  return product;
}

template <class LongWord>
__device__ wide_integer product_of_long_words(LongWord a, LongWord b) {
  const wide_integer x = signed_integer(a), y = signed_integer(b);
  const uint128_t product = static_cast<uint128_t>(x.low) * y.low;
  return {static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64), 0, x.negative != y.negative,
          false};
}

/// Of the elements from `first` on, or of those that there are.
template <class T, int N>
__device__ long_product_word<T> product_of_eight_bytes(const T (&x)[N], int first) {
  constexpr int four_bytes = static_cast<int>(4 / sizeof(T));
  product_word<T> part[2] = {1, 1};
#pragma unroll
  for (int i = 0; i < 2 * four_bytes; ++i) {
    if (first + i >= N) continue;
    if constexpr (std::is_same_v<T, bool8>) part[i / four_bytes] &= x[first + i].bits != 0 ? 1u : 0u;
    else part[i / four_bytes] *= static_cast<product_word<T>>(x[first + i]);
  }
  return product_of_words(part[0], part[1]);
}

/// Out of line, since a word holds many factors, and where it is inlined registers change their places for it.
__device__ __noinline__ inline wide_integer seldom_product(wide_integer whole, wide_integer pending) {
  return whole * pending;
}

}  // namespace detail

/// A running product of bytes: whole * pending. A pending product of 64 bits takes eight more elements in one
/// multiplication while both fit 32 bits; those of 2 bytes seldom would.
template <class T>
struct byte_product {
  using word = product_word<T>;
  using long_word = long_product_word<T>;
  wide_integer whole;
  long_word pending;

  __device__ wide_integer value() const { return whole * signed_integer(pending); }
  __device__ void multiply(long_word factor) {
    if constexpr (std::is_same_v<T, bool8>) {
      pending &= factor;
    } else if (fits(pending) && fits(factor)) {
      pending = detail::product_of_words(static_cast<word>(pending), static_cast<word>(factor));
    } else {
      whole = detail::seldom_product(whole, signed_integer(pending));
      pending = factor;
    }
  }

 private:
  __device__ static bool fits(long_word x) { return static_cast<word>(x) == x; }
};

/// Some elements of each of a thread's columns, up to eight: x[k][j] of column j. All are multiplied before any column
/// may leave the straight way.
template <class T, int N, int Width>
requires(sizeof(T) == 1) __device__
    void absorb_columns(const integer_product<T>&, byte_product<T> (&into)[Width], const T (&x)[N][Width]) {
  static_assert(N <= 8);
  long_product_word<T> factor[Width];
#pragma unroll
  for (int j = 0; j < Width; ++j) {
    T column[N];
#pragma unroll
    for (int k = 0; k < N; ++k) column[k] = x[k][j];
    factor[j] = detail::product_of_eight_bytes(column, 0);
  }
#pragma unroll
  for (int j = 0; j < Width; ++j) into[j].multiply(factor[j]);
}

}  // namespace multifold::cuda::kernels
