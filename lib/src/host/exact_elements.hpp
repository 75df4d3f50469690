// Elements of any magnitudes into an exact sum, at about the same speed whatever they are: for what lanes of binary64
// cannot hold. Bounds: docs/exact-sums.md, 12.
#pragma once

#include <algorithm>
#include <cstdint>

#include "host/exact_exponents.hpp"
#include "host/prefetch.hpp"
#include "host/widened.hpp"
#include "multifold/exact/accumulator.hpp"

namespace multifold::host {

namespace detail {

/// A run of elements in the digits of an exact sum, which are put together once, at its end. An element goes to the
/// digit that its exponent names: first a block of shifted significands, which vectorises, then the additions.
/// Neighbours go to different copies of the digits, or equal exponents would wait for each other; few elements do with
/// one copy.
template <floating_storage T, int Copies>
class element_run {
 public:
  using format = exact_traits<T>;
  // A significand of p bits, shifted by up to 31, has p + 31; one of binary64 is cut into two parts below 2^53.
  static constexpr bool wide = sizeof(T) == 8;
  static constexpr std::int64_t capacity = Copies * (wide ? 1 << 10 : 1 << 7);

  /// Adds `count` elements, at most `capacity`. Returns whether all are finite; others add what must not be used.
  MULTIFOLD_INLINE bool add(const packed<T>* x, std::int64_t count) {
    std::int64_t k = 0;
    for (; k + block <= count; k += block) add_block<block>(x + k);
    for (; k + small_block <= count; k += small_block) add_block<small_block>(x + k);
    if (k < count) {
      packed<T> rest[small_block] = {};
      for (std::int64_t j = 0; k + j < count; ++j) rest[j] = x[k + j];
      add_block<small_block>(rest);
    }
    word largest = 0;
    for (int j = 0; j < block; ++j) largest = largest < largest_[j] ? largest_[j] : largest;
    return largest < top_field;
  }

  MULTIFOLD_INLINE void add_to(exact_sum<T>& total) const {
    digits<format::digit_count> sum{};
    for (int i = 0; i < used; ++i) {
      std::int64_t low = 0, high = 0;  // apart, for all copies together would overflow
      for (int copy = 0; copy < Copies; ++copy) {
        low += digit_[copy][i] & 0xffffffff;
        high += digit_[copy][i] >> 32;
      }
      sum.digit[i] += low;
      sum.digit[i + 1] += high;
    }
    total.add_digits(sum, 2 * Copies);
  }

 private:
  using layout = multifold::detail::float_layout<T>;
  using word = std::conditional_t<wide, std::int64_t, std::int32_t>;
  static constexpr int small_block = 8;
  static constexpr int block = 64;  // more than registers hold: out of those, additions would take twice as long
  static constexpr word top_field = static_cast<word>(layout::infinity >> layout::mantissa_bits);
  // bf16 is summed in the digits of f32, which begin further down.
  static constexpr word lift = layout::least_exponent - format::unit_exponent;
  static constexpr int used = (top_field + lift) / 32 + (wide ? 2 : 1);
  static_assert(used < format::digit_count);

  template <int N>
  MULTIFOLD_INLINE void add_block(const packed<T>* x) {
    if constexpr (N == block) prefetch_behind(x, N * sizeof(T));
    std::int64_t low[N], high[N];
    word at[N];
    for (int j = 0; j < N; ++j) {
      const auto bits = static_cast<word>(bits_of_element(T{x[j].value}));
      const word field = static_cast<word>(bits >> layout::mantissa_bits) & top_field;
      const word normal = field != 0 ? 1 : 0;
      const word significand = (bits & ((word{1} << layout::mantissa_bits) - 1)) | (normal << layout::mantissa_bits);
      const word sign = -((bits >> (8 * sizeof(T) - 1)) & 1);
      const word position = field - normal + lift, shift = position & 31;
      at[j] = position >> 5;
      largest_[j] = largest_[j] < field ? field : largest_[j];
      if constexpr (wide) {
        low[j] = (((significand << shift) & 0xffffffff) ^ sign) - sign;
        high[j] = (((significand >> 1) >> (31 - shift)) ^ sign) - sign;
      } else {
        low[j] = std::int64_t{(significand ^ sign) - sign} << shift;
      }
    }
    for (int first = 0; first < N; first += Copies) {
      for (int copy = 0; copy < Copies; ++copy) {
        const int j = first + copy;
        digit_[copy][at[j]] += low[j];
        if constexpr (wide) digit_[copy][at[j] + 1] += high[j];
      }
    }
  }

  std::int64_t digit_[Copies][used] = {};
  word largest_[block] = {};
};

/// NaN and infinities among some elements, but not their number.
template <floating_storage T>
[[gnu::noinline]] void mark_specials(exact_sum<T>& sum, const packed<T>* x, std::int64_t count) {
  exact_counters marks;
  for (std::int64_t k = 0; k < count; ++k) {
    const multifold::detail::unpacked parts = multifold::detail::unpack(T{x[k].value});
    marks.nan |= parts.nan ? 1 : 0;
    marks.positive_infinity |= parts.infinite && !parts.negative ? 1 : 0;
    marks.negative_infinity |= parts.infinite && parts.negative ? 1 : 0;
  }
  sum.add_counts(marks);
}

template <class Run, floating_storage T>
[[gnu::noinline]] void add_with_specials(exact_sum<T>& sum, const packed<T>* x, std::int64_t count) {
  packed<T> finite[Run::capacity];
  std::int64_t kept = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    if (multifold::detail::unpack(T{x[k].value}).finite()) finite[kept++] = x[k];
  }
  mark_specials(sum, x, count);
  Run run;
  run.add(finite, kept);
  run.add_to(sum);
}

template <class Run, floating_storage T>
MULTIFOLD_INLINE void add_runs(exact_sum<T>& sum, const packed<T>* x, std::int64_t count) {
  for (std::int64_t first = 0; first < count; first += Run::capacity) {
    const std::int64_t some = std::min(count - first, Run::capacity);
    Run run;
    if (run.add(x + first, some)) run.add_to(sum);
    else add_with_specials<Run>(sum, x + first, some);
  }
}

template <floating_storage T>
MULTIFOLD_INLINE void add_by_exponent(exact_sum<T>& sum, const packed<T>* x, std::int64_t count) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  for (std::int64_t first = 0; first < count; first += most) {
    const std::int64_t some = std::min(count - first, most);
    exponent_run<T> run;
    run.add(x + first, some);
    run.add_to(sum);
    if (!run.finite()) mark_specials(sum, x + first, some);
  }
}

template <floating_storage T>
MULTIFOLD_INLINE void add_any(exact_sum<T>& sum, const packed<T>* x, std::int64_t count) {
  constexpr std::int64_t few = 128, many = sizeof(T) == 8 ? 8192 : 4096;
  if (count <= few) add_runs<element_run<T, 1>>(sum, x, count);
  else if (count < many) add_runs<element_run<T, sizeof(T) == 8 ? 4 : 8>>(sum, x, count);
  else add_by_exponent(sum, x, count);
}

}  // namespace detail
}  // namespace multifold::host
