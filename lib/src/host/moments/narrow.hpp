// Rows and columns of floating point to the exact sums of a set of moments: many batches side by side in little memory,
// and those that this is too narrow for, or that are long, tile by tile.
#pragma once

#include "host/moments/block.hpp"
#include "host/moments/rows.hpp"

namespace multifold::inline v0_1::host {

/// The functions of one set that are compiled by SIMD level.
template <class T, moment_set Set>
struct moment_level {
  using op_type = moment_gather<T, Set>;
  using accumulator = typename op_type::accumulator;
  tile_kernel<exact_moments<T, Set>> gather;
  std::uint64_t (*lanes)(const op_type& op, accumulator* acc, std::int64_t step, const lane_rows<T>& rows, int n);
  outcome (*lower)(const void* op, const lower_work& work);
};

/// The kernels of one operation.
template <class T, moment_set Set>
struct narrow_kernels {
  using op_type = moment_gather<T, Set>;
  using accumulator = typename op_type::accumulator;
  static constexpr bool two = reads_two_arrays(Set);
  static constexpr int lanes = moment_lane_count;

  static void rows(const void* op, const rows_work& w) {
    const op_type& o = *static_cast<const op_type*>(op);
    const packed<T>* x = packed_at<T>(w.data);
    const packed<T>* y = packed_at<T>(w.data + w.other);
    auto* const acc = reinterpret_cast<accumulator*>(w.acc);
    if constexpr (Set != moment_set::description) {  // which needs an index for every element
      if (w.acc_step == 0 && w.length <= longest_row_to_copy) {
        return lay_end_to_end<T, two>(w, [&](const moment_tile<T>& s) { add_row(o, *acc, s); });
      }
    }
    if (w.acc_step != 0 && w.length <= longest_lane && w.rows >= fewest_lanes) return short_rows(o, w);
    for (std::int64_t r = 0; r < w.rows; ++r) {
      add_row(o, acc[r * w.acc_step], {x, y, {w.index + r * w.index_row_step, w.index_step, w.length}});
      x += w.row_stride;
      y += w.row_stride;
    }
  }

  static void columns(const void* op, const columns_work& w) {
    const op_type& o = *static_cast<const op_type*>(op);
    auto* const acc = reinterpret_cast<accumulator*>(w.acc);
    for (std::int64_t r = 0; r < w.rows; r += tile::most_rows) {
      const index_range indices{w.index + r * w.index_row_step, w.index_row_step,
                                std::min(tile::most_rows, w.rows - r)};
      for (std::int64_t j = 0; j < w.width; j += lanes) {
        const std::int64_t at = r * w.row_stride + j;
        const lane_rows<T> rows{packed_at<T>(w.data) + at, packed_at<T>(w.data + w.other) + at, w.row_stride, indices};
        const int n = static_cast<int>(std::min<std::int64_t>(lanes, w.width - j));
        lost_columns(o, acc + j, rows, n, gather(o, acc + j, 1, rows, n));
      }
    }
  }

 private:
  using tile = column_tile_copy<T>;
  static constexpr std::int64_t longest_lane = 256;  // longer rows are quicker one by one
  static constexpr std::int64_t fewest_lanes = 16;
  static constexpr std::int64_t few = 32;  // elements

  // The lanes that are lost, as bits.
  static std::uint64_t gather(const op_type& op, accumulator* acc, std::int64_t step, const lane_rows<T>& rows, int n) {
    bool all = true;
    for (int j = 0; j < n; ++j) all = all && acc[j * step].spilled();
    return all ? ~std::uint64_t{0} : op.level->lanes(op, acc, step, rows, n);
  }

  static void add_wide(const op_type& op, accumulator& into, const moment_tile<T>& s) {
    add_tiles(op.moments, op.spill(into), s, op.level->gather);
  }

  static void add_row(const op_type& op, accumulator& into, const moment_tile<T>& s) {
    if (s.indices.count > few || into.spilled() || !add_few(op, into, s)) add_wide(op, into, s);
  }

  // False if a sum is lost; `into` is then as it was.
  [[gnu::noinline]] static bool add_few(const op_type& op, accumulator& into, const moment_tile<T>& s) {
    moment_lanes<T, Set, 1> sums;
    sums.load(&into, 0, 1);
    const key_of<carrier_of<T>> propagates = op.moments.nan == nan_policy::propagate ? -1 : 0;
    for (std::int64_t k = 0; k < s.indices.count; ++k) {
      sums.template add<false>(s.x + k, s.y + k, propagates);
    }
    if (sums.lost(0)) return false;
    if constexpr (Set == moment_set::description) {
      for (std::int64_t k = 0; k < s.indices.count; ++k) {
        sums.marks[0].add(carried(T{s.x[k].value}), s.indices.at(k), op.moments.nan);
      }
    }
    sums.store(0, into);
    return true;
  }

  static void lost_columns(const op_type& op, accumulator* acc, const lane_rows<T>& rows, int n, std::uint64_t lost) {
    if (lost == 0) return;
    constexpr auto most = static_cast<int>(tile::most_columns);
    tile x, y;
    for (int first = 0; first < n; first += most) {
      const int columns = std::min(most, n - first);
      const std::uint64_t here = (lost >> first) & ((std::uint64_t{1} << columns) - 1);
      if (here == 0) continue;
      x.lay_out(rows.x + first, rows.stride, rows.indices.count, columns);
      if constexpr (two) y.lay_out(rows.y + first, rows.stride, rows.indices.count, columns);
      for (int j = 0; j < columns; ++j) {
        if ((here >> j & 1u) == 0) continue;
        add_wide(op, acc[first + j], {x.column[j], two ? y.column[j] : x.column[j], rows.indices});
      }
    }
  }

  // Laid out as columns, some of each row at a time.
  static void short_rows(const op_type& op, const rows_work& w) {
    constexpr std::int64_t some = 32;
    alignas(64) packed<T> x[some * lanes] = {}, y[some * lanes] = {};
    auto* const acc = reinterpret_cast<accumulator*>(w.acc);
    for (std::int64_t r = 0; r < w.rows; r += lanes) {
      const int n = static_cast<int>(std::min<std::int64_t>(lanes, w.rows - r));
      for (std::int64_t first = 0; first < w.length; first += some) {
        const std::int64_t count = std::min(some, w.length - first);
        const packed<T>* const from_x = packed_at<T>(w.data) + r * w.row_stride + first;
        const packed<T>* const from_y = packed_at<T>(w.data + w.other) + r * w.row_stride + first;
        lay_across(from_x, w.row_stride, n, count, x);
        if constexpr (two) lay_across(from_y, w.row_stride, n, count, y);
        const index_range indices{w.index + first * w.index_step, w.index_step, count};
        const lane_rows<T> rows{x, two ? y : x, lanes, indices};
        accumulator* const into = acc + r * w.acc_step;
        const std::uint64_t lost = gather(op, into, w.acc_step, rows, n);
        for (int j = 0; lost != 0 && j < n; ++j) {
          if ((lost >> j & 1u) == 0) continue;
          add_wide(op, into[j * w.acc_step], {from_x + j * w.row_stride, from_y + j * w.row_stride, indices});
        }
      }
    }
  }
  static void lay_across(const packed<T>* from, std::int64_t stride, int n, std::int64_t count, packed<T>* to) {
    for (int j = 0; j < n; ++j) {
      for (std::int64_t k = 0; k < count; ++k) to[k * lanes + j] = from[j * stride + k];
    }
  }
};

}  // namespace multifold::inline v0_1::host
