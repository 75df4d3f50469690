// Products of integers: several elements into one word, which always holds their product, and words into 128 bits.
#pragma once

#include <type_traits>

#include "host/kernels/row.hpp"

namespace multifold::inline v0_1::host {

/// The product of `count` elements of T fits `type`.
template <class T>
struct product_word {
  using type = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  static constexpr std::int64_t count = 8 / sizeof(T);
};
template <>
struct product_word<bool8> {
  using type = std::uint8_t;
  static constexpr std::int64_t count = lane_run;
};

template <class T>
MULTIFOLD_INLINE typename product_word<T>::type factor_of_word(T x) {
  if constexpr (std::is_same_v<T, bool8>) return x.bits != 0 ? 1 : 0;
  else return x;
}

/// `total` times a word: operator* for a factor of 64 bits.
template <class Word>
MULTIFOLD_INLINE void multiply_by_word(wide_integer& total, Word word) {
  if (word == 0 || total.zero()) {
    total = {0, 0, 0, false, false};
    return;
  }
  const bool negative = word < Word{0};
  const std::uint64_t m = negative ? 0 - static_cast<std::uint64_t>(word) : static_cast<std::uint64_t>(word);
  total.negative = total.negative != negative;
  if (total.exponent > multifold::detail::beyond_formats) return;
  const uint128_t low = static_cast<uint128_t>(total.low) * m;
  const uint128_t upper = static_cast<uint128_t>(total.high) * m + static_cast<std::uint64_t>(low >> 64);
  const auto rest = static_cast<std::uint64_t>(low), top = static_cast<std::uint64_t>(upper >> 64);
  uint128_t kept = upper << 64 | rest;
  if (top != 0) {
    const int down = multifold::detail::bit_width(top), up = 64 - down;
    kept = upper << up | (up == 0 ? 0 : rest >> down);
    total.inexact = total.inexact || rest << up != 0;
    total.exponent += down;
  }
  total.low = static_cast<std::uint64_t>(kept);
  total.high = static_cast<std::uint64_t>(kept >> 64);
}

/// Blocks whose factors are all 1 or -1 only flip the sign, and so do all blocks once the product is beyond every
/// format. A zero ends the row.
template <class T>
MULTIFOLD_INLINE wide_integer row_of(const integer_product<T>& op, const row_span<T>& row, std::int64_t, std::int64_t) {
  using word = typename product_word<T>::type;
  constexpr std::int64_t block = 64, together = product_word<T>::count < block ? product_word<T>::count : block;
  constexpr std::int64_t words = block / together;
  const packed<T>* const x = row.data;
  const std::int64_t length = row.length;
  wide_integer total = op.identity();
  std::int64_t k = 0;
  for (; k + block <= length; k += block) {
    using bits = std::make_unsigned_t<key_of<T>>;
    bits zero = 0, other = 0, sign = 0;
    prefetch_behind(x + k, block * sizeof(T));
    for (int j = 0; j < block; ++j) {
      if constexpr (std::is_same_v<T, bool8>) {
        zero = static_cast<bits>(zero | (x[k + j].value.bits == 0 ? 1 : 0));
      } else {
        const bits b = static_cast<bits>(x[k + j].value);
        constexpr bits shift = std::is_signed_v<T> ? 1 : 0;
        zero = static_cast<bits>(zero | (b == 0 ? 1 : 0));
        other = static_cast<bits>(other | (static_cast<bits>(b + shift) > 1 + shift ? 1 : 0));
        if constexpr (std::is_signed_v<T>) sign = static_cast<bits>(sign ^ b);
      }
    }
    if (zero != 0) return {0, 0, 0, false, false};
    if (other == 0 || total.exponent > multifold::detail::beyond_formats) {
      total.negative = total.negative != ((sign >> (8 * sizeof(bits) - 1)) != 0);
    } else {
      word product[words];
      for (int j = 0; j < words; ++j) product[j] = factor_of_word(T{x[k + j].value});
      for (int i = 1; i < together; ++i) {
        for (int j = 0; j < words; ++j) product[j] *= factor_of_word(T{x[k + i * words + j].value});
      }
      for (int j = 0; j < words; ++j) multiply_by_word(total, product[j]);
    }
  }
  while (k < length) {
    const std::int64_t end = k + together < length ? k + together : length;
    word product = factor_of_word(T{x[k].value});
    for (++k; k < end; ++k) product *= factor_of_word(T{x[k].value});
    multiply_by_word(total, product);
  }
  return total;
}

/// Lanes of words, each beside the product of those that are full.
template <class T, int N>
struct bank<integer_product<T>, N> {
  using op_type = integer_product<T>;
  using accumulator = wide_integer;
  using word = product_word<T>;
  static constexpr std::int64_t capacity = lane_run;

  typename word::type few[N];
  wide_integer many[N];

  MULTIFOLD_INLINE void clear(const op_type& op, int n) {
    for (int j = 0; j < n; ++j) few[j] = 1;
    for (int j = 0; j < n; ++j) many[j] = op.identity();
  }
  MULTIFOLD_INLINE void absorb(const op_type&, const packed<T>* x, int first, int last, std::int64_t turn) {
    for (int j = first; j < last; ++j) {
      few[j] = static_cast<typename word::type>(few[j] * factor_of_word(T{x[j].value}));
    }
    if (turn % word::count == word::count - 1) widen(first, last);
  }
  MULTIFOLD_INLINE accumulator take(const op_type&, int j, std::int64_t, std::int64_t) const {
    accumulator all = many[j];
    multiply_by_word(all, few[j]);
    return all;
  }

 private:
  MULTIFOLD_INLINE void widen(int first, int last) {
    for (int j = first; j < last; ++j) multiply_by_word(many[j], few[j]);
    for (int j = first; j < last; ++j) few[j] = 1;
  }
};

}  // namespace multifold::inline v0_1::host
