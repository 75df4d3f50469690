// Complex numbers as real arrays with one axis more: what of their parts is reduced together, and what apart.
#include "multifold/complex.hpp"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "multifold/error.hpp"
#include "multifold/exact/finish.hpp"
#include "multifold/state.hpp"
#include "reduce/request.hpp"
#include "reduce/states/contents.hpp"

namespace multifold::inline v0_1 {
namespace {

std::string called(op_kind op) { return std::string(name(op)) + " of complex numbers"; }

void check_parts(op_kind op, const array_view& parts) {
  if (parts.type != dtype::f32 && parts.type != dtype::f64) {
    throw unsupported_error(called(op) + " with parts of " + std::string(name(parts.type)) + "; expected f32 or f64");
  }
  if (parts.extents.empty() || parts.extents.back() != 2 || parts.strides.size() != parts.extents.size()) {
    throw shape_error("the parts of complex numbers lie along a last axis of extent 2; found shape " +
                      to_string(parts.extents));
  }
}

void check_options(op_kind op, const reduce_options& options) {
  const auto refuse = [&](bool given, const char* what) {
    if (given) throw unsupported_error(called(op) + " takes no " + what);
  };
  refuse(options.nan != nan_policy::propagate, "nan_policy::omit: leave them out by where");
  refuse(options.initial.given, "initial value");
  refuse(options.keep_state || options.only_state, "state: keep one of the parts");
  refuse(options.into.data() != nullptr || !options.into.empty(), "memory for its results");
}

// One of the parts, 0 or 1, of each number.
array_view part_of(const array_view& parts, std::int64_t which) {
  array_view one = parts;
  const std::int64_t offset = parts.elements() > 0 ? which * parts.strides.back() * item_bytes(parts.type) : 0;
  one.data = static_cast<const std::byte*>(parts.data) + offset;
  one.extents.pop_back();
  one.strides.pop_back();
  return one;
}

// The options for the parts: their axes are counted from the first one, and `together` is reduced, too.
reduce_options options_for_parts(const array_view& parts, const reduce_options& options, bool together) {
  const array_view real = part_of(parts, 0);
  const std::int64_t rank = real.rank();
  std::vector<std::int64_t> axes = options.axes.of(rank);
  result_extents(real, axes, false);  // throws for axes that are not there
  for (std::int64_t& axis : axes) axis = axis < 0 ? axis + rank : axis;
  if (together) axes.push_back(rank);
  reduce_options own = options;
  own.axes = std::move(axes);
  if (own.where) {
    own.where->extents.push_back(1);
    own.where->strides.push_back(0);
  }
  return own;
}

reduce_result of_parts(op_kind op, const array_view& parts, const reduce_options& options, bool together) {
  reduce_result result = reduce(op, parts, options_for_parts(parts, options, together));
  if (together && options.keepdims) result.extents.pop_back();
  return result;
}

// A number is zero if both of its parts are: those of each meet first, in a byte.
reduce_result truths_of(op_kind op, const array_view& parts, const reduce_options& options) {
  reduce_options each;
  each.axes = {-1};
  each.threads = options.threads;
  each.stop = options.stop;
  const reduce_result truths = reduce(op_kind::any, parts, each);
  reduce_result result = reduce(op, make_view(truths.data.data(), dtype::boolean, truths.extents), options);
  result.used.what.input = parts.type;
  result.bytes = truths.bytes;
  result.seconds += truths.seconds;
  return result;
}

// As std::complex has them: two parts side by side.
template <class T>
void put_parts(const std::vector<std::complex<T>>& values, reduce_result& result) {
  result.type = dtype_of<T>;
  result.data.resize(values.size() * sizeof(std::complex<T>));
  if (!values.empty()) std::memcpy(result.data.data(), values.data(), result.data.size());
}

template <class T, class Result>
reduce_result product_of(const array_view& parts, const reduce_options& options) {
  fold_options how;
  how.axes = options.axes;
  how.keepdims = options.keepdims;
  how.threads = options.threads;
  how.stop = options.stop;
  auto folded = fold(complex_product_fold<T, Result>{}, {part_of(parts, 0), part_of(parts, 1)}, how);
  reduce_result result;
  put_parts(folded.values, result);
  result.extents = std::move(folded.extents);
  result.extents.push_back(2);
  result.engine = "host";
  result.achieved = accuracy::fast;
  result.count = part_of(parts, 0).elements();
  result.bytes = 2 * result.count * item_bytes(parts.type);
  result.used.what = make_reduction(op_kind::prod, parts.type);
  result.used.what.result = result.type;
  return result;
}

reduce_result product_of(const array_view& parts, const reduce_options& options) {
  if (options.where) throw unsupported_error(called(op_kind::prod) + " takes no where: make elements 1 instead");
  const engine_choice engine = options.engine;
  if (parts.where == place::device || engine == engine_choice::device || engine == engine_choice::both) {
    throw unsupported_error(called(op_kind::prod) + " is made by the host engine, of arrays in host memory");
  }
  const bool wide = options.result.value_or(parts.type) == dtype::f64;
  if (parts.type == dtype::f64)
    return wide ? product_of<double, double>(parts, options) : product_of<double, float>(parts, options);
  return wide ? product_of<float, double>(parts, options) : product_of<float, float>(parts, options);
}

// What is not finite in a - b.
exact_counters difference_of(const exact_counters& a, const exact_counters& b) {
  exact_counters both;
  both.nan = a.nan + b.nan;
  both.positive_infinity = a.positive_infinity + b.negative_infinity;
  both.negative_infinity = a.negative_infinity + b.positive_infinity;
  return both;
}

template <class Sum>
exact_value difference_of(const Sum& a, const Sum& b) {
  if (!a.counters().all_finite() || !b.counters().all_finite())
    return detail::special_total(difference_of(a.counters(), b.counters()));
  return detail::leading(
      detail::difference(detail::signed_of(a.normalised_limbs()), detail::signed_of(b.normalised_limbs())),
      Sum::format::unit_exponent);
}

// a - b of every result of two states of dot, rounded to every second place of `out`.
template <floating_storage T>
void subtract(const detail::state_contents& a, const detail::state_contents& b, dtype type, std::byte* out) {
  using op = exact_moments<T, moment_set::products>;
  using record = detail::state_record<op>;
  const std::int64_t results = element_count(a.extents), item = item_bytes(type);
  const auto sum_in = [](const detail::state_contents& from, std::int64_t i) {
    const auto at = static_cast<std::size_t>(i * record::bytes);
    return record::get(op{}, detail::record_reader{from.records.data() + at, at}, from.context()).products;
  };
  for (std::int64_t i = 0; i < results; ++i)
    round_to(difference_of(sum_in(a, i), sum_in(b, i)), type, out + 2 * i * item);
}

}  // namespace

reduce_result reduce_complex(op_kind op, const array_view& parts, const reduce_options& options) {
  check_parts(op, parts);
  check_options(op, options);
  if (takes_truths(op)) return truths_of(op, parts, options);
  if (options.result && *options.result != dtype::f32 && *options.result != dtype::f64)
    throw unsupported_error(called(op) + " makes no parts of " + std::string(name(*options.result)));
  if (op == op_kind::sum || op == op_kind::mean) return of_parts(op, parts, options, false);
  if (op == op_kind::sumsq || op == op_kind::norm2) return of_parts(op, parts, options, true);
  if (op == op_kind::prod) return product_of(parts, options);
  throw unsupported_error(called(op) +
                          " is not there: sum, mean, prod, sumsq, norm2, any, all, count_nonzero and dot are");
}

reduce_result reduce_complex(op_kind op, const array_view& x, const array_view& y, const reduce_options& options) {
  detail::check_arrays(op, 2);
  if (op != op_kind::dot) throw unsupported_error(called(op) + " is not there: dot is");
  for (const array_view* each : {&x, &y}) check_parts(op, *each);
  detail::check_pair(op, x, y);
  check_options(op, options);
  if (x.where == place::device) throw unsupported_error(called(op) + " is made of arrays in host memory: copy them");
  reduce_options real = options_for_parts(x, options, true);
  reduce_result result = reduce(op, x, y, real);
  if (options.keepdims) result.extents.pop_back();

  reduce_options own = options;
  own.result.reset();
  own.keepdims = false;
  own.engine = engine_choice::host;
  own.keep_state = own.only_state = true;
  const reduce_result straight = reduce(op, part_of(x, 0), part_of(y, 1), own);
  const reduce_result across = reduce(op, part_of(x, 1), part_of(y, 0), own);
  const detail::state_contents a = detail::decode_state(straight.state), b = detail::decode_state(across.state);
  const std::int64_t item = item_bytes(result.type);
  std::vector<std::byte> both(2 * result.data.size());
  for (std::size_t at = 0; at < result.data.size(); at += static_cast<std::size_t>(item))
    std::memcpy(&both[2 * at], &result.data[at], static_cast<std::size_t>(item));
  if (!both.empty()) {
    if (x.type == dtype::f32) subtract<float>(a, b, result.type, both.data() + item);
    else subtract<double>(a, b, result.type, both.data() + item);
  }
  result.data = std::move(both);
  result.extents.push_back(2);
  result.seconds += straight.seconds + across.seconds;
  return result;
}

}  // namespace multifold::inline v0_1
