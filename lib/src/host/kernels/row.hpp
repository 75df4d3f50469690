// One contiguous row to one accumulator, for operations whose lanes gather elements.
#pragma once

#include "host/elements/prefetch.hpp"
#include "host/kernels/bank.hpp"

namespace multifold::inline v0_1::host {

/// Lanes of a row: enough to hide the latency of an addition with the widest vectors.
template <class Op>
inline constexpr int row_lanes = sizeof(typename Op::value_type) == 1 ? 64 : 32;

/// Lanes of rows that are too short to fill all of them. Not 16 bytes: GCC 12.2 adds up wrong with AVX2 then.
template <class Op>
inline constexpr int few_lanes = sizeof(typename Op::value_type) == 1 ? 32 : 8;

/// Rows from this length on fill all lanes often enough.
template <class Op>
inline constexpr std::int64_t longest_short_row = 4 * row_lanes<Op>;

/// Rows from this length on are read from a cache line on, if bits do not depend on which lane has which element: vectors
/// that span two lines take twice as long, and NumPy's arrays begin at 16 bytes behind one.
template <class Op>
inline constexpr std::int64_t shortest_aligned_row = 4096 / sizeof(typename Op::value_type);

/// Rows up to this length are added up one by one.
inline constexpr std::int64_t shortest_rows = 8;

/// A row, and how many elements may be read from its start on, be they its own or of the rows behind it.
template <class T>
struct row_span {
  const packed<T>* data;
  std::int64_t length;
  std::int64_t readable;
};

template <class Op>
MULTIFOLD_INLINE typename Op::accumulator one_by_one(const Op& op, const row_span<typename Op::value_type>& row) {
  using lane = lane_of<Op>;
  auto l = lane::identity(op);
  for (std::int64_t k = 0; k < row.length; ++k) l = lane::absorb(op, l, row.data[k].value, 0);
  return lane::widen(op, l);
}

// At most lane_run elements.
template <class Op, int Lanes>
MULTIFOLD_INLINE typename Op::accumulator by_lanes(const Op& op, const row_span<typename Op::value_type>& row) {
  using T = typename Op::value_type;
  bank<Op, Lanes> b;
  b.clear(op, Lanes);
  std::int64_t k = 0;
  if constexpr (requires { b.absorb_block(op, row.data); }) {
    for (; k + b.block <= row.length; k += b.block) {
      if constexpr (Lanes == row_lanes<Op>) prefetch_behind<ahead_of_reads>(row.data + k, b.block * sizeof(T));
      b.absorb_block(op, row.data + k);
    }
  }
  for (std::int64_t turn = 0; k + Lanes <= row.length; k += Lanes, ++turn) {
    if constexpr (Lanes == row_lanes<Op>) prefetch_behind<ahead_of_reads>(row.data + k, Lanes * sizeof(T));
    b.absorb(op, row.data + k, 0, Lanes, turn);
  }
  const int left = static_cast<int>(row.length - k);
  if (left > 0 && k + Lanes <= row.readable) {
    b.absorb_some(op, row.data + k, left);
  } else if (left > 0) {
    packed<T> rest[Lanes] = {};
    for (int j = 0; j < left; ++j) rest[j] = row.data[k + j];
    b.absorb_some(op, rest, left);
  }
  return b.fold(op);
}

// The first `run` elements of a row, which is shorter by them then.
template <class Op, int Lanes>
MULTIFOLD_INLINE void take_run(const Op& op, row_span<typename Op::value_type>& row, std::int64_t run,
                               typename Op::accumulator& total) {
  total = op.combine(total, by_lanes<Op, Lanes>(op, {row.data, run, row.readable}));
  row = {row.data + run, row.length - run, row.readable - run};
}

template <class Op>
MULTIFOLD_INLINE typename Op::accumulator row_in_lanes(const Op& op, row_span<typename Op::value_type> row) {
  if (row.length <= shortest_rows) return one_by_one(op, row);
  if (row.length < longest_short_row<Op>) return by_lanes<Op, few_lanes<Op>>(op, row);
  auto total = op.identity();
  if constexpr (order_free<Op>) {
    const std::int64_t before = elements_before_line(row.data);
    if (before > 0 && row.length >= shortest_aligned_row<Op>) take_run<Op, few_lanes<Op>>(op, row, before, total);
  }
  while (row.length > 0) {
    take_run<Op, row_lanes<Op>>(op, row, row.length < lane_run ? row.length : lane_run, total);
  }
  return total;
}

template <class Op>
MULTIFOLD_INLINE typename Op::accumulator row_of(const Op& op, const row_span<typename Op::value_type>& row,
                                                 std::int64_t, std::int64_t) {
  return row_in_lanes(op, row);
}

}  // namespace multifold::inline v0_1::host
