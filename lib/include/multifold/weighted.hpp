// Means whose elements have weights of their own: (sum of w x) / (sum of w), rounded once.
//
//   const reduce_result columns = weighted_mean(table, weights_of_rows, {.axes = {0}});
//   const float all = mean(x, weights);
#pragma once

#include "multifold/export.hpp"
#include "multifold/ranges.hpp"
#include "multifold/reduce.hpp"
#include "multifold/view.hpp"

namespace multifold::inline v0_1 {

/// The mean of `array` by `weights`, of any strides in host memory, over the axes in `options`.
/// Shapes:   weights as the array, or broadcast to it as NumPy does (broadcast_to says how to turn one axis).
/// Options:  axes, keepdims, result, threads and stop; all others are refused where they are set.
/// Memory:   the exact sums of each result: of f32 less than 200 bytes, of f64 less than 900.
/// Numerics: numerator and denominator are exact, and the quotient is correctly rounded: weights of 1 have the bits of
///           mean, and so have equal powers of two. A mean of 0 has the sign of the quotient, as IEEE 754 has it. Where
///           a product is NaN or both infinities are in it, or a weight is no finite number, the mean is NaN.
/// Throws:   shape_error for weights that do not fit the array, and where those of a result add up to zero, as those of
///           no elements do; unsupported_error for elements that are no floating point, weights of another dtype,
///           arrays in device memory, and options as above; else as reduce.
/// Cost:     reads both arrays once for the products, and the weights once more; then a microsecond or two a result.
MULTIFOLD_EXPORT reduce_result weighted_mean(const array_view& array, const array_view& weights,
                                             const reduce_options& options = {});

/// The same of all elements, as a number. Throws: as weighted_mean.
template <viewable A, viewable B>
auto mean(const A& array, const B& weights) {
  static_assert(dtype_of<element_type_of<A>> == dtype_of<element_type_of<B>>, "two arrays of one type of elements");
  return weighted_mean(as_view(array), as_view(weights)).template value<result_of<op_kind::mean, element_type_of<A>>>();
}

}  // namespace multifold::inline v0_1
