// What an operation of the caller's reads: an element of one array, or one of each of several.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "multifold/dtype.hpp"
#include "multifold/ops.hpp"

namespace multifold::inline v0_1 {
namespace detail {

// The element types behind a value_type, and how it is made of them.
template <class Value>
struct fold_value;

template <storage_type T>
struct fold_value<T> {
  using types = std::tuple<T>;
  static T make(T x) { return x; }
};

template <storage_type... Ts>
struct fold_value<std::tuple<Ts...>> {
  using types = std::tuple<Ts...>;
  static types make(Ts... x) { return types(x...); }
};

template <storage_type T>
struct fold_value<element_pair<T>> {
  using types = std::tuple<T, T>;
  static element_pair<T> make(T x, T y) { return {x, y}; }
};

// Elements may lie at any address; every byte but 0 is true.
template <storage_type T>
T read_element(const std::byte* at) {
  if constexpr (std::is_same_v<T, bool>) {
    return *at != std::byte{0};
  } else {
    T x;
    std::memcpy(&x, at, sizeof x);
    return x;
  }
}

}  // namespace detail

/// An operation that runs on the CPU: value_type is an element type, for one array, or a std::tuple of as many as there
/// are arrays (or element_pair of one).
template <class Op>
concept host_fold_op = fold_op<Op> && requires {
  typename detail::fold_value<typename Op::value_type>::types;
};

/// An operation whose elements meet in C order of the reduced axes, because `combine(a, b)` is not the same as
/// `combine(b, a)`: it says `static constexpr bool ordered = true`.
template <class Op>
concept ordered_fold_op = fold_op<Op> && requires {
  requires Op::ordered;
};

/// An operation that does not look at the index in `lift`: it says `static constexpr bool uses_index = false`, and
/// elements whose order in memory is not that of their indices are read faster.
template <class Op>
concept index_free_fold_op = fold_op<Op> && requires {
  requires !Op::uses_index;
};

/// What an accumulator takes, which an operation whose accumulators own memory says: `static constexpr std::int64_t
/// accumulator_bytes`, at most. Sources are read in bounded memory by it.
template <fold_op Op>
constexpr std::int64_t accumulator_bytes_of() {
  if constexpr (requires { Op::accumulator_bytes; }) return Op::accumulator_bytes;
  else return static_cast<std::int64_t>(sizeof(typename Op::accumulator));
}

/// What `lower` of an operation returns.
template <fold_op Op>
using fold_result = std::remove_cvref_t<decltype(std::declval<const Op&>().lower(
    std::declval<typename Op::accumulator>(), std::int64_t{}))>;

/// How many arrays an operation reads.
template <host_fold_op Op>
inline constexpr std::size_t arrays_of = std::tuple_size_v<typename detail::fold_value<typename Op::value_type>::types>;

namespace detail {

template <host_fold_op Op>
using fold_types = typename fold_value<typename Op::value_type>::types;

template <host_fold_op Op>
using fold_pointers = std::array<const std::byte*, arrays_of<Op>>;

template <host_fold_op Op, class F>
constexpr void for_each_array(F&& f) {
  [&]<std::size_t... J>(std::index_sequence<J...>) {
    (f.template operator()<std::tuple_element_t<J, fold_types<Op>>>(J), ...);
  }
  (std::make_index_sequence<arrays_of<Op>>());
}

/// Value `i` of dense arrays.
template <host_fold_op Op>
typename Op::value_type value_at(const fold_pointers<Op>& x, std::int64_t i) {
  return [&]<std::size_t... J>(std::index_sequence<J...>) {
    return fold_value<typename Op::value_type>::make(read_element<std::tuple_element_t<J, fold_types<Op>>>(
        x[J] + i * static_cast<std::int64_t>(sizeof(std::tuple_element_t<J, fold_types<Op>>)))...);
  }
  (std::make_index_sequence<arrays_of<Op>>());
}

}  // namespace detail
}  // namespace multifold::inline v0_1
