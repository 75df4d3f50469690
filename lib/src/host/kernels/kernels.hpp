// The kernels of one operation, compiled for each SIMD level.
#pragma once

#include "host/kernels/columns.hpp"
#include "host/kernels/row.hpp"
#include "host/ops/arg_row.hpp"
#include "host/ops/extremum_row.hpp"
#include "host/ops/product_bank.hpp"
#include "host/ops/product_words.hpp"

namespace multifold::inline v0_1::host {

/// Rows that do not fetch ahead by themselves do so by this many bytes.
inline constexpr std::int64_t rows_ahead_bytes = 512;

template <class Op>
MULTIFOLD_INLINE void rows_of(const Op& op, const rows_work& w) {
  using T = typename Op::value_type;
  const auto* x = packed_at<T>(w.data);
  auto* acc = reinterpret_cast<typename Op::accumulator*>(w.acc);
  std::int64_t index = w.index;
  // Rows that ascend in memory may be read past their ends, up to the end of the last.
  const bool ascending = w.row_stride > 0;
  const std::int64_t row_bytes = w.row_stride * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t together =
      ascending && w.length < longest_short_row<Op> && row_bytes < rows_ahead_bytes ? rows_ahead_bytes / row_bytes : 1;
  for (std::int64_t r = 0; r < w.rows;) {
    const std::int64_t end = r + together < w.rows ? r + together : w.rows;
    if (together > 1) prefetch_behind<ahead_of_reads>(x, rows_ahead_bytes);
    for (; r < end; ++r) {
      const std::int64_t readable = (ascending ? (w.rows - 1 - r) * w.row_stride : 0) + w.length;
      *acc = op.combine(*acc, row_of(op, {x, w.length, readable}, index, w.index_step));
      x += w.row_stride;
      acc += w.acc_step;
      index += w.index_row_step;
    }
  }
}

template <class Op>
[[gnu::flatten]] void rows_portable(const void* op, const rows_work& w) {
  rows_of(Op(*static_cast<const Op*>(op)), w);
}
template <class Op>
[[gnu::flatten]] void columns_portable(const void* op, const columns_work& w) {
  columns_of(Op(*static_cast<const Op*>(op)), w);
}

template <class Op>
MULTIFOLD_AVX2 void rows_avx2(const void* op, const rows_work& w) {
  rows_of(by_bits(with_fma(Op(*static_cast<const Op*>(op)))), w);
}
template <class Op>
MULTIFOLD_AVX2 void columns_avx2(const void* op, const columns_work& w) {
  columns_of(with_fma(Op(*static_cast<const Op*>(op))), w);
}

template <class Op>
MULTIFOLD_AVX512 void rows_avx512(const void* op, const rows_work& w) {
  rows_of(by_bits(with_fma(Op(*static_cast<const Op*>(op)))), w);
}
template <class Op>
MULTIFOLD_AVX512 void columns_avx512(const void* op, const columns_work& w) {
  columns_of(with_fma(Op(*static_cast<const Op*>(op))), w);
}

template <class Op>
inline constexpr kernel_set kernels_portable = {rows_portable<Op>, columns_portable<Op>};
template <class Op>
inline constexpr kernel_set kernels_avx2 = {rows_avx2<Op>, columns_avx2<Op>};
template <class Op>
inline constexpr kernel_set kernels_avx512 = {rows_avx512<Op>, columns_avx512<Op>};

}  // namespace multifold::inline v0_1::host
