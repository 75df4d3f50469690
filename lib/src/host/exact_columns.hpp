// Columns to their exact sums: tiles of lanes, of which those that a lane cannot hold are read again.
#pragma once

#include "host/columns.hpp"
#include "host/exact_row.hpp"

namespace multifold::host {

/// Lanes of f32 and bf16: plain sums, with the extremes of their exponents. f16: sums alone, which always fit.
template <class T, bool Omit, int N>
requires(is_narrow<T>) struct bank<exact_gather<T, Omit>, N> {
  using op_type = exact_gather<T, Omit>;
  static constexpr bool always_fits = std::is_same_v<T, f16>;
  static constexpr std::int64_t capacity = always_fits ? 4096 : 256;

  double sum[N];
  range_lanes<T, N> ranges;
  std::int32_t count[N];  // if NaNs are omitted

  MULTIFOLD_INLINE void clear(const op_type&, int n) {
    for (int j = 0; j < n; ++j) sum[j] = -0.0;
    if constexpr (!always_fits) ranges.clear(n);
    if constexpr (Omit) {
      for (int j = 0; j < n; ++j) count[j] = 0;
    }
  }

  MULTIFOLD_INLINE void absorb(const op_type&, const packed<T>* x, int first, int last, std::int64_t) {
    if constexpr (!always_fits) {
      for (int j = first; j < last; ++j) Omit ? ranges.add_number(j, x[j].value) : ranges.add(j, x[j].value);
    }
    for_each_widened<N>(x, first, last, [&](int j, auto element) {
      const double value = to_double(element);
      sum[j] += Omit ? blend(value == value, value, -0.0) : value;
    });
    if constexpr (Omit) {
      for_each_widened<N>(x, first, last, [&](int j, auto element) { count[j] += element == element ? 1 : 0; });
    }
  }

  MULTIFOLD_INLINE exact_pair at(int j) const {
    if constexpr (always_fits) return {sum[j], sum[j] - sum[j]};
    const bool fits = ranges.at(j).fits(bits_of_count(capacity));
    return {sum[j], blend(fits, 0.0, std::numeric_limits<double>::quiet_NaN())};
  }
};

/// Lanes of f64: pairs.
template <bool Omit, int N>
struct bank<exact_gather<double, Omit>, N> {
  using op_type = exact_gather<double, Omit>;
  static constexpr std::int64_t capacity = 256;

  pair_lanes<N> sums;
  std::int64_t count[N];  // if NaNs are omitted

  MULTIFOLD_INLINE void clear(const op_type&, int n) {
    sums.clear(n);
    if constexpr (Omit) {
      for (int j = 0; j < n; ++j) count[j] = 0;
    }
  }
  MULTIFOLD_INLINE void absorb(const op_type&, const packed<double>* x, int first, int last, std::int64_t) {
    for (int j = first; j < last; ++j) {
      const double value = x[j].value;
      sums.add(j, Omit ? blend(value == value, value, -0.0) : value);
      if constexpr (Omit) count[j] += value == value ? 1 : 0;
    }
  }
  MULTIFOLD_INLINE exact_pair at(int j) const { return sums.at(j); }
};

/// What a lane could not hold, read again: up to a stretch of elements that are not neighbours.
template <class T, bool Omit>
[[gnu::noinline]] void add_again(const exact_gather<T, Omit>& op, typename exact_gather<T, Omit>::accumulator& into,
                                 const lane_elements<T>& elements) {
  packed<T> together[4096];
  for (std::int64_t k = 0; k < elements.count; ++k) together[k] = elements.data[k * elements.stride];
  const exact_pair sum = quick_sum<T>({together, elements.count, elements.count});
  if (sum.lost()) return add_slowly(op, into, together, elements.count);
  if constexpr (Omit) into.count += elements.count;
  op.add(into, sum);
}

template <class T, bool Omit, class Tile>
MULTIFOLD_INLINE void merge_lane(const exact_gather<T, Omit>& op, typename exact_gather<T, Omit>::accumulator& into,
                                 const Tile& tile, int lane, const lane_elements<T>& elements) {
  static_assert(Tile::capacity <= 4096);
  const exact_pair sum = tile.at(lane);
  if (sum.lost()) return add_again(op, into, elements);
  if constexpr (Omit) into.count += tile.count[lane];
  op.add(into, sum);
}

/// A stretch of columns at a time, so that those that are lost can be added again to what they were.
template <class T, bool Omit>
MULTIFOLD_INLINE void merge_row(const exact_gather<T, Omit>& op, typename exact_gather<T, Omit>::accumulator* acc,
                                const packed<T>* row, std::int64_t width, std::int64_t) {
  constexpr int most = 64;
  for (std::int64_t first = 0; first < width; first += most) {
    const int n = static_cast<int>(width - first < most ? width - first : most);
    pair_lanes<most> sums;
    for (int j = 0; j < n; ++j) sums.high[j] = acc[first + j].pair.high;
    for (int j = 0; j < n; ++j) sums.low[j] = acc[first + j].pair.low;
    for (int j = 0; j < n; ++j) sums.add(j, to_double(T{row[first + j].value}));
    bool lost = false;
    for (int j = 0; j < n; ++j) lost |= sums.at(j).lost();
    for (int j = 0; j < n; ++j) {
      auto& into = acc[first + j];
      if (lost && sums.at(j).lost()) {
        add_again(op, into, lane_elements<T>{row + first + j, 1, 1, 0, 0});
      } else {
        into.pair = sums.at(j);
        if constexpr (Omit) ++into.count;
      }
    }
  }
}

}  // namespace multifold::host
