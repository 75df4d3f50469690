// Rows and columns to the exact sums of a set of moments, element by element.
#pragma once

#include "host/fold.hpp"
#include "host/packed.hpp"
#include "host/simd.hpp"
#include "multifold/ops/moments.hpp"

namespace multifold::host {

/// Elements of one array, or pairs of elements of two that lie `other` bytes apart.
template <class Op>
struct moment_elements {
  using T = typename Op::element;
  const packed<T>* x;
  const packed<T>* y;

  moment_elements(const std::byte* data, std::ptrdiff_t other) : x(packed_at<T>(data)), y(packed_at<T>(data + other)) {}
  moment_elements(const packed<T>* first, const packed<T>* second) : x(first), y(second) {}

  typename Op::value_type operator[](std::int64_t i) const {
    if constexpr (reads_two_arrays(Op::set)) return {x[i].value, y[i].value};
    else return x[i].value;
  }
  moment_elements from(std::int64_t i) const { return {x + i, y + i}; }
};

template <storage_type T, moment_set Set>
void rows_of(const exact_moments<T, Set>& op, const rows_work& w) {
  using accumulator = moment_sums<T, Set>;
  auto* const acc = reinterpret_cast<accumulator*>(w.acc);
  const moment_elements<exact_moments<T, Set>> all(w.data, w.other);
  for (std::int64_t r = 0; r < w.rows; ++r) {
    const auto row = all.from(r * w.row_stride);
    for (std::int64_t k = 0; k < w.length; ++k) {
      op.add(acc[r * w.acc_step], row[k], w.index + r * w.index_row_step + k * w.index_step);
    }
  }
}

template <storage_type T, moment_set Set>
void columns_of(const exact_moments<T, Set>& op, const columns_work& w) {
  using accumulator = moment_sums<T, Set>;
  auto* const acc = reinterpret_cast<accumulator*>(w.acc);
  const moment_elements<exact_moments<T, Set>> all(w.data, w.other);
  for (std::int64_t r = 0; r < w.rows; ++r) {
    const auto row = all.from(r * w.row_stride);
    for (std::int64_t j = 0; j < w.width; ++j) op.add(acc[j], row[j], w.index + r * w.index_row_step);
  }
}

}  // namespace multifold::host
