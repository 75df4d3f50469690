// Elements of any magnitudes into an exact sum, at about the same speed whatever they are: for what lanes of doubles
// cannot hold. Bounds: docs/exact-sums.md, 12.
#pragma once

#include <algorithm>
#include <cstdint>

#include "host/elements/widened.hpp"
#include "host/exact/bins.hpp"
#include "host/exact/exponents.hpp"
#include "host/exact/tile.hpp"
#include "multifold/exact/accumulator.hpp"
#include "multifold/exact/expansions/pair.hpp"

namespace multifold::inline v0_1::host {
namespace detail {

/// A run of doubles in the limbs of an exact sum, which are put together once, at its end. An element goes to the
/// two limbs that its exponent names: first a block of shifted significands, which vectorises, then the additions.
/// Neighbours go to different copies of the limbs, or equal exponents would wait for each other; few elements do with
/// one copy.
template <int Copies>
class element_run {
 public:
  using format = exact_traits<double>;
  // A significand is cut into two parts below 2^53.
  static constexpr std::int64_t capacity = Copies * (1 << 10);

  /// Adds `count` elements, at most `capacity`. Returns whether all are finite; others add what must not be used.
  MULTIFOLD_INLINE bool add(const packed<double>* x, std::int64_t count) {
    std::int64_t k = 0;
    for (; k + block <= count; k += block) add_block<block>(x + k);
    for (; k + small_block <= count; k += small_block) add_block<small_block>(x + k);
    if (k < count) {
      packed<double> rest[small_block] = {};
      for (std::int64_t j = 0; k + j < count; ++j) rest[j] = x[k + j];
      add_block<small_block>(rest);
    }
    std::int64_t largest = 0;
    for (int j = 0; j < block; ++j) largest = largest < largest_[j] ? largest_[j] : largest;
    return largest < top_field;
  }

  MULTIFOLD_INLINE void add_to(exact_sum<double>& total) const {
    limbs<format::limb_count> sum{};
    for (int i = 0; i < used; ++i) {
      std::int64_t low = 0, high = 0;  // apart, for all copies together would overflow
      for (int copy = 0; copy < Copies; ++copy) {
        low += limb_[copy][i] & 0xffffffff;
        high += limb_[copy][i] >> 32;
      }
      sum.limb[i] += low;
      sum.limb[i + 1] += high;
    }
    total.add_limbs(sum, 2 * Copies);
  }

 private:
  using layout = multifold::detail::float_layout<double>;
  static constexpr int small_block = 8;
  static constexpr int block = 64;  // more than registers hold: out of those, additions would take twice as long
  static constexpr auto top_field = static_cast<std::int64_t>(layout::infinity >> layout::mantissa_bits);
  static constexpr int used = static_cast<int>(top_field) / 32 + 2;
  static_assert(used < format::limb_count);

  template <int N>
  MULTIFOLD_INLINE void add_block(const packed<double>* x) {
    if constexpr (N == block) prefetch_behind(x, N * sizeof(double));
    std::int64_t low[N], high[N], at[N];
    for (int j = 0; j < N; ++j) {
      const auto bits = std::bit_cast<std::int64_t>(double{x[j].value});  // no reference to an unaligned member
      const std::int64_t field = (bits >> layout::mantissa_bits) & top_field;
      const std::int64_t normal = field != 0 ? 1 : 0;
      const std::int64_t fraction = bits & ((std::int64_t{1} << layout::mantissa_bits) - 1);
      const std::int64_t significand = fraction | (normal << layout::mantissa_bits);
      const std::int64_t sign = bits >> 63, position = field - normal, shift = position & 31;
      at[j] = position >> 5;
      largest_[j] = largest_[j] < field ? field : largest_[j];
      low[j] = (((significand << shift) & 0xffffffff) ^ sign) - sign;
      high[j] = (((significand >> 1) >> (31 - shift)) ^ sign) - sign;
    }
    for (int first = 0; first < N; first += Copies) {
      for (int copy = 0; copy < Copies; ++copy) {
        const int j = first + copy;
        limb_[copy][at[j]] += low[j];
        limb_[copy][at[j] + 1] += high[j];
      }
    }
  }

  std::int64_t limb_[Copies][used] = {};
  std::int64_t largest_[block] = {};
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

template <class Run>
[[gnu::noinline]] void add_with_specials(exact_sum<double>& sum, const packed<double>* x, std::int64_t count) {
  packed<double> finite[Run::capacity];
  std::int64_t kept = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    if (multifold::detail::unpack(x[k].value).finite()) finite[kept++] = x[k];
  }
  mark_specials(sum, x, count);
  Run run;
  run.add(finite, kept);
  run.add_to(sum);
}

template <class Run>
MULTIFOLD_INLINE void add_runs(exact_sum<double>& sum, const packed<double>* x, std::int64_t count) {
  for (std::int64_t first = 0; first < count; first += Run::capacity) {
    const std::int64_t some = std::min(count - first, Run::capacity);
    Run run;
    if (run.add(x + first, some)) run.add_to(sum);
    else add_with_specials<Run>(sum, x + first, some);
  }
}

MULTIFOLD_INLINE void add_by_exponent(exact_sum<double>& sum, const packed<double>* x, std::int64_t count) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  for (std::int64_t first = 0; first < count; first += most) {
    const std::int64_t some = std::min(count - first, most);
    exponent_run run;
    run.add(x + first, some);
    run.add_to(sum);
    if (!run.finite()) mark_specials(sum, x + first, some);
  }
}

// f16 come here for specials among them: a tile of others fits a double.
MULTIFOLD_INLINE void add_halves(exact_sum<f16>& sum, const packed<f16>* x, std::int64_t count) {
  constexpr std::uint16_t infinity = multifold::detail::float_layout<f16>::infinity;
  for (std::int64_t first = 0; first < count; first += exact_tile_elements<f16>) {
    const std::int64_t some = std::min(count - first, exact_tile_elements<f16>);
    packed<f16> finite[exact_tile_elements<f16>];
    std::uint16_t largest = 0;
    for (std::int64_t k = 0; k < some; ++k) {
      const std::uint16_t bits = x[first + k].value.bits, field = bits & infinity;
      largest = largest < field ? field : largest;
      finite[k].value.bits = field == infinity ? 0 : bits;
    }
    const auto q = multifold::detail::quanta_of(plain_sum(row_span<f16>{finite, some, some}));
    sum.add_quanta(q.value, q.exponent);
    if (largest == infinity) mark_specials(sum, x + first, some);
  }
}

}  // namespace detail

/// Adds `count` elements, whatever they are, to a sum that does not count its elements.
template <floating_storage T>
MULTIFOLD_INLINE void add_any(exact_sum<T>& sum, const packed<T>* x, std::int64_t count) {
  if constexpr (std::is_same_v<T, f16>) {
    detail::add_halves(sum, x, count);
  } else if constexpr (std::is_same_v<T, double>) {
    constexpr std::int64_t few = 128, many = 8192;
    if (count <= few) detail::add_runs<detail::element_run<1>>(sum, x, count);
    else if (count < many) detail::add_runs<detail::element_run<4>>(sum, x, count);
    else detail::add_by_exponent(sum, x, count);
  } else {
    add_in_bins(sum, x, count);
  }
}

}  // namespace multifold::inline v0_1::host
