// Single values of contiguous arrays in host memory: what reduce() makes of them, sooner.
//
//   std::vector<float> x = ...;
//   float total = multifold::sum(std::span<const float>(x));
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "multifold/dtype.hpp"
#include "multifold/ops.hpp"

namespace multifold {
namespace detail {

/// An operation and its arrays; `y` is null for those that take one.
struct span_operands {
  op_kind op;
  dtype type;
  const void* x;
  std::size_t count;
  const void* y = nullptr;
  std::size_t y_count = 0;
  std::int64_t correction = 0;
};

/// The value, of the dtype of the elements, at `result`.
void reduce_spans(const span_operands& operands, void* result);

template <storage_type T>
T value_of(op_kind op, std::span<const T> x, std::int64_t correction = 0) {
  T result;
  reduce_spans({op, dtype_of<T>, x.data(), x.size(), nullptr, 0, correction}, &result);
  return result;
}

}  // namespace detail

// Of all functions below:
//
// Memory:   host memory, which is checked for large arrays only. Small ones take none beside them.
// Numerics: the bits of reduce(): correctly rounded to T, on every engine.
// Throws:   as reduce().
// Cost:     about a tenth of a microsecond a call, and reads each element once. Small arrays, of less than 1 MiB, or of
//           512 KiB where products are summed, are reduced by the calling thread, without a look at anything else: the
//           environment (MULTIFOLD_ENGINE, MULTIFOLD_SIMD) is read when the process first asks for an operation.
//           Larger ones, and all of them if that named a GPU, go to the engine that reduce() takes.

template <floating_storage T>
T sum(std::span<const T> x) {
  return detail::value_of(op_kind::sum, x);
}

template <floating_storage T>
T mean(std::span<const T> x) {
  return detail::value_of(op_kind::mean, x);
}

/// The mean squared deviation from the mean; `correction` comes off the count.
template <floating_storage T>
T var(std::span<const T> x, std::int64_t correction = 0) {
  return detail::value_of(op_kind::var, x, correction);
}

/// The square root of the sum of squares.
template <floating_storage T>
T norm2(std::span<const T> x) {
  return detail::value_of(op_kind::norm2, x);
}

/// The sum of products of the elements of two arrays. Throws: shape_error, too, unless they are of one size.
template <floating_storage T>
T dot(std::span<const T> x, std::span<const T> y) {
  T result;
  detail::reduce_spans({op_kind::dot, dtype_of<T>, x.data(), x.size(), y.data(), y.size()}, &result);
  return result;
}

/// The extremes; a NaN if there is one. Not `min` and `max`, which would hide those of CUDA from kernels.
/// Throws: shape_error, too, for no elements.
template <storage_type T>
T minimum(std::span<const T> x) {
  return detail::value_of(op_kind::min, x);
}
template <storage_type T>
T maximum(std::span<const T> x) {
  return detail::value_of(op_kind::max, x);
}

}  // namespace multifold
