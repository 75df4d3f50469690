// Rows and columns to the exact sums of a set of moments, stretch by stretch. Columns are laid side by side as rows.
#pragma once

#include <algorithm>

#include "host/fold.hpp"
#include "host/moments_integers.hpp"
#include "host/simd.hpp"

namespace multifold::host {

template <class Op>
using moment_stretch_of = moment_stretch<typename Op::element>;

template <class Op>
using stretch_kernel = void (*)(const Op&, typename Op::accumulator&, const moment_stretch_of<Op>&);

// Out of line, and once for rows and columns.
template <class Op>
[[gnu::noinline, gnu::flatten]] void gather_portable(const Op& op, typename Op::accumulator& into,
                                                     const moment_stretch_of<Op>& s) {
  gather_stretch<false>(op, into, s);
}
template <class Op>
[[gnu::noinline]] MULTIFOLD_AVX2 void gather_avx2(const Op& op, typename Op::accumulator& into,
                                                  const moment_stretch_of<Op>& s) {
  gather_stretch<true>(op, into, s);
}
template <class Op>
[[gnu::noinline]] MULTIFOLD_AVX512 void gather_avx512(const Op& op, typename Op::accumulator& into,
                                                      const moment_stretch_of<Op>& s) {
  gather_stretch<true>(op, into, s);
}

/// The kernels of one operation at one SIMD level, which is that of `Gather`.
template <class Op, stretch_kernel<Op> Gather>
struct moment_kernels {
  using T = typename Op::element;
  using accumulator = typename Op::accumulator;
  static constexpr bool two = reads_two_arrays(Op::set);
  // Fewer elements are added one by one.
  static constexpr std::int64_t few = 6;

  static void row(const Op& op, accumulator& into, moment_stretch<T> s) {
    const index_range all = s.indices;
    for (std::int64_t k = 0; k < all.count; k += moment_stretch_elements) {
      s.indices = {all.at(k), all.step, std::min(moment_stretch_elements, all.count - k)};
      if (s.indices.count <= few) one_by_one(op, into, s);
      else Gather(op, into, s);
      s.x += moment_stretch_elements;
      s.y += moment_stretch_elements;
    }
  }

  static void rows(const void* op, const rows_work& w) {
    const packed<T>* x = packed_at<T>(w.data);
    const packed<T>* y = packed_at<T>(w.data + w.other);
    auto* const acc = reinterpret_cast<accumulator*>(w.acc);
    if constexpr (Op::set != moment_set::description) {  // which needs an index for every element
      if (w.acc_step == 0 && w.length <= short_row) return together(*static_cast<const Op*>(op), *acc, w);
    }
    for (std::int64_t r = 0; r < w.rows; ++r) {
      row(*static_cast<const Op*>(op), acc[r * w.acc_step],
          {x, y, {w.index + r * w.index_row_step, w.index_step, w.length}});
      x += w.row_stride;
      y += w.row_stride;
    }
  }

  static void columns(const void* op, const columns_work& w) {
    const packed<T>* const x = packed_at<T>(w.data);
    const packed<T>* const y = packed_at<T>(w.data + w.other);
    auto* const acc = reinterpret_cast<accumulator*>(w.acc);
    for (std::int64_t r = 0; r < w.rows; r += tile_rows) {
      const std::int64_t rows = std::min(tile_rows, w.rows - r);
      const index_range indices{w.index + r * w.index_row_step, w.index_row_step, rows};
      for (std::int64_t j = 0; j < w.width; j += tile_columns) {
        const std::int64_t at = r * w.row_stride + j;
        tile(*static_cast<const Op*>(op), acc + j, {x + at, y + at, indices}, w.row_stride,
             std::min(tile_columns, w.width - j));
      }
    }
  }

 private:
  static constexpr std::int64_t tile_columns = std::max<std::int64_t>(8, 64 / sizeof(T)), tile_rows = 256;
  using tile_copy = packed<T>[tile_columns][tile_rows];

  // Columns as rows.
  static void lay_out(const packed<T>* from, std::int64_t stride, std::int64_t rows, std::int64_t columns,
                      tile_copy& to) {
    for (std::int64_t k = 0; k < rows; ++k) {
      for (std::int64_t j = 0; j < columns; ++j) to[j][k] = from[k * stride + j];
    }
  }

  // Rows of one batch from here on are worth no copy.
  static constexpr std::int64_t short_row = 512;

  // Short rows of one batch, laid end to end.
  static void together(const Op& op, accumulator& into, const rows_work& w) {
    packed<T> x[moment_stretch_elements], y[moment_stretch_elements];
    const packed<T>* const from_x = packed_at<T>(w.data);
    const packed<T>* const from_y = packed_at<T>(w.data + w.other);
    std::int64_t count = 0;
    for (std::int64_t r = 0; r < w.rows; ++r) {
      if (count + w.length > moment_stretch_elements) {
        row(op, into, {x, two ? y : x, {0, 0, count}});
        count = 0;
      }
      std::copy_n(from_x + r * w.row_stride, w.length, x + count);
      if constexpr (two) std::copy_n(from_y + r * w.row_stride, w.length, y + count);
      count += w.length;
    }
    row(op, into, {x, two ? y : x, {0, 0, count}});
  }

  static void tile(const Op& op, accumulator* acc, const moment_stretch<T>& top, std::int64_t stride,
                   std::int64_t columns) {
    alignas(64) tile_copy x, y;
    lay_out(top.x, stride, top.indices.count, columns, x);
    if constexpr (two) lay_out(top.y, stride, top.indices.count, columns, y);
    for (std::int64_t j = 0; j < columns; ++j) row(op, acc[j], {x[j], two ? y[j] : x[j], top.indices});
  }

  [[gnu::noinline]] static void one_by_one(const Op& op, accumulator& into, const moment_stretch<T>& s) {
    for (std::int64_t k = 0; k < s.indices.count; ++k) {
      if constexpr (two) op.add(into, {s.x[k].value, s.y[k].value}, s.indices.at(k));
      else op.add(into, s.x[k].value, s.indices.at(k));
    }
  }
};

}  // namespace multifold::host
