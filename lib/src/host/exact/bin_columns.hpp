// Columns of any magnitudes to their exact sums: bins of exponents for each of them, side by side.
#pragma once

#include <bit>

#include "host/aligned_bytes.hpp"
#include "host/exact/bins.hpp"
#include "host/exact/gather.hpp"
#include "host/exact/tile.hpp"
#include "host/exact/wide_bin_columns.hpp"
#include "host/kernels/columns.hpp"

namespace multifold::inline v0_1::host {

/// Bins of neighbouring columns, each with its own.
template <floating_storage T, bool Omit>
struct bin_columns {
  using accumulator = typename exact_gather<T, Omit>::accumulator;
  using bins = exponent_bins<T>;
  static constexpr int lanes = 32;
  static constexpr std::int64_t bytes = lanes * sizeof(bins);
  // Rows. Into L2, for in L1 lines that lie as far apart as rows do would drive each other out.
  static constexpr std::int64_t far_away = 16;

  const exact_gather<T, Omit>& op;
  bins* lane;  // `lanes` of them: of doubles too many for a small stack
  accumulator* acc;

  /// Adds rows of at most `lanes` columns; narrow ones that touch go side by side.
  MULTIFOLD_INLINE void add(const packed<T>* x, std::int64_t stride, int width, std::int64_t rows) const {
    const int side = stride == width ? lanes / width : 1;
    for (std::int64_t r = 0; r < rows; r += bins::capacity) {
      const std::int64_t some = rows - r < bins::capacity ? rows - r : bins::capacity;
      for (int j = 0; j < lanes; ++j) lane[j].clear();
      const packed<T>* row = x + r * stride;
      std::int64_t left = some;
      for (; left >= side; left -= side, row += side * stride) {
        if (left > far_away * side) ask_for(row + far_away * side * stride, side * width);
        add_row(row, side * width, width);
      }
      if (left > 0) add_row(row, static_cast<int>(left) * width, width);
      for (int j = width; j < side * width; ++j) lane[j % width].merge(lane[j]);
      for (int j = 0; j < width; ++j) {
        if (lane[j].only_zeros()) op.add(acc[j], {lane[j].sum_of_zeros(), 0});
        else lane[j].add_to(op.spill(acc[j]));
        if constexpr (Omit) acc[j].count += some;
      }
    }
  }

 private:
  MULTIFOLD_INLINE static void ask_for(const packed<T>* row, int n) {
    for (int j = 0; j < n; j += 64 / static_cast<int>(sizeof(T))) __builtin_prefetch(row + j, 0, 2);
    __builtin_prefetch(row + n - 1, 0, 2);  // rows need not begin with a line
  }

  MULTIFOLD_INLINE void add_row(const packed<T>* row, int n, int width) const {
    packed<T> usual[lanes];
    if (n < lanes || bins::template any_unusual<lanes>(row)) {
      constexpr T nothing = std::bit_cast<T>(multifold::detail::float_layout<T>::sign);  // -0
      for (int j = 0; j < n; ++j) usual[j].value = bins::unusual(row[j].value) ? nothing : T{row[j].value};
      for (int j = n; j < lanes; ++j) usual[j].value = nothing;
      for (int j = 0; j < n; ++j) {
        if (bins::unusual(row[j].value)) add_other(row[j].value, acc[j % width]);
      }
      row = usual;
    }
#pragma GCC unroll 32
    for (int j = 0; j < lanes; ++j) lane[j].add(row + j);
  }

  MULTIFOLD_INLINE void add_other(T x, accumulator& into) const {
    if constexpr (Omit) {
      if (to_double(x) != to_double(x)) {
        --into.count;
        return;
      }
    }
    add_unusual(op.spill(into), x);
  }
};

/// Bins of neighbouring columns of f64.
template <bool Omit>
struct bin_columns<double, Omit> {
  using accumulator = typename exact_gather<double, Omit>::accumulator;
  // Four lines of a row. EPYC, 8, 16, 32 and 64 lanes, ns an element: AVX-512 2.3, 1.84, 1.09, 1.25; AVX2 2.35, 1.88,
  // 1.26, 2.6.
  static constexpr int lanes = 32;
  using bins = wide_bins<lanes>;
  static constexpr std::int64_t bytes = sizeof(bins);
  static constexpr std::int64_t far_away = 16;  // rows

