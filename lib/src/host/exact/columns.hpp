// Columns to their exact sums: tiles of lanes, of which those that a lane cannot hold are read again.
#pragma once

#include "host/exact/bin_columns.hpp"
#include "host/exact/row.hpp"
#include "host/kernels/columns.hpp"

namespace multifold::inline v0_1::host {

/// Lanes of f32 and bf16: plain sums, with the extremes of their exponents. f16: sums alone, which always fit.
template <class T, bool Omit, int N>
requires(is_narrow<T>) struct bank<exact_gather<T, Omit>, N> {
  using op_type = exact_gather<T, Omit>;
  static constexpr std::int64_t capacity = always_fits<T> ? 4096 : 256;

  double sum[N];
  range_lanes<T, N> ranges;
  std::int32_t count[N];  // if NaNs are omitted

  MULTIFOLD_INLINE void clear(const op_type&, int n) {
    for (int j = 0; j < n; ++j) sum[j] = -0.0;
    if constexpr (!always_fits<T>) ranges.clear(n);
    if constexpr (Omit) {
      for (int j = 0; j < n; ++j) count[j] = 0;
    }
  }

  MULTIFOLD_INLINE void absorb(const op_type&, const packed<T>* x, int first, int last, std::int64_t) {
    if constexpr (!always_fits<T>) {
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

  /// Four rows, `stride` apart, so that lanes are read and written once for them.
  static constexpr int rows_together = 4;
  MULTIFOLD_INLINE void absorb_rows(const op_type&, const packed<T>* x, std::int64_t stride, int first,
                                    int last) requires(std::is_same_v<T, float> && !Omit) {
    const packed<T>*const a = x, *const b = x + stride, *const c = x + 2 * stride, *const d = x + 3 * stride;
    for (int j = first; j < last; ++j) ranges.add_four(j, a[j].value, b[j].value, c[j].value, d[j].value);
    for (int j = first; j < last; ++j) {
      sum[j] +=
          (to_double(T{a[j].value}) + to_double(T{b[j].value})) + (to_double(T{c[j].value}) + to_double(T{d[j].value}));
    }
  }

  MULTIFOLD_INLINE exact_pair at(int j) const {
    if constexpr (always_fits<T>) return {sum[j], sum[j] - sum[j]};
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

/// What a lane could not hold.
template <class T, bool Omit>
[[gnu::noinline]] void add_again(const exact_gather<T, Omit>& op, typename exact_gather<T, Omit>::accumulator& into,
                                 const packed<T>* x, std::int64_t count) {
  if constexpr (is_narrow<T>) {
    const exact_pair sum = op.kernels->sum_tile(x, count);
    if (!sum.lost()) {
      if constexpr (Omit) into.count += count;
      return op.add(into, sum);
    }
  }
  add_slowly(op, into, x, count);
}

template <class T, bool Omit, class Tile>
MULTIFOLD_INLINE void merge_lane(const exact_gather<T, Omit>& op, typename exact_gather<T, Omit>::accumulator& into,
                                 const Tile& tile, int lane, const lane_elements<T>& elements) {
  const exact_pair sum = tile.at(lane);
  if (sum.lost()) {
    packed<T> together[Tile::capacity];
    for (std::int64_t k = 0; k < elements.count; ++k) together[k] = elements.data[k * elements.stride];
    return add_again(op, into, together, elements.count);
  }
  if constexpr (Omit) into.count += tile.count[lane];
  op.add(into, sum);
}

template <class T, bool Omit, class Tile>
[[gnu::noinline]] void merge_group(const exact_gather<T, Omit>& op, typename exact_gather<T, Omit>::accumulator* into,
                                   const Tile& tile, int first, int lanes, const lane_elements<T>& elements) {
  constexpr int group = 16;
  packed<T> columns[group][Tile::capacity];
  for (std::int64_t k = 0; k < elements.count; ++k) {
    const packed<T>* const row = elements.data + k * elements.stride;
    for (int j = 0; j < lanes; ++j) columns[j][k] = row[j];
  }
  for (int j = 0; j < lanes; ++j) {
    if (tile.at(first + j).lost()) add_again(op, into[j], columns[j], elements.count);
    else merge_lane(op, into[j], tile, first + j, {nullptr, 0, elements.count, 0, 0});
  }
}

/// Lanes by groups: where several of one are lost, their rows are read once for all of them.
template <class T, bool Omit, class Tile>
MULTIFOLD_INLINE void merge_lanes(const exact_gather<T, Omit>& op, typename exact_gather<T, Omit>::accumulator* into,
                                  const Tile& tile, int n, const lane_elements<T>& elements) {
  constexpr int group = 16, worth_it = 4;
  for (int first = 0; first < n; first += group) {
    const int lanes = n - first < group ? n - first : group;
    int lost = 0;
    for (int j = 0; j < lanes; ++j) lost += tile.at(first + j).lost() ? 1 : 0;
    const packed<T>* const top = elements.data + first;
    if (lost < worth_it) {
      for (int j = 0; j < lanes; ++j) {
        merge_lane(op, into[first + j], tile, first + j, {top + j, elements.stride, elements.count, 0, 0});
      }
    } else {
      merge_group(op, into + first, tile, first, lanes, {top, elements.stride, elements.count, 0, 0});
    }
  }
}

/// Some columns at a time, so that those that are lost can be added again to what they were.
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
        add_again(op, into, row + first + j, 1);
      } else {
        into.pair = sums.at(j);
        if constexpr (Omit) ++into.count;
      }
    }
  }
}

}  // namespace multifold::inline v0_1::host
