// Single values of whole arrays in host memory: what reduce() makes of them, as numbers, and sooner.
//
//   std::vector<float> x = ...;
//   const float total = multifold::sum(x), greatest = multifold::max(x);
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

#include "multifold/correction.hpp"
#include "multifold/dtype.hpp"
#include "multifold/export.hpp"
#include "multifold/linked_op.hpp"
#include "multifold/ops.hpp"
#include "multifold/summary.hpp"
#include "multifold/view.hpp"

namespace multifold::inline v0_1 {

/// The C++ type of a result of `op` over elements T: T itself where that is its default_result_dtype.
template <op_kind op, storage_type T>
using result_of = std::conditional_t<
    default_result_dtype(op, dtype_of<T>) == dtype_of<T>, T,
    std::conditional_t<default_result_dtype(op, dtype_of<T>) == dtype::f64, double,
                       std::conditional_t<default_result_dtype(op, dtype_of<T>) == dtype::i64, std::int64_t,
                                          std::conditional_t<default_result_dtype(op, dtype_of<T>) == dtype::u64,
                                                             std::uint64_t, bool>>>>;

namespace detail {

/// An operation and its arrays; `y` is null for those that take one.
struct span_operands {
  linked_op op;
  dtype type;
  const void* x;
  std::size_t count;
  const void* y = nullptr;
  std::size_t y_count = 0;
  correction taken = {};
};

/// The value, of the default dtype of a result, or the summary, at `result`.
MULTIFOLD_EXPORT void reduce_spans(const span_operands& operands, void* result);
/// The same of any arrays; `y` is null for operations that take one.
MULTIFOLD_EXPORT void reduce_views(linked_op op, const array_view& x, const array_view* y, const correction& taken,
                                   void* result);

/// Arrays in the first cache of whatever processor.
inline constexpr std::size_t most_bytes_read_twice = 32 * 1024;
/// Both extremes of any array, in its dtype.
MULTIFOLD_EXPORT void reduce_extremes(linked_op either, const array_view& x, void* least, void* greatest);
/// a - b of a dtype, of a sum's default dtype at `result`.
MULTIFOLD_EXPORT void subtract(dtype type, const void* a, const void* b, void* result);

template <op_kind op, class Array>
void reduce_to(const Array& x, const correction& taken, void* result) {
  if constexpr (contiguous_elements<Array>) {
    const span_operands all{op_over<op, element_type_of<Array>>,
                            dtype_of<element_type_of<Array>>,
                            std::data(x),
                            std::size(x),
                            nullptr,
                            0,
                            taken};
    reduce_spans(all, result);
  } else {
    reduce_views(op_over<op, element_type_of<Array>>, as_view(x), nullptr, taken, result);
  }
}

template <op_kind op, class Array>
auto value_of(const Array& x, const correction& taken = {}) {
  result_of<op, element_type_of<Array>> result;
  reduce_to<op>(x, taken, &result);
  return result;
}

// Of any element type, bool8 among them.
template <op_kind op, class Array>
bool truth_of(const Array& x) {
  bool result;
  reduce_to<op>(x, {}, &result);
  return result;
}

template <op_kind op, class A, class B>
auto value_of_two(const A& x, const B& y, const correction& taken = {}) {
  using element = element_type_of<A>;
  static_assert(dtype_of<element> == dtype_of<element_type_of<B>>, "two arrays of one type of elements");
  result_of<op, element> result;
  if constexpr (contiguous_elements<A> && contiguous_elements<B>) {
    reduce_spans(
        {op_over<op, element>, dtype_of<element>, std::data(x), std::size(x), std::data(y), std::size(y), taken},
        &result);
  } else {
    const array_view second = as_view(y);
    reduce_views(op_over<op, element>, as_view(x), &second, taken, &result);
  }
  return result;
}

}  // namespace detail

// Of all functions below:
//
// Shapes:   any viewable (view.hpp): vector, array, span, arrays of C, mdspan. All elements of them, on all axes.
// Memory:   the host's, or a device's that a view says is one; large arrays are checked. Small ones take no more.
// Numerics: the bits of reduce(): exact where that is, on every engine.
// Throws:   as reduce().
// Cost:     about a tenth of a microsecond a call, and reads each element once. Small contiguous arrays, of less than
//           1 MiB, or of 512 KiB where products are summed, are reduced by the calling thread, without a look at
//           anything else: the environment (MULTIFOLD_ENGINE, MULTIFOLD_SIMD) is read when the process first asks for
//           an operation. Larger ones, and all of them if that named a GPU, go to the engine that reduce() takes.

/// Of integers an std::int64_t or std::uint64_t; throws overflow_error, too, where the sum fits neither.
template <viewable Array>
auto sum(const Array& x) {
  return detail::value_of<op_kind::sum>(x);
}
template <viewable Array>
auto prod(const Array& x) {
  return detail::value_of<op_kind::prod>(x);
}

/// Of integers a double, as all real values below.
template <viewable Array>
auto mean(const Array& x) {
  return detail::value_of<op_kind::mean>(x);
}

/// The mean squared deviation from the mean, and its root; what is `taken` comes off the count.
template <viewable Array>
auto var(const Array& x, correction taken = 0) {
  return detail::value_of<op_kind::var>(x, taken);
}
template <viewable Array>
auto stddev(const Array& x, correction taken = 0) {
  return detail::value_of<op_kind::std>(x, taken);
}

/// The sum of magnitudes, that of squares, and the root of that.
template <viewable Array>
auto norm1(const Array& x) {
  return detail::value_of<op_kind::norm1>(x);
}
template <viewable Array>
auto sumsq(const Array& x) {
  return detail::value_of<op_kind::sumsq>(x);
}
template <viewable Array>
auto norm2(const Array& x) {
  return detail::value_of<op_kind::norm2>(x);
}

/// The sum of products of the elements of two arrays. Throws: shape_error, too, unless they are of one shape.
template <viewable A, viewable B>
auto dot(const A& x, const B& y) {
  return detail::value_of_two<op_kind::dot>(x, y);
}
/// The mean product of their deviations from their means.
template <viewable A, viewable B>
auto cov(const A& x, const B& y, correction taken = 0) {
  return detail::value_of_two<op_kind::cov>(x, y, taken);
}

/// The extremes; a NaN if there is one. Throws: shape_error, too, for no elements.
template <viewable Array>
auto min(const Array& x) {
  return detail::value_of<op_kind::min>(x);
}
template <viewable Array>
auto max(const Array& x) {
  return detail::value_of<op_kind::max>(x);
}

/// Both of them from one read, the least first. Throws: shape_error, too, for no elements.
/// Cost:     small arrays, of 32 KiB at most, are read once for each, out of the cache.
template <viewable Array>
auto minmax(const Array& x) {
  using element = element_type_of<Array>;
  if constexpr (contiguous_elements<Array>) {
    if (std::size(x) <= detail::most_bytes_read_twice / sizeof(element))
      return std::pair<element, element>{detail::value_of<op_kind::min>(x), detail::value_of<op_kind::max>(x)};
  }
  std::pair<element, element> both;
  detail::reduce_extremes(detail::op_over<op_kind::min, element>, as_view(x), &both.first, &both.second);
  return both;
}

/// max - min, from one read, correctly rounded: of integers an std::int64_t or std::uint64_t, as their sum.
/// Numerics: NaN if there is one, or if both extremes are the same infinity.
/// Throws:   shape_error, too, for no elements; overflow_error where the difference fits no std::int64_t.
template <viewable Array>
auto ptp(const Array& x) {
  using element = element_type_of<Array>;
  const auto [least, greatest] = minmax(x);
  result_of<op_kind::sum, element> result;
  detail::subtract(dtype_of<element>, &greatest, &least, &result);
  return result;
}

/// The number of the first element that is the least, or the greatest, or NaN: in row-major order.
/// Throws: shape_error, too, for no elements.
template <viewable Array>
std::int64_t argmin(const Array& x) {
  return detail::value_of<op_kind::argmin>(x);
}
template <viewable Array>
std::int64_t argmax(const Array& x) {
  return detail::value_of<op_kind::argmax>(x);
}

/// Whether some element is not zero, whether none is, and how many are not.
template <viewable Array>
bool any(const Array& x) {
  return detail::truth_of<op_kind::any>(x);
}
template <viewable Array>
bool all(const Array& x) {
  return detail::truth_of<op_kind::all>(x);
}
template <viewable Array>
std::int64_t count_nonzero(const Array& x) {
  return detail::value_of<op_kind::count_nonzero>(x);
}

/// All that one read tells.
template <viewable Array>
auto describe(const Array& x, correction taken = 0) {
  using element = element_type_of<Array>;
  summary raw;
  detail::reduce_to<op_kind::describe>(x, taken, &raw);
  return statistics<element, result_of<op_kind::mean, element>, result_of<op_kind::sum, element>>(raw);
}

}  // namespace multifold::inline v0_1
