// Rows of integers to the exact sums of a set of moments, tile by tile, and what floating point has in common with
// them.
#pragma once

#include <algorithm>

#include "host/fold.hpp"
#include "host/moments/integers/tile.hpp"
#include "host/simd.hpp"

namespace multifold::inline v0_1::host {

template <class Op>
using moment_tile_of = moment_tile<typename Op::element>;

template <class Op>
using tile_kernel = void (*)(const Op&, typename Op::accumulator&, const moment_tile_of<Op>&);

// Out of line, and once for all that call it.
template <class Op>
[[gnu::noinline, gnu::flatten]] void gather_portable(const Op& op, typename Op::accumulator& into,
                                                     const moment_tile_of<Op>& s) {
  gather_tile<false>(op, into, s);
}
template <class Op>
[[gnu::noinline]] MULTIFOLD_AVX2 void gather_avx2(const Op& op, typename Op::accumulator& into,
                                                  const moment_tile_of<Op>& s) {
  gather_tile<true>(op, into, s);
}
template <class Op>
[[gnu::noinline]] MULTIFOLD_AVX512 void gather_avx512(const Op& op, typename Op::accumulator& into,
                                                      const moment_tile_of<Op>& s) {
  gather_tile<true>(op, into, s);
}

/// Columns laid out as rows.
template <class T>
struct column_tile_copy {
  static constexpr std::int64_t most_columns = std::max<std::int64_t>(8, 64 / sizeof(T)), most_rows = 256;
  alignas(64) packed<T> column[most_columns][most_rows];

  void lay_out(const packed<T>* from, std::int64_t stride, std::int64_t rows, std::int64_t columns) {
    for (std::int64_t k = 0; k < rows; ++k) {
      for (std::int64_t j = 0; j < columns; ++j) column[j][k] = from[k * stride + j];
    }
  }
};

/// Adds one batch's elements to its sums, by `gather` but for a few.
template <class Op>
void add_tiles(const Op& op, typename Op::accumulator& into, moment_tile_of<Op> s, tile_kernel<Op> gather) {
  constexpr std::int64_t few = 16;  // are added one by one
  const index_range all = s.indices;
  constexpr std::int64_t longest = longest_tile<typename Op::element, Op::set>;
  for (std::int64_t k = 0; k < all.count; k += longest) {
    s.indices = {all.at(k), all.step, std::min(longest, all.count - k)};
    if (s.indices.count > few) {
      gather(op, into, s);
    } else {
      for (std::int64_t i = 0; i < s.indices.count; ++i) {
        if constexpr (reads_two_arrays(Op::set)) op.add(into, {s.x[i].value, s.y[i].value}, s.indices.at(i));
        else op.add(into, s.x[i].value, s.indices.at(i));
      }
    }
    s.x += longest;
    s.y += longest;
  }
}

/// Short rows of one batch, laid end to end: calls `add` with as many elements as a tile holds.
template <class T, bool Two, class Add>
void lay_end_to_end(const rows_work& w, const Add& add) {
  packed<T> x[moment_tile_elements], y[moment_tile_elements];
  const packed<T>* const from_x = packed_at<T>(w.data);
  const packed<T>* const from_y = packed_at<T>(w.data + w.other);
  std::int64_t count = 0;
  for (std::int64_t r = 0; r < w.rows; ++r) {
    if (count + w.length > moment_tile_elements) {
      add(moment_tile<T>{x, Two ? y : x, {0, 0, count}});
      count = 0;
    }
    std::copy_n(from_x + r * w.row_stride, w.length, x + count);
    if constexpr (Two) std::copy_n(from_y + r * w.row_stride, w.length, y + count);
    count += w.length;
  }
  add(moment_tile<T>{x, Two ? y : x, {0, 0, count}});
}

/// Rows of one batch from here on are worth no copy.
inline constexpr std::int64_t longest_row_to_copy = 512;

/// The rows of one operation at one SIMD level, which is that of `Gather`.
template <class Op, tile_kernel<Op> Gather>
struct moment_rows {
  using T = typename Op::element;
  using accumulator = typename Op::accumulator;
  static constexpr bool two = reads_two_arrays(Op::set);
  static void rows(const void* op, const rows_work& w) {
    const packed<T>* x = packed_at<T>(w.data);
    const packed<T>* y = packed_at<T>(w.data + w.other);
    auto* const acc = reinterpret_cast<accumulator*>(w.acc);
    if constexpr (Op::set != moment_set::description) {  // which needs an index for every element
      if (w.acc_step == 0 && w.length <= longest_row_to_copy) {
        return lay_end_to_end<T, two>(w, [&](const moment_tile<T>& s) { row(op, *acc, s); });
      }
    }
    for (std::int64_t r = 0; r < w.rows; ++r) {
      row(op, acc[r * w.acc_step], {x, y, {w.index + r * w.index_row_step, w.index_step, w.length}});
      x += w.row_stride;
      y += w.row_stride;
    }
  }

 private:
  static void row(const void* op, accumulator& into, const moment_tile<T>& s) {
    add_tiles<Op>(*static_cast<const Op*>(op), into, s, Gather);
  }
};

}  // namespace multifold::inline v0_1::host