  const exact_gather<double, Omit>& op;
  bins* lane;
  accumulator* acc;

  /// Adds rows of at most `lanes` columns; narrow ones that touch go side by side.
  MULTIFOLD_INLINE void add(const packed<double>* row, std::int64_t stride, int width, std::int64_t rows) const {
    const int side = stride == width ? lanes / width : 1;
    lane->clear();
    std::int64_t left = rows;
    while (left > 0) {
      for (std::int64_t turn = 0; turn < bins::capacity && left > 0; ++turn, left -= side, row += side * stride) {
        if (left > far_away * side) ask_for(row + far_away * side * stride, side * width);
        add_row(row, static_cast<int>(left < side ? left : side) * width, width);
      }
      lane->settle();
    }
    for (int j = width; j < side * width; ++j) lane->merge(j % width, j);
    for (int j = 0; j < width; ++j) {
      if (lane->only_zeros(j)) op.add(acc[j], {lane->sum_of_zeros(j), 0});
      else lane->add_to(op.spill(acc[j]), j);
      if constexpr (Omit) acc[j].count += rows;
    }
  }

 private:
  MULTIFOLD_INLINE static void ask_for(const packed<double>* row, int n) {
    for (int j = 0; j < n; j += 8) __builtin_prefetch(row + j, 0, 2);
    __builtin_prefetch(row + n - 1, 0, 2);  // rows need not begin with a line
  }

  MULTIFOLD_INLINE void add_row(const packed<double>* row, int n, int width) const {
    packed<double> usual[lanes];
    if (n < lanes || bins::template any_unusual<lanes>(row)) {
      for (int j = 0; j < n; ++j) usual[j].value = bins::unusual(row[j].value) ? -0.0 : double{row[j].value};
      for (int j = n; j < lanes; ++j) usual[j].value = -0.0;
      for (int j = 0; j < n; ++j) {
        if (bins::unusual(row[j].value)) add_other(row[j].value, acc[j % width]);
      }
      row = usual;
    }
    lane->add(row);
  }

  MULTIFOLD_INLINE void add_other(double x, accumulator& into) const {
    if constexpr (Omit) {
      if (x != x) {
        --into.count;
        return;
      }
    }
    add_unusual(op.spill(into), x);
  }
};

/// Where most lanes were lost, their rows go to bins, and many more after them.
template <class T, bool Omit, class Tile>
requires(!std::is_same_v<T, f16>) MULTIFOLD_INLINE std::int64_t
    merge_instead(const exact_gather<T, Omit>& op, typename exact_gather<T, Omit>::accumulator* into, const Tile& tile,
                  int n, const column_block<T>& block) {
  constexpr std::int64_t many = 1 << 14, few = is_narrow<T> ? 64 : 512;  // bins are emptied once for each column
  if (block.rows < few) return 0;
  int lost = 0;
  for (int j = 0; j < n; ++j) lost += tile.at(j).lost() ? 1 : 0;
  if (2 * lost < n) return 0;
  const std::int64_t rows = block.rows < many ? block.rows : many;
  using columns = bin_columns<T, Omit>;
  constexpr int lanes = columns::lanes;
  const aligned_bytes memory = try_allocate(columns::bytes);
  if (!memory) return 0;
  auto* const bins = reinterpret_cast<typename columns::bins*>(memory.get());
  for (std::int64_t first = 0; first < block.width; first += lanes) {
    const int width = static_cast<int>(block.width - first < lanes ? block.width - first : lanes);
    columns{op, bins, into + first}.add(block.data + first, block.stride, width, rows);
  }
  return rows;
}

}  // namespace multifold::inline v0_1::host
