// One contiguous row of floating point to its extreme, or to the place of it, by bits: where there is AVX2, for others
// lack the instructions.
#pragma once

#include "host/kernels/row.hpp"
#include "host/ops/arg_row.hpp"
#include "host/ops/extreme_bits.hpp"

namespace multifold::inline v0_1::host {

template <floating_storage T>
struct extremum_by_bits : extremum<T> {};
template <floating_storage T>
struct arg_extremum_by_bits : arg_extremum<T> {};

/// An operation as rows take it where there is AVX2.
template <class Op>
MULTIFOLD_INLINE const Op& by_bits(const Op& op) {
  return op;
}
template <floating_storage T>
MULTIFOLD_INLINE extremum_by_bits<T> by_bits(const extremum<T>& op) {
  return {op};
}
template <floating_storage T>
MULTIFOLD_INLINE arg_extremum_by_bits<T> by_bits(const arg_extremum<T>& op) {
  return {op};
}

// Short rows, and those whose NaN are omitted, go by keys.
template <class T>
MULTIFOLD_INLINE typename extremum<T>::accumulator row_of(const extremum_by_bits<T>& op, const row_span<T>& row,
                                                          std::int64_t, std::int64_t) {
  if (op.policy.omits_nan() || row.length < extreme_bits<T>::elements) {
    return row_in_lanes(static_cast<const extremum<T>&>(op), row);
  }
  return extreme_of_bits(row.data, row.length, op.policy);
}

template <class T>
struct search_by_bits : arg_search<T> {
  using key = key_of<T>;
  MULTIFOLD_INLINE static key least(const arg_extremum<T>& op, const packed<T>* x, std::int64_t length) {
    if (length < extreme_bits<T>::elements) return arg_search<T>::least(op, x, length);
    return extreme_of_bits(x, length, op.policy);
  }
};

template <class T>
MULTIFOLD_INLINE typename arg_extremum<T>::accumulator row_of(const arg_extremum_by_bits<T>& op, const row_span<T>& row,
                                                              std::int64_t index, std::int64_t step) {
  const arg_extremum<T>& plain = op;
  if (op.policy.omits_nan()) return row_of(plain, row, index, step);
  return place_of_extreme<search_by_bits<T>>(plain, row, index, step);
}

}  // namespace multifold::inline v0_1::host
