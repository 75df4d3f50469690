// A tile of elements to their exact sum: in plain lanes where the processor says that it rounded nothing or the
// exponents allow it, in lanes of pairs, or, whatever the elements are, in exact_elements.
// See docs/exact-sums.md, 5, 7 and 11.
#pragma once

#include <cstdint>
#include <limits>

#include "host/elements/prefetch.hpp"
#include "host/elements/widened.hpp"
#include "host/exact/gather.hpp"
#include "host/exact/rounding_watch.hpp"
#include "host/kernels/row.hpp"

namespace multifold::inline v0_1::host {

/// Whether a few elements of T add up exactly in double as long as their exponents do not differ by much.
template <class T>
inline constexpr bool is_narrow = sizeof(T) < 8;

/// Whether all tiles of finite elements add up exactly in double: 40 bits of range and 13 of count.
template <class T>
inline constexpr bool always_fits = std::is_same_v<T, f16>;

/// Elements of a tile: they are in L1 when they have to be read again.
template <class T>
inline constexpr std::int64_t exact_tile_elements = always_fits<T>   ? 8192
                                                    : sizeof(T) == 4 ? 1024
                                                                     : 4096;
/// Of one that is watched: beginning and ending a watch takes as long as some hundred additions.
template <class T>
inline constexpr std::int64_t watched_tile_elements = sizeof(T) == 8 ? 8192 : 4096;

/// The extremes of the exponents of some elements. As bit patterns without the sign, zeros aside.
template <class T>
struct exponent_range {
  using layout = multifold::detail::float_layout<T>;
  using bits = typename layout::bits_type;
  static constexpr bits top = static_cast<bits>(layout::infinity << 1);

  bits most;   // twice the magnitude
  bits least;  // one less than that, so that zeros are out of the way

  /// Sums of 2^bits_of_count elements, in any order: whether none of them is rounded.
  MULTIFOLD_INLINE bool fits(int bits_of_count) const {
    if (most >= top) return false;
    const int highest = most >> (layout::mantissa_bits + 1);
    const int lowest = static_cast<bits>(least + 1) >> (layout::mantissa_bits + 1);
    return highest - (lowest > 1 ? lowest : 1) <= 53 - (layout::mantissa_bits + 1) - bits_of_count || most == 0;
  }
  MULTIFOLD_INLINE bool has_nan() const { return most > top; }
};

/// Lanes that gather the extremes.
template <class T, int N>
struct range_lanes {
  using bits = typename exponent_range<T>::bits;
  bits most[N], least[N];

  MULTIFOLD_INLINE void clear(int n) {
    for (int j = 0; j < n; ++j) most[j] = 0;
    for (int j = 0; j < n; ++j) least[j] = static_cast<bits>(~bits{0});
  }
  MULTIFOLD_INLINE void add(int j, T x) { add_twice(j, static_cast<bits>(bits_of_element(x) << 1)); }
  MULTIFOLD_INLINE void add_number(int j, T x) {
    const auto twice = static_cast<bits>(bits_of_element(x) << 1);
    add_twice(j, blend(twice > exponent_range<T>::top, bits{0}, twice));
  }
  MULTIFOLD_INLINE void add_four(int j, T a, T b, T c, T d) {
    const auto twice = [](T x) { return static_cast<bits>(bits_of_element(x) << 1); };
    const bits ta = twice(a), tb = twice(b), tc = twice(c), td = twice(d);
    const bits ab = ta < tb ? tb : ta, cd = tc < td ? td : tc, greatest = ab < cd ? cd : ab;
    const auto below = [](bits t) { return static_cast<bits>(t - 1); };  // zeros are none
    const bits la = below(ta), lb = below(tb), lc = below(tc), ld = below(td);
    const bits lab = la < lb ? la : lb, lcd = lc < ld ? lc : ld, lowest = lab < lcd ? lab : lcd;
    most[j] = most[j] < greatest ? greatest : most[j];
    least[j] = least[j] < lowest ? least[j] : lowest;
  }
  MULTIFOLD_INLINE exponent_range<T> at(int j) const { return {most[j], least[j]}; }
  MULTIFOLD_INLINE exponent_range<T> fold() {
    halve<N / 2>();
    return at(0);
  }

