// Sums, means and norms of complex numbers: of their parts, each of which is exact.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "multifold/reduce.hpp"
#include "multifold/view.hpp"

namespace multifold {

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

namespace detail {

template <class Array>
element_of_range<Array> complex_value_of(op_kind op, const Array& x) {
  using real = typename element_of_range<Array>::value_type;
  const reduce_result parts = reduce(op, parts_of(x), {.axes = {0}});
  const std::span<const real> values = parts.template values<real>();
  return {values[0], values[1]};
}

template <class Array>
auto real_value_of(op_kind op, const Array& x) {
  return reduce(op, parts_of(x)).template value<typename element_of_range<Array>::value_type>();
}

}  // namespace detail

/// Correctly rounded in both parts. Throws: as reduce().
template <complex_elements Array>
auto sum(const Array& x) {
  return detail::complex_value_of(op_kind::sum, x);
}
template <complex_elements Array>
auto mean(const Array& x) {
  return detail::complex_value_of(op_kind::mean, x);
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

}  // namespace multifold
