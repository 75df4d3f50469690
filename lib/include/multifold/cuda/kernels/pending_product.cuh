// Products of integers in words of 64 bits, as long as those hold them, and the lane that gathers a run so.
#pragma once

#include <cstdint>
#include <type_traits>

#include "multifold/ops/carried.hpp"

namespace multifold::inline v0_1::cuda::kernels {

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

/// Of the elements of T from `first` on, or of those that there are.
template <class T, class C, int N>
__device__ long_product_word<T> product_of_eight_bytes(const C (&x)[N], int first) {
  if constexpr (sizeof(T) == 8) {
    return first < N ? static_cast<long_product_word<T>>(x[first]) : 1;
  } else {
    constexpr int four_bytes = static_cast<int>(4 / sizeof(T));
    product_word<T> part[2] = {1, 1};
#pragma unroll
    for (int i = 0; i < 2 * four_bytes; ++i) {
      if (first + i >= N) continue;
      const auto each = bit_copy<T>(x[first + i]);
      if constexpr (std::is_same_v<T, bool8>) part[i / four_bytes] &= each.bits != 0 ? 1u : 0u;
      else part[i / four_bytes] *= static_cast<product_word<T>>(each);
    }
    return product_of_words(part[0], part[1]);
  }
}

__device__ inline std::uint64_t upper_product(std::uint64_t a, std::uint64_t b) { return __umul64hi(a, b); }
__device__ inline std::int64_t upper_product(std::int64_t a, std::int64_t b) { return __mul64hi(a, b); }

/// Multiplies if the product fits 64 bits, and returns whether it does; if not, `product` is anything.
template <class LongWord>
__device__ bool multiply_if_fits(LongWord& product, LongWord factor) {
  using word = std::conditional_t<std::is_signed_v<LongWord>, std::int32_t, std::uint32_t>;
  const auto is_word = [](LongWord x) { return static_cast<word>(x) == x; };
  if (is_word(product) && is_word(factor)) {
    product = product_of_words(static_cast<word>(product), static_cast<word>(factor));
    return true;
  }
  const LongWord upper = upper_product(product, factor);
  product = static_cast<LongWord>(static_cast<std::uint64_t>(product) * static_cast<std::uint64_t>(factor));
  if constexpr (std::is_signed_v<LongWord>) return upper == product >> 63;
  else return upper == 0;
}

/// Out of line, since a word holds many factors, and where it is inlined registers change their places for it.
__device__ __noinline__ inline wide_integer seldom_product(wide_integer whole, wide_integer pending) {
  return whole * pending;
}

}  // namespace detail

/// A running product of integers: whole * pending. What is pending takes more factors as long as it fits 64 bits, in
/// one multiplication as long as both fit 32.
struct pending_product {
  wide_integer whole;
  std::uint64_t pending;  // bits of a long_product_word

  template <class T>
  __device__ wide_integer value() const {
    return whole * signed_integer(static_cast<long_product_word<T>>(pending));
  }
  template <class T>
  __device__ void multiply(long_product_word<T> factor) {
    if constexpr (std::is_same_v<T, bool8>) {
      pending &= factor;
    } else {
      const auto before = static_cast<long_product_word<T>>(pending);
      auto product = before;
      if (detail::multiply_if_fits(product, factor)) {
        pending = static_cast<std::uint64_t>(product);
      } else {
        whole = detail::seldom_product(whole, signed_integer(before));
        pending = static_cast<std::uint64_t>(factor);
      }
    }
  }
};

/// Some elements of each of a thread's columns, x[k][j] of column j, eight bytes of each at a time. All of those are
/// multiplied before any column may leave the straight way.
template <class C, int N, int Width>
__device__ void absorb_columns(const carried_product<C>& op, pending_product (&into)[Width], const C (&x)[N][Width]) {
  op.with_element([&]<class T>(T) {
#pragma unroll
    for (int first = 0; first < N; first += static_cast<int>(8 / sizeof(T))) {
      long_product_word<T> factor[Width];
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        C column[N];
#pragma unroll
        for (int k = 0; k < N; ++k) column[k] = x[k][j];
        factor[j] = detail::product_of_eight_bytes<T>(column, first);
      }
#pragma unroll
      for (int j = 0; j < Width; ++j) into[j].template multiply<T>(factor[j]);
    }
  });
}

}  // namespace multifold::inline v0_1::cuda::kernels
