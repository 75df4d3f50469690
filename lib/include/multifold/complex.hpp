// Sums, means, products, norms and dot products of complex numbers: of their parts, whose sums are exact.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "multifold/export.hpp"
#include "multifold/fold.hpp"
#include "multifold/norm.hpp"
#include "multifold/ops/complex_product.hpp"
#include "multifold/reduce.hpp"
#include "multifold/view.hpp"

namespace multifold::inline v0_1 {

/// A contiguous range of std::complex<float> or std::complex<double>.
template <class Array>
concept complex_elements = requires(const Array& a) {
  { std::begin(a) } -> std::contiguous_iterator;
  {std::data(a)};
  { std::size(a) } -> std::convertible_to<std::size_t>;
}
&&(std::same_as<detail::element_of_range<Array>, std::complex<float>> ||
   std::same_as<detail::element_of_range<Array>, std::complex<double>>);

/// The parts as an array of (n, 2) real numbers: C++ says that they lie so.
template <complex_elements Array>
array_view parts_of(const Array& array) {
  using real = typename detail::element_of_range<Array>::value_type;
  return make_view(reinterpret_cast<const real*>(std::data(array)), {static_cast<std::int64_t>(std::size(array)), 2});
}

/// Reduces an array of complex numbers that is given as its parts: a view whose last axis, of extent 2, has the real
/// and the imaginary one. options.axes and options.where are of the array without that axis.
/// Shapes:   results of sum, mean and prod have a last axis of parts, too; those of sumsq and norm2 are real, and those
///           of any, all and count_nonzero what they are of other arrays.
/// Numerics: correctly rounded in both parts; but a prod of n numbers is off by n 2^-100 of its magnitude in either
///           part before it is rounded, and comes from the plain formula where parts are not finite.
/// Memory:   as reduce(); any, all and count_nonzero take a byte for each number.
/// Throws:   as reduce(); unsupported_error for other operations, for nan_policy::omit, initial values and states, and
///           for a prod with `where` or in device memory.
/// Cost:     reads each element once.
MULTIFOLD_EXPORT reduce_result reduce_complex(op_kind op, const array_view& parts, const reduce_options& options = {});

/// The dot of two such arrays, of one dtype and shape: the sum of conj(x) y, correctly rounded in both parts.
/// Memory:   host memory; 8 to 600 bytes for each result, beside results of parts.
/// Cost:     reads each element twice.
MULTIFOLD_EXPORT reduce_result reduce_complex(op_kind op, const array_view& x_parts, const array_view& y_parts,
                                              const reduce_options& options = {});

namespace detail {

template <class Array>
element_of_range<Array> complex_value_of(const reduce_result& parts) {
  const auto values = parts.template values<typename element_of_range<Array>::value_type>();
  return {values[0], values[1]};
}

template <class Array>
auto real_value_of(op_kind op, const Array& x) {
  return reduce_complex(op, parts_of(x)).template value<typename element_of_range<Array>::value_type>();
}

}  // namespace detail

/// Correctly rounded in both parts. Throws: as reduce().
template <complex_elements Array>
auto sum(const Array& x) {
  return detail::complex_value_of<Array>(reduce_complex(op_kind::sum, parts_of(x)));
}
template <complex_elements Array>
auto mean(const Array& x) {
  return detail::complex_value_of<Array>(reduce_complex(op_kind::mean, parts_of(x)));
}

/// Off by n 2^-100 of the magnitude in either part, and rounded once: nothing overflows on the way.
template <complex_elements Array>
auto prod(const Array& x) {
  return detail::complex_value_of<Array>(reduce_complex(op_kind::prod, parts_of(x)));
}

/// The sum of conj(x) y, correctly rounded in both parts. Throws: shape_error, too, unless they are of one length.
template <complex_elements A, complex_elements B>
requires std::same_as<detail::element_of_range<A>, detail::element_of_range<B>>
auto vecdot(const A& x, const B& y) {
  return detail::complex_value_of<A>(reduce_complex(op_kind::dot, parts_of(x), parts_of(y)));
}

/// The sum of squared magnitudes and its root: real, and correctly rounded. Throws: as reduce().
template <complex_elements Array>
auto sumsq(const Array& x) {
  return detail::real_value_of(op_kind::sumsq, x);
}
template <complex_elements Array>
auto norm2(const Array& x) {
  return detail::real_value_of(op_kind::norm2, x);
}

/// The norm of any order of the magnitudes, as norm() of real numbers: within one ulp of orders from 1 on.
template <complex_elements Array>
auto norm(const Array& x, double order) {
  using real = typename detail::element_of_range<Array>::value_type;
  const auto* const parts = reinterpret_cast<const real*>(std::data(x));
  const std::vector<std::int64_t> extents{static_cast<std::int64_t>(std::size(x))};
  return fold(norm_fold<real, element_pair<real>>{order},
              {make_view(parts, extents, {2}), make_view(parts + (extents[0] > 0 ? 1 : 0), extents, {2})})
      .value();
}

}  // namespace multifold::inline v0_1
