// Columns of integers side by side to the sums of a set of moments, a lane each.
#pragma once

#include "host/moments/integers/tile.hpp"
#include "host/moments/mark_block.hpp"

namespace multifold::inline v0_1::host {

/// Columns that are gathered together, and rows of them: what lanes of 32 bits hold of 16-bit elements, and what stays
/// in L1 where marks look at it once more.
inline constexpr int integer_lane_count = 64;
inline constexpr std::int64_t most_lane_rows = 1 << 14, most_marked_rows = 64;

namespace detail {

/// Sums of terms, a lane each; of 64 bits in two halves.
template <int N, bool Halves, class C>
struct term_lanes {
  C lane[N] = {};
  MULTIFOLD_INLINE void add(int j, C term) { lane[j] += term; }
  MULTIFOLD_INLINE int128_t total(int j) const { return lane[j]; }
};
template <int N, class C>
struct term_lanes<N, true, C> {
  std::uint64_t low[N] = {};
  C high[N] = {};
  MULTIFOLD_INLINE void add(int j, C term) {
    low[j] += static_cast<std::uint64_t>(term) & 0xffffffffu;
    high[j] += static_cast<C>(term >> 32);
  }
  MULTIFOLD_INLINE int128_t total(int j) const { return static_cast<int128_t>(high[j]) * (int128_t{1} << 32) + low[j]; }
};

// As wide as most_lane_rows products of elements of T need.
template <class T>
using product_lane =
    std::conditional_t<sizeof(T) == 1, std::int32_t, std::conditional_t<sizeof(T) == 2, std::int64_t, carrier_of<T>>>;

/// `rows` rows of `n` columns, of which there are N if `Full`.
template <bool Full, class T, moment_set Set, int N = integer_lane_count>
MULTIFOLD_INLINE void add_lanes(integer_partial<T, Set>* acc, const packed<T>* x, const packed<T>* y,
                                std::int64_t stride, std::int64_t rows, int n) {
  using parts = integer_parts<T, Set>;
  using product = product_lane<T>;
  constexpr bool joint = Set == moment_set::joint, absolute = Set == moment_set::absolute;
  const int width = Full ? N : n;
  term_lanes<N, false, element_lane<T>> of_x, of_y;
  term_lanes<N, sizeof(T) == 4, product> of_products;
  for (std::int64_t r = 0; r < rows; ++r, x += stride, y += stride) {
    for (int j = 0; j < width; ++j) {
      const auto a = static_cast<element_lane<T>>(carried(T{x[j].value}));
      const auto b = static_cast<element_lane<T>>(carried(T{(reads_two_arrays(Set) ? y : x)[j].value}));
      if constexpr (absolute) of_x.add(j, a < 0 ? static_cast<element_lane<T>>(-a) : a);
      else if constexpr (sums_elements(Set)) of_x.add(j, a);
      if constexpr (joint) of_y.add(j, b);
      if constexpr (sums_products(Set)) {
        of_products.add(j, static_cast<product>(static_cast<product>(a) * static_cast<product>(b)));
      }
    }
  }
  for (int j = 0; j < width; ++j) {
    if constexpr (sums_elements(Set)) acc[j].part[parts::x] += of_x.total(j);
    if constexpr (joint) acc[j].part[parts::y] += of_y.total(j);
    if constexpr (sums_products(Set)) acc[j].part[parts::products] += of_products.total(j);
    acc[j].count += rows;
  }
}

}  // namespace detail

/// Adds rows of columns to as many accumulators.
template <class T, moment_set Set>
MULTIFOLD_INLINE void gather_columns(const integer_gather<T, Set>& op, integer_partial<T, Set>* acc,
                                     const columns_work& w) {
  constexpr bool marked = Set == moment_set::description;
  constexpr std::int64_t most = marked ? most_marked_rows : most_lane_rows;
  for (std::int64_t r = 0; r < w.rows; r += most) {
    const index_range indices{w.index + r * w.index_row_step, w.index_row_step, std::min(most, w.rows - r)};
    for (std::int64_t j = 0; j < w.width; j += integer_lane_count) {
      const int n = static_cast<int>(std::min<std::int64_t>(integer_lane_count, w.width - j));
      const packed<T>* const x = packed_at<T>(w.data) + r * w.row_stride + j;
      const packed<T>* const y = packed_at<T>(w.data + w.other) + r * w.row_stride + j;
      if constexpr (sizeof(T) == 8) {
        for (std::int64_t k = 0; k < indices.count; ++k) {
          for (int i = 0; i < n; ++i)
            op.add_sums(acc[j + i], x[k * w.row_stride + i].value, y[k * w.row_stride + i].value);
        }
      } else if (n == integer_lane_count) {
        detail::add_lanes<true>(acc + j, x, y, w.row_stride, indices.count, n);
      } else {
        detail::add_lanes<false>(acc + j, x, y, w.row_stride, indices.count, n);
      }
      if constexpr (marked) {
        mark_block<T, integer_lane_count>(
            x, w.row_stride, indices, n, false, [&](int i) -> auto& { return acc[j + i].marks; });
      }
    }
  }
}

}  // namespace multifold::inline v0_1::host