 private:
  template <int Width>
  MULTIFOLD_INLINE void halve() {
    for (int j = 0; j < Width; ++j) most[j] = most[j] < most[j + Width] ? most[j + Width] : most[j];
    for (int j = 0; j < Width; ++j) least[j] = least[j] < least[j + Width] ? least[j] : least[j + Width];
    if constexpr (Width > 1) halve<Width / 2>();
  }
  MULTIFOLD_INLINE void add_twice(int j, bits twice) {
    const auto below = static_cast<bits>(twice - 1);
    most[j] = most[j] < twice ? twice : most[j];
    least[j] = least[j] < below ? least[j] : below;
  }
};

/// ceil(log2(count))
constexpr int bits_of_count(std::int64_t count) {
  return count <= 1 ? 0 : 64 - __builtin_clzll(static_cast<unsigned long long>(count - 1));
}

/// The sum of elements in double, in whatever order: exact if their range fits.
template <class T>
MULTIFOLD_INLINE double plain_sum(const row_span<T>& row) {
  return row_of(float_sum<T>{}, row, 0, 0);
}

/// Elements [0, count) in blocks of N, the last one filled up with -0, which adds nothing to anything.
template <int N, const prefetch_distance& Ahead = ahead_of_work, class T, class Block>
MULTIFOLD_INLINE void for_each_block(const packed<T>* x, std::int64_t count, const Block& block) {
  std::int64_t k = 0;
  for (; k + N <= count; k += N) {
    prefetch_behind<Ahead>(x + k, N * sizeof(T));
    block(x + k);
  }
  if (k == count) return;
  packed<T> rest[N];
  for (int j = 0; j < N; ++j) rest[j].value = std::bit_cast<T>(multifold::detail::float_layout<T>::sign);
  for (int j = 0; k + j < count; ++j) rest[j] = x[k + j];
  block(rest);
}

template <class T>
MULTIFOLD_INLINE exponent_range<T> range_of(const packed<T>* x, std::int64_t count) {
  constexpr int lanes = 128 / sizeof(T);
  range_lanes<T, lanes> ranges;
  ranges.clear(lanes);
  for_each_block<lanes>(x, count, [&](const packed<T>* block) {
    for (int j = 0; j < lanes; ++j) ranges.add(j, block[j].value);
  });
  return ranges.fold();
}

template <int Width>
MULTIFOLD_INLINE void halve_sums(double* sums) {
  for (int j = 0; j < Width; ++j) sums[j] += sums[j + Width];
  if constexpr (Width > 1) halve_sums<Width / 2>(sums);
}

/// The sum of a tile in plain lanes; lost if they may have rounded.
template <class T>
MULTIFOLD_INLINE exact_pair checked_sum(const packed<T>* x, std::int64_t count) {
  constexpr int lanes = 32;
  range_lanes<T, lanes> ranges;
  double sums[lanes];
  ranges.clear(lanes);
  for (int j = 0; j < lanes; ++j) sums[j] = -0.0;
  for_each_block<lanes>(x, count, [&](const packed<T>* block) {
    for (int j = 0; j < lanes; ++j) ranges.add(j, block[j].value);
    for_each_widened<lanes>(block, 0, lanes, [&](int j, auto value) { sums[j] += to_double(value); });
  });
  halve_sums<lanes / 2>(sums);
  const bool fits = ranges.fold().fits(bits_of_count(count));
  return {sums[0], blend(fits, 0.0, std::numeric_limits<double>::quiet_NaN())};
}

/// The upper half of a significand, so that sums of halves have as many bits to spare as they have, and the rest.
struct double_halves {
  double high, low;

  MULTIFOLD_INLINE explicit double_halves(double x)
      : high(std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~std::uint64_t{0x7ffffff})), low(x - high) {}
};

