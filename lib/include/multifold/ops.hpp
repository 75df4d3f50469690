// The built-in operations by name, and the concept that they and a user's own operations satisfy.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "multifold/array.hpp"
#include "multifold/dtype.hpp"
#include "multifold/export.hpp"
#include "multifold/types/scalar.hpp"

namespace multifold::inline v0_1 {

enum class op_kind : std::uint8_t {
  sum,
  prod,
  min,
  max,
  argmin,
  argmax,
  mean,
  norm1,     // sum of magnitudes
  sumsq,     // sum of squares
  norm2,     // its square root
  var,       // mean squared deviation from the mean; reduction::correction comes off the count
  std,       // its square root
  dot,       // sum of products of the elements of two arrays
  cov,       // mean product of their deviations from their means; reduction::correction comes off the count
  describe,  // all of struct summary in one read
  any,       // whether some element is not zero
  all,       // whether none is zero
  count_nonzero,
};

/// What a floating-point NaN does to a result.
enum class nan_policy : std::uint8_t {
  propagate,  // any NaN makes the result NaN; argmin and argmax return the first one
  omit,       // NaN elements do not take part, and are not counted by mean and count_nonzero
};

/// What a floating-point result may be off by.
enum class accuracy : std::uint8_t {
  exact,  // the correctly rounded result of the elements
  fast,   // a fixed tree of operations in double, rounded once to the result: the same bits from run to run
};

MULTIFOLD_EXPORT std::string_view name(accuracy kind) noexcept;
MULTIFOLD_EXPORT std::string_view name(op_kind op) noexcept;
MULTIFOLD_EXPORT std::string_view description(op_kind op) noexcept;
MULTIFOLD_EXPORT std::optional<op_kind> parse_op(std::string_view text) noexcept;

/// The operations that make one value of one array, and those that make one value of two.
inline constexpr op_kind all_ops[] = {op_kind::sum,    op_kind::prod,   op_kind::min,          op_kind::max,
                                      op_kind::argmin, op_kind::argmax, op_kind::mean,         op_kind::norm1,
                                      op_kind::sumsq,  op_kind::norm2,  op_kind::var,          op_kind::std,
                                      op_kind::any,    op_kind::all,    op_kind::count_nonzero};
inline constexpr op_kind two_array_ops[] = {op_kind::dot, op_kind::cov};

constexpr bool takes_two_arrays(op_kind op) noexcept { return op == op_kind::dot || op == op_kind::cov; }

/// Whether a correction (degrees of freedom that come off the count) has a meaning for `op`.
constexpr bool takes_correction(op_kind op) noexcept {
  return op == op_kind::var || op == op_kind::std || op == op_kind::cov || op == op_kind::describe;
}

/// Whether `op` asks of an element whether it is zero, and nothing else: a NaN is not, be it propagated.
constexpr bool takes_truths(op_kind op) noexcept {
  return op == op_kind::any || op == op_kind::all || op == op_kind::count_nonzero;
}

/// Whether integers, too, have a real result.
constexpr bool gives_real(op_kind op) noexcept {
  return op == op_kind::mean || op == op_kind::norm2 || takes_correction(op);
}

/// Whether an initial value may take part.
constexpr bool takes_initial(op_kind op) noexcept {
  return op == op_kind::sum || op == op_kind::prod || op == op_kind::min || op == op_kind::max;
}

/// The dtype of a result unless another is asked for: floating inputs keep theirs; sums and products of integers are
/// i64 or u64, and so are their sums of magnitudes and squares and their dot products; means, variances, deviations and
/// 2-norms of integers are f64; argmin, argmax and count_nonzero give i64, any and all boolean.
constexpr dtype default_result_dtype(op_kind op, dtype input) noexcept {
  switch (op) {
    case op_kind::min:
    case op_kind::max: return input;
    case op_kind::argmin:
    case op_kind::argmax:
    case op_kind::count_nonzero: return dtype::i64;
    case op_kind::any:
    case op_kind::all: return dtype::boolean;
    case op_kind::sum:
    case op_kind::prod:
    case op_kind::mean:
    case op_kind::norm1:
    case op_kind::sumsq:
    case op_kind::norm2:
    case op_kind::var:
    case op_kind::std:
    case op_kind::dot:
    case op_kind::cov:
    case op_kind::describe: break;
  }
  if (is_floating(input)) return input;
  if (gives_real(op)) return dtype::f64;
  return is_unsigned(input) ? dtype::u64 : dtype::i64;
}

/// Whether results of `op` over `input` can be asked for as `result`: never an integer from a real value.
MULTIFOLD_EXPORT bool result_dtype_allowed(op_kind op, dtype input, dtype result) noexcept;

/// Whether `op` keeps the index of its elements.
MULTIFOLD_HD constexpr element_order order_of(op_kind op) noexcept {
  const bool indexed = op == op_kind::argmin || op == op_kind::argmax || op == op_kind::describe;
  return indexed ? element_order::indexed : element_order::any;
}

/// Whether a reduction over no elements has a value, be it NaN.
constexpr bool has_identity(op_kind op) noexcept {
  return op != op_kind::min && op != op_kind::max && op != op_kind::argmin && op != op_kind::argmax;
}

/// An element of each of two arrays.
template <storage_type T>
struct element_pair {
  T x, y;
};

/// A reduction operation: what one element becomes, how two partial results meet, and what is read off at the end.
///
/// `identity()` is neutral for `combine`, which is associative and commutative (up to rounding). `index` counts from
/// the start of the batch. Operations are trivially copyable values; the same struct runs on CPU and GPU, so its
/// members are MULTIFOLD_HD where CUDA compiles them.
template <class Op>
concept fold_op = std::copyable<Op> && std::copyable<typename Op::accumulator> &&
    requires(const Op op, typename Op::value_type x, typename Op::accumulator a, std::int64_t i) {
  { op.identity() } -> std::same_as<typename Op::accumulator>;
  { op.lift(x, i) } -> std::same_as<typename Op::accumulator>;
  { op.combine(a, a) } -> std::same_as<typename Op::accumulator>;
  op.lower(a, i);
};

/// An operation that first gathers up to `lane_capacity` elements in something narrower than its accumulator.
template <class Op>
concept has_lane = fold_op<Op> &&
    requires(const Op op, typename Op::lane l, typename Op::value_type x, std::int64_t i) {
  { op.lane_identity() } -> std::same_as<typename Op::lane>;
  { op.absorb(l, x, i) } -> std::same_as<typename Op::lane>;
  { op.widen(l) } -> std::same_as<typename Op::accumulator>;
  { Op::lane_capacity } -> std::convertible_to<std::int64_t>;
};

/// An operation that another one, with the same results, stands in for where elements are read in tiles.
template <class Op>
concept has_tiled_form = requires {
  typename Op::tiled_form;
};

/// An operation whose atomic merge gives the same bits in any order of arrival.
template <class Op>
concept order_free = requires {
  requires Op::order_free;
};

/// One way to write a loop over elements for operations with and without a lane.
template <fold_op Op>
struct lane_of {
  using type = typename Op::accumulator;
  static constexpr std::int64_t capacity = INT64_MAX;
  MULTIFOLD_HD static type identity(const Op& op) { return op.identity(); }
  MULTIFOLD_HD static type absorb(const Op& op, type l, typename Op::value_type x, std::int64_t i) {
    return op.combine(l, op.lift(x, i));
  }
  MULTIFOLD_HD static typename Op::accumulator widen(const Op&, type l) { return l; }
};

template <has_lane Op>
struct lane_of<Op> {
  using type = typename Op::lane;
  static constexpr std::int64_t capacity = Op::lane_capacity;
  MULTIFOLD_HD static type identity(const Op& op) { return op.lane_identity(); }
  MULTIFOLD_HD static type absorb(const Op& op, type l, typename Op::value_type x, std::int64_t i) {
    return op.absorb(l, x, i);
  }
  MULTIFOLD_HD static typename Op::accumulator widen(const Op& op, type l) { return op.widen(l); }
};

/// An `initial` value: an integer, or a real number; `.initial = 5`, `.initial = 0.5`.
struct initial_value {
  bool given = false;
  bool integer = false;
  int128_t integer_value = 0;
  double real_value = 0;

  initial_value() = default;
  template <class Number>
  requires(std::is_integral_v<Number> && !std::is_same_v<Number, bool>)  //
      MULTIFOLD_HD constexpr initial_value(Number value)
      : initial_value(true, true, value, static_cast<double>(value)) {}
  template <class Number>
  requires std::is_floating_point_v<Number> MULTIFOLD_HD constexpr initial_value(Number value)
      : initial_value(true, false, 0, static_cast<double>(value)) {}
  MULTIFOLD_HD constexpr initial_value(bool is_given, bool is_integer, int128_t whole, double real)
      : given(is_given), integer(is_integer), integer_value(whole), real_value(real) {}

  bool operator==(const initial_value&) const = default;
};

/// What happens to the scalar after the last merge: a mean divides by its count, and `initial` takes part.
MULTIFOLD_HD scalar finish_scalar(op_kind op, scalar value, const initial_value& initial);

}  // namespace multifold::inline v0_1

#include "multifold/ops/finish_scalar.hpp"
