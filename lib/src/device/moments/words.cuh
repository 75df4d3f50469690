// Adding numbers of any kind to the words of a set of moments, which lie in shared or global memory and belong to many
// threads. Slow, exact, and never at a loss. Nothing here is kept out of line: threads that called a function one by
// one met the next barrier one by one, too, and compute-sanitizer's synccheck objects to that.
#pragma once

#include "device/exact/words.cuh"
#include "multifold/exact/expansion.hpp"
#include "multifold/ops/moment_partial.hpp"
#include "multifold/ops/moment_words.hpp"

namespace multifold::cuda::moments {

using exact::add_word;

/// Marks a sum of anything but -0. The lower half of the word has atomics of its own in shared memory; those of a whole
/// word are loops there, which the threads of a block would all run for the same one.
template <class Format>
__device__ void mark_not_negative_zero(std::int64_t* digit) {
  constexpr int mark = Format::digit_count + 3;
  atomicOr(reinterpret_cast<unsigned*>(digit + mark), 1u);
}

/// Adds a finite binary64 that is a sum of numbers of `Format`.
template <class Format>
__device__ void add_double(std::int64_t* digit, double x) {
  const multifold::detail::whole_quanta q = multifold::detail::quanta_of(x);
  const int position = q.exponent - Format::unit_exponent;
  if (position >= 0) exact::add_quanta(digit, q.value, position);
  else exact::add_quanta(digit, q.value >> min(-position, 63), 0);  // the bits that fall off are zeros
}

/// Adds an expansion that is not lost, if anything was ever added to it. By value, so that those of the callers stay in
/// registers.
template <class Format, int Parts>
__device__ void add_expansion(std::int64_t* digit, expansion<Parts> sum) {
  if (sum.only_negative_zeros()) return;
#pragma unroll 1
  for (int i = 0; i < Parts; ++i) add_double<Format>(digit, sum.part[i]);
  mark_not_negative_zero<Format>(digit);
}

/// Adds +-significand * 2^position.
__device__ inline void add_signed(std::int64_t* digit, std::uint64_t significand, int position, bool negative) {
  const auto low = static_cast<std::int64_t>(significand & 0xffffffffu);
  const auto high = static_cast<std::int64_t>(significand >> 32);
  exact::add_quanta(digit, negative ? -low : low, position);
  exact::add_quanta(digit, negative ? -high : high, position + 32);
}

/// Counts a number that is not finite, or marks one that is no -0.
template <class Format>
__device__ void mark_number(std::int64_t* digit, const multifold::detail::unpacked& x, bool zero) {
  std::int64_t* const marks = digit + Format::digit_count;
  if (!x.finite()) add_word(marks + (x.nan ? 0 : x.negative ? 2 : 1), 1);
  if (!(x.finite() && zero && x.negative)) mark_not_negative_zero<Format>(digit);
}

/// Adds one number, which may be anything.
template <storage_type T>
__device__ void add_number(std::int64_t* digit, T x) {
  using format = exact_traits<T>;
  const multifold::detail::unpacked parts = multifold::detail::unpack(x);
  constexpr int shift = multifold::detail::number_layout<T>::least_exponent - format::unit_exponent;
  if (parts.finite()) add_signed(digit, parts.significand, parts.position + shift, parts.negative);
  mark_number<format>(digit, parts, parts.zero());
}

/// Adds one product, of anything.
template <storage_type T>
__device__ void add_product(std::int64_t* digit, T a, T b) {
  using format = exact_product_traits<T>;
  const multifold::detail::unpacked x = multifold::detail::unpack(a), y = multifold::detail::unpack(b);
  multifold::detail::unpacked product{};
  product.negative = x.negative != y.negative;
  product.nan = x.nan || y.nan || (x.infinite && y.zero()) || (y.infinite && x.zero());
  product.infinite = !product.nan && (x.infinite || y.infinite);
  if (product.finite()) {
    constexpr int shift = 2 * multifold::detail::number_layout<T>::least_exponent - format::unit_exponent;
    const uint128_t exact = static_cast<uint128_t>(x.significand) * y.significand;
    const int position = shift + x.position + y.position;
    add_signed(digit, static_cast<std::uint64_t>(exact), position, product.negative);
    if ((exact >> 64) != 0) {
      add_signed(digit, static_cast<std::uint64_t>(exact >> 64), position + 64, product.negative);
    }
  }
  mark_number<format>(digit, product, x.zero() || y.zero());
}

/// Adds an element, or a pair of elements, to all sums of the set.
template <storage_type T, moment_set Set>
__device__ void add_slowly(std::int64_t* words, T x, T y, nan_policy nan) {
  using at = moment_words<T, Set>;
  if constexpr (Set == moment_set::description) {
    const multifold::detail::unpacked parts = multifold::detail::unpack(x);
    if (parts.nan) add_word(words + at::nans, 1);
    if (parts.infinite) add_word(words + (parts.negative ? at::negative_infinities : at::positive_infinities), 1);
    if (parts.finite() && parts.zero()) add_word(words + at::zeros, 1);
  }
  if (nan == nan_policy::omit && (multifold::detail::unpack(x).nan || multifold::detail::unpack(y).nan)) {
    add_word(words + at::omitted, 1);
    return;
  }
  if constexpr (sums_elements(Set)) add_number(words + at::x, x);
  if constexpr (Set == moment_set::joint) add_number(words + at::y, y);
  if constexpr (sums_products(Set)) add_product(words + at::products, x, y);
}

}  // namespace multifold::cuda::moments
