// What is reduced: a strided array in one place. Contiguous ranges, mdspans, and types of yours that say how they lie
// in memory are one, too. No data moves here.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "multifold/dtype.hpp"
#include "multifold/export.hpp"

namespace multifold::inline v0_1 {

struct array_view;

/// Where the bytes live.
enum class place : std::uint8_t { host, device };

/// How the elements of an `Array` lie in memory. Specialise it for types of yours or of other libraries:
///
///   template <>
///   struct multifold::array_traits<my_matrix> {
///     using element_type = float;
///     static array_view view(const my_matrix& m) {
///       return make_view(m.data(), {m.rows(), m.columns()}, {m.row_stride(), 1});
///     }
///   };
template <class Array>
struct array_traits {};

namespace detail {

template <class Array>
using element_of_range = std::remove_cvref_t<decltype(*std::begin(std::declval<const Array&>()))>;

}  // namespace detail

/// vector, array, span, arrays of C, and what else has begin, data and size, and elements side by side.
template <class Array>
concept contiguous_elements = requires(const Array& a) {
  { std::begin(a) } -> std::contiguous_iterator;
  {std::data(a)};
  { std::size(a) } -> std::convertible_to<std::size_t>;
}
&&storage_type<detail::element_of_range<Array>>;

/// std::mdspan and its relatives, whose elements are in memory as they are.
template <class Array>
concept mdspan_like = storage_type<std::remove_cv_t<typename Array::element_type>> &&
    std::is_lvalue_reference_v<typename Array::reference> && requires(const Array& a, std::size_t axis) {
  { a.data_handle() } -> std::convertible_to<const typename Array::element_type*>;
  { Array::rank() } -> std::convertible_to<std::size_t>;
  a.extent(axis);
  a.stride(axis);
};

/// What has array_traits.
template <class Array>
concept viewable = requires(const Array& a) {
  // Not storage_type: while it looks for the traits, GCC 12 takes that of their elements for the same question.
  requires is_storage<typename array_traits<Array>::element_type>;
  { array_traits<Array>::view(a) } -> std::same_as<array_view>;
};

/// A strided array that somebody else owns. Whatever is viewable is one where a function asks for one.
struct array_view {
  const void* data = nullptr;
  dtype type = dtype::f32;
  std::vector<std::int64_t> extents = {};
  std::vector<std::int64_t> strides = {};  // elements, any sign, 0 to repeat
  place where = place::host;

  array_view() = default;
  array_view(const void* first, dtype element, std::vector<std::int64_t> shape, std::vector<std::int64_t> steps,
             place there = place::host)
      : data(first), type(element), extents(std::move(shape)), strides(std::move(steps)), where(there) {}
  /// Nothing is copied: `array` has to outlive the view.
  template <viewable Array>
  array_view(const Array& array) : array_view(array_traits<Array>::view(array)) {}  // NOLINT: a view of it

  std::int64_t rank() const noexcept { return static_cast<std::int64_t>(extents.size()); }
  /// Throws shape_error if the product does not fit 64 bits.
  MULTIFOLD_EXPORT std::int64_t elements() const;
};

/// An array_view whose elements are known to be T, so that it is one for functions that have a T in hand: sum(view).
template <storage_type T>
struct typed_view : array_view {
  typed_view(const T* first, std::vector<std::int64_t> shape, std::vector<std::int64_t> steps, place there)
      : array_view(first, dtype_of<T>, std::move(shape), std::move(steps), there) {}
};

/// Row-major (last axis fastest) and column-major strides of `extents`; all 0 where there are no elements.
/// Throws shape_error as element_count does.
MULTIFOLD_EXPORT std::vector<std::int64_t> c_strides(const std::vector<std::int64_t>& extents);
MULTIFOLD_EXPORT std::vector<std::int64_t> fortran_strides(const std::vector<std::int64_t>& extents);

/// The product of `extents`; throws shape_error on a negative extent or a product past 2^63 - 1.
MULTIFOLD_EXPORT std::int64_t element_count(const std::vector<std::int64_t>& extents);

/// "(2, 3, 4)".
MULTIFOLD_EXPORT std::string to_string(const std::vector<std::int64_t>& extents);

/// A dense row-major host or device array. Nothing is copied.
/// Throws: shape_error as element_count does; a null pointer is refused by what reduces the array.
MULTIFOLD_EXPORT array_view make_view(const void* data, dtype type, std::vector<std::int64_t> extents,
                                      place where = place::host);

template <storage_type T>
typed_view<T> make_view(const T* data, std::vector<std::int64_t> extents, place where = place::host) {
  std::vector<std::int64_t> strides = c_strides(extents);
  return {data, std::move(extents), std::move(strides), where};
}

/// An array with strides of its own [elements], as many as extents. Nothing is copied, and nothing checked: what reduces
/// the array refuses extents and strides that do not fit together.
template <storage_type T>
typed_view<T> make_view(const T* data, std::vector<std::int64_t> extents, std::vector<std::int64_t> strides,
                        place where = place::host) {
  return {data, std::move(extents), std::move(strides), where};
}

/// `view` as an array of `extents`, by NumPy's rules: axes count from the last, and those that are missing, or of
/// extent 1, repeat. Nothing is copied. Throws: shape_error for extents that do not fit.
MULTIFOLD_EXPORT array_view broadcast_to(const array_view& view, const std::vector<std::int64_t>& extents);

template <storage_type T>
struct array_traits<typed_view<T>> {
  using element_type = T;
  static array_view view(const typed_view<T>& v) { return static_cast<const array_view&>(v); }
};

template <contiguous_elements Array>
struct array_traits<Array> {
  using element_type = detail::element_of_range<Array>;
  static array_view view(const Array& a) { return make_view(std::data(a), {static_cast<std::int64_t>(std::size(a))}); }
};

template <mdspan_like Array>
struct array_traits<Array> {
  using element_type = std::remove_cv_t<typename Array::element_type>;
  static array_view view(const Array& a) {
    std::vector<std::int64_t> extents, strides;
    for (std::size_t axis = 0; axis < Array::rank(); ++axis) {
      extents.push_back(static_cast<std::int64_t>(a.extent(axis)));
      strides.push_back(static_cast<std::int64_t>(a.stride(axis)));
    }
    return make_view(static_cast<const element_type*>(a.data_handle()), std::move(extents), std::move(strides));
  }
};

template <viewable Array>
using element_type_of = typename array_traits<Array>::element_type;

/// `array` as the functions of arrays take it: nothing is copied, so it has to outlive the view.
/// Throws: what its array_traits do.
template <viewable Array>
array_view as_view(const Array& array) {
  return array_traits<Array>::view(array);
}

}  // namespace multifold::inline v0_1
