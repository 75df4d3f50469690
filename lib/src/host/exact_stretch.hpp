// A stretch of elements to their exact sum: in plain lanes where the exponents allow it, in lanes of pairs, or,
// whatever the elements are, in exact_elements.
#pragma once

#include <cstdint>
#include <limits>

#include "host/exact_gather.hpp"
#include "host/prefetch.hpp"
#include "host/row.hpp"
#include "host/widened.hpp"

namespace multifold::host {

/// Whether a few elements of T add up exactly in binary64 as long as their exponents do not differ by much.
template <class T>
inline constexpr bool is_narrow = sizeof(T) < 8;

/// Elements of a stretch: they are in L1 when they have to be read again.
template <class T>
inline constexpr std::int64_t exact_stretch = sizeof(T) == 4 ? 1024 : 4096;

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

template <class T>
MULTIFOLD_INLINE exponent_range<T> range_of(const packed<T>* x, std::int64_t count) {
  using range = exponent_range<T>;
  using bits = typename range::bits;
  constexpr int lanes = 128 / sizeof(T);
  bits most[lanes] = {}, least[lanes];
  for (int j = 0; j < lanes; ++j) least[j] = static_cast<bits>(~bits{0});
  const auto put = [&](int j, T element) {
    const auto twice = static_cast<bits>(bits_of_element(element) << 1);
    const auto below = static_cast<bits>(twice - 1);
    most[j] = most[j] < twice ? twice : most[j];
    least[j] = least[j] < below ? least[j] : below;
  };
  std::int64_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    prefetch_behind(x + k, lanes * sizeof(T));
    for (int j = 0; j < lanes; ++j) put(j, x[k + j].value);
  }
  for (int j = 0; k + j < count; ++j) put(j, x[k + j].value);
  range r{0, static_cast<bits>(~bits{0})};
  for (int j = 0; j < lanes; ++j) r.most = r.most < most[j] ? most[j] : r.most;
  for (int j = 0; j < lanes; ++j) r.least = r.least < least[j] ? r.least : least[j];
  return r;
}

/// ceil(log2(count))
constexpr int bits_of_count(std::int64_t count) {
  return count <= 1 ? 0 : 64 - __builtin_clzll(static_cast<unsigned long long>(count - 1));
}

/// The sum of elements in binary64, in whatever order: exact if their range fits.
template <class T>
MULTIFOLD_INLINE double plain_sum(const row_span<T>& row) {
  return row_of(float_sum<T>{}, row, 0, 0);
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

/// The sum of a stretch in lanes of pairs; it may be lost.
template <class T>
MULTIFOLD_INLINE exact_pair pair_sum(const packed<T>* x, std::int64_t count) {
  constexpr int lanes = 16;
  pair_lanes<lanes> sums;
  sums.clear(lanes);
  std::int64_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    prefetch_behind(x + k, lanes * sizeof(T));
    for_each_widened<lanes>(x + k, 0, lanes, [&](int j, auto value) { sums.add(j, to_double(value)); });
  }
  for (int j = 0; k + j < count; ++j) sums.add(j, to_double(T{x[k + j].value}));
  return sums.fold();
}

/// The sum of a stretch if it comes quickly; else it is lost. A NaN is always lost.
template <class T>
MULTIFOLD_INLINE exact_pair quick_sum(const row_span<T>& row) {
  if constexpr (std::is_same_v<T, f16>) {
    // 40 bits of range and 12 of count: finite elements always fit.
    const double sum = plain_sum(row);
    return {sum, sum - sum};
  } else {
    if constexpr (is_narrow<T>) {
      if (range_of(row.data, row.length).fits(bits_of_count(row.length))) return {plain_sum(row), 0.0};
    }
    return pair_sum(row.data, row.length);
  }
}

}  // namespace multifold::host