/// The sum of a tile if the processor rounds nothing on the way; else it is lost. Where T is narrow, that costs no
/// operation an element; elsewhere, in halves, three more than a sum that is rounded.
template <class T>
MULTIFOLD_INLINE exact_pair watched_sum(row_span<T> row) {
  constexpr double lost = std::numeric_limits<double>::quiet_NaN();
  const rounding_watch watch(row.data);
  if constexpr (is_narrow<T>) {
    double sum = plain_sum(row);
    return {sum, watch.rounded(sum) ? lost : sum - sum};
  } else {
    constexpr int lanes = 32;
    double high[lanes], low[lanes];
    for (int j = 0; j < lanes; ++j) high[j] = low[j] = -0.0;
    for_each_block<lanes, ahead_of_reads>(row.data, row.length, [&](const packed<T>* block) {
      for (int j = 0; j < lanes; ++j) {
        const double_halves x(block[j].value);
        high[j] += x.high;
        low[j] += x.low;
      }
    });
    // All lanes together have more bits than one, so these are halved again.
    double halves[4][lanes];
    for (int j = 0; j < lanes; ++j) {
      const double_halves upper(high[j]), lower(low[j]);
      halves[0][j] = upper.high;
      halves[1][j] = upper.low;
      halves[2][j] = lower.high;
      halves[3][j] = lower.low;
    }
    for (double* half : halves) halve_sums<lanes / 2>(half);
    if (watch.rounded(halves[0][0], halves[1][0], halves[2][0], halves[3][0])) return {halves[0][0], lost};
    const double top = halves[0][0];
    if (top == 0 && halves[1][0] == 0 && halves[2][0] == 0 && halves[3][0] == 0) return {top, 0};  // with its sign
    return exact_pair{top, top - top} + halves[1][0] + halves[2][0] + halves[3][0];
  }
}

/// N sums side by side as pairs; what is lost stays lost.
template <int N>
struct pair_lanes {
  double high[N], low[N];

  MULTIFOLD_INLINE void clear(int n) {
    for (int j = 0; j < n; ++j) high[j] = -0.0;
    for (int j = 0; j < n; ++j) low[j] = 0;
  }
  MULTIFOLD_INLINE void add(int j, double x) {
    const auto s = multifold::detail::add_exactly(high[j], x);
    high[j] = s.sum;
    low[j] = sum_or_nan(low[j], s.error);
  }
  MULTIFOLD_INLINE exact_pair at(int j) const { return {high[j], low[j]}; }

  MULTIFOLD_INLINE exact_pair fold() {
    halve<N / 2>();
    return at(0);
  }

 private:
  // detail::add_or_lose in a form that vectorises.
  MULTIFOLD_INLINE static double sum_or_nan(double a, double b) {
    const double sum = a + b;
    const bool exact = (sum - a == b) & (sum - b == a);
    return blend(exact, sum, std::numeric_limits<double>::quiet_NaN());
  }
  template <int Width>
  MULTIFOLD_INLINE void halve() {
    for (int j = 0; j < Width; ++j) {
      const auto s = multifold::detail::add_exactly(high[j], high[j + Width]);
      high[j] = s.sum;
      low[j] = sum_or_nan(sum_or_nan(low[j], low[j + Width]), s.error);
    }
    if constexpr (Width > 1) halve<Width / 2>();
  }
};

/// The sum of a tile in lanes of pairs; it may be lost.
template <class T>
MULTIFOLD_INLINE exact_pair pair_sum(const packed<T>* x, std::int64_t count) {
  constexpr int lanes = 16;
  pair_lanes<lanes> sums;
  sums.clear(lanes);
  for_each_block<lanes>(x, count, [&](const packed<T>* block) {
    for_each_widened<lanes>(block, 0, lanes, [&](int j, auto value) { sums.add(j, to_double(value)); });
  });
  return sums.fold();
}

/// Whether there is nothing but -0: the sum of that alone is -0, and what is spilled is not.
template <class T>
MULTIFOLD_INLINE bool only_negative_zeros(const packed<T>* x, std::int64_t count) {
  for (std::int64_t k = 0; k < count; ++k) {
    if (bits_of_element(T{x[k].value}) != multifold::detail::float_layout<T>::sign) return false;
  }
  return true;
}

/// The sum of a tile if it comes quickly; else it is lost. A NaN is always lost.
template <class T>
MULTIFOLD_INLINE exact_pair quick_sum(const exact_kernels<T>& kernels, const row_span<T>& row) {
  if constexpr (always_fits<T>) {
    if (row.length >= longest_short_row<float_sum<T>>) return kernels.sum_tile(row.data, row.length);
    const double sum = plain_sum(row);
    return {sum, sum - sum};
  } else {
    if constexpr (is_narrow<T>) {
      const exact_pair sum = checked_sum(row.data, row.length);
      if (!sum.lost()) return sum;
    }
    return pair_sum(row.data, row.length);
  }
}

}  // namespace multifold::inline v0_1::host
