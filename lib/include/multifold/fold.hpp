// Reductions with an operation of the caller's own on the CPU: the structs that cuda/fold.cuh takes, and lambdas.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "multifold/array.hpp"
#include "multifold/error.hpp"
#include "multifold/fold/elements.hpp"
#include "multifold/fold/make_fold.hpp"
#include "multifold/fold/run.hpp"
#include "multifold/fold/shape.hpp"
#include "multifold/source.hpp"

namespace multifold::inline v0_1 {

/// What `lower` made of every batch, in row-major order.
template <class T>
struct folded {
  std::vector<T> values;
  std::vector<std::int64_t> extents;  // empty for a single value

  /// The only value. Throws: shape_error if there are more, or none.
  typename std::vector<T>::const_reference value() const {
    if (values.size() == 1) return values.front();
    throw shape_error("the result has shape " + to_string(extents) + ", and a single value was asked for");
  }
};

namespace detail {

// Threads write their results side by side, which they cannot in a std::vector<bool>.
template <class T>
using fold_store = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

template <class T>
folded<T> folded_from(std::vector<fold_store<T>> values, std::vector<std::int64_t> extents) {
  if constexpr (std::is_same_v<T, bool>) return {{values.begin(), values.end()}, std::move(extents)};
  else return {std::move(values), std::move(extents)};
}

template <host_fold_op Op>
fold_traits traits_of() {
  static constexpr auto types = []<class... Ts>(std::type_identity<std::tuple<Ts...>>) {
    return std::array{dtype_of<Ts>...};
  }(std::type_identity<fold_types<Op>>());
  static_assert(types.size() <= most_fold_arrays, "an operation reads up to 8 arrays");
  static_assert(!std::is_void_v<fold_result<Op>> && std::default_initializable<fold_result<Op>>,
                "lower returns something that can be made without arguments, and assigned");
  return traits_of<Op>(types);
}

}  // namespace detail

/// Reduces arrays of one shape in host memory by `op`, whose value_type is a std::tuple of their element types, over
/// the axes in `options`: `lift` is given an element of each, and makes of x and y what is to be reduced, such as x *
/// y. The members of `op` are called from several threads at a time.
/// Shapes:   the same extents, any strides, each its own dtype; up to 8 arrays.
/// Memory:   accumulators, and tiles of 32 KiB a thread for what does not lie densely; the arrays are not copied.
/// Numerics: elements are combined in a fixed tree that depends on the operation's types and on extents, strides and
///           axes, not on threads: the same bits from run to run. Sums of floating point are pairwise above leaves of
///           some thousand elements, and round little. Functions run in the default floating-point environment.
///           Operations that are `ordered` see the elements of a batch in C order of the reduced axes, all others in
///           any order. `index` counts from the start of a batch in C order, in either case.
/// Throws:   what the operation's functions throw, from whatever thread; shape_error for dtypes, extents and axes that
///           do not fit; unsupported_error for device memory; cancelled_error; std::bad_alloc.
/// Cost:     reads each element once, at the speed of memory where `lift` and `combine` are a few instructions that the
///           compiler sees (-O2 or more). Accumulators of up to 64 bytes that are trivially copyable are kept several
///           at a time. If one is large, give the operation a lane (has_lane), which takes elements without a `lift`.
template <host_fold_op Op>
folded<fold_result<Op>> fold(const Op& op, const std::vector<array_view>& views, const fold_options& options = {}) {
  using result = fold_result<Op>;
  const detail::fold_shape shape = detail::make_fold_shape(views, detail::traits_of<Op>(), options);
  std::vector<detail::fold_store<result>> values(static_cast<std::size_t>(shape.results));
  detail::run_fold_alone([&] {
    if (shape.results * shape.length == 0) return detail::lower_nothing(op, shape.results, values.data());
    detail::fold_memory<arrays_of<Op>> memory;
    for (std::size_t j = 0; j < views.size(); ++j) memory.data[j] = static_cast<const std::byte*>(views[j].data);
    detail::fold_memory_to(op, shape, memory, options, values.data());
  });
  return detail::folded_from<result>(std::move(values), shape.extents);
}

/// One array, otherwise as above.
template <host_fold_op Op>
folded<fold_result<Op>> fold(const Op& op, const array_view& view, const fold_options& options = {}) {
  return fold(op, std::vector<array_view>{view}, options);
}

/// A source, in bounded memory: options.memory_bytes of buffers and partial results, and the results.
/// Shapes:   over all axes, over those that are fastest or slowest in the file, and over one between. Where the reduced
///           elements of a slice (what lies behind the kept axes that are slower than all reduced ones) lie apart, or
///           their order is not that of the file and the operation looks at it, a slice has to fit the memory.
/// Numerics: the bits of the array in memory.
/// Throws:   as above, and what the source throws; out_of_memory, which says how much it takes.
/// Cost:     reads each element once; threads read and reduce side by side where the source has random access.
template <host_fold_op Op>
requires(arrays_of<Op> == 1) folded<fold_result<Op>> fold(const Op& op, source& input,
                                                          const fold_options& options = {}) {
  using result = fold_result<Op>;
  const detail::fold_traits traits = detail::traits_of<Op>();
  const detail::fold_shape shape = detail::make_fold_shape(input, traits, options);
  std::vector<detail::fold_store<result>> values(static_cast<std::size_t>(shape.results));
  detail::run_fold_alone([&] {
    if (shape.results * shape.length == 0) return detail::lower_nothing(op, shape.results, values.data());
    const detail::fold_units units = detail::make_fold_units(input, shape, traits, options);
    detail::source_fold<Op>(op, input, shape, units, options).run(values.data());
  });
  return detail::folded_from<result>(std::move(values), shape.extents);
}

}  // namespace multifold::inline v0_1
