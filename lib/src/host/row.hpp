// One contiguous row to one accumulator, for operations whose lanes gather elements.
#pragma once

#include <cstring>

#include "host/bank.hpp"

namespace multifold::host {

/// Lanes of a row: enough to hide the latency of an addition with the widest vectors.
template <class Op>
inline constexpr int row_lanes = sizeof(typename Op::value_type) == 1 ? 64 : 32;

/// Rows up to this length are added up one by one: filling a bank would cost more.
inline constexpr std::int64_t short_row = 12;

template <class Op>
MULTIFOLD_INLINE typename Op::accumulator short_row_of(const Op& op, const packed<typename Op::value_type>* x,
                                                       std::int64_t length) {
  using lane = lane_of<Op>;
  auto l = lane::identity(op);
  for (std::int64_t k = 0; k < length; ++k) l = lane::absorb(op, l, x[k].value, 0);
  return lane::widen(op, l);
}

template <class Op>
MULTIFOLD_INLINE typename Op::accumulator row_of(const Op& op, const packed<typename Op::value_type>* x,
                                                 std::int64_t length, std::int64_t, std::int64_t) {
  using T = typename Op::value_type;
  constexpr int lanes = row_lanes<Op>;
  if (length <= short_row) return short_row_of(op, x, length);
  auto total = op.identity();
  while (length > 0) {
    const std::int64_t run = length < lane_run ? length : lane_run;
    bank<Op, lanes> b;
    b.clear(op);
    std::int64_t k = 0;
    for (; k + lanes <= run; k += lanes) b.absorb(op, x + k, lanes, 0);
    if (k < run) {
      packed<T> rest[lanes] = {};
      std::memcpy(rest, x + k, static_cast<std::size_t>(run - k) * sizeof(T));
      b.absorb_some(op, rest, static_cast<int>(run - k));
    }
    total = op.combine(total, b.fold(op));
    x += run;
    length -= run;
  }
  return total;
}

}  // namespace multifold::host
