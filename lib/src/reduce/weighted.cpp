// The states of a dot product and of a sum, divided result by result.
#include "multifold/weighted.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "core/exact_ratio.hpp"
#include "multifold/error.hpp"
#include "multifold/exact/finish.hpp"
#include "multifold/state.hpp"
#include "reduce/request.hpp"
#include "reduce/results/results.hpp"
#include "reduce/states/contents.hpp"

namespace multifold::inline v0_1 {
namespace {

void check_arrays(const array_view& x, const array_view& weights) {
  if (!is_floating(x.type)) {
    throw unsupported_error("a weighted mean of " + std::string(name(x.type)) + "; expected f16, bf16, f32 or f64");
  }
  if (weights.type != x.type) {
    throw unsupported_error("weights of " + std::string(name(weights.type)) + " for elements of " +
                            std::string(name(x.type)) + "; expected one dtype");
  }
  if (x.where == place::device || weights.where == place::device) {
    throw unsupported_error("a weighted mean is made by the host engine: copy arrays in device memory to the host's");
  }
  if (weights.strides.size() != weights.extents.size()) {
    throw shape_error("weights have " + std::to_string(weights.extents.size()) + " axes, but " +
                      std::to_string(weights.strides.size()) + " strides were given");
  }
}

void check_options(const reduce_options& options) {
  const auto refuse = [](bool given, const char* what) {
    if (given) throw unsupported_error(std::string("a weighted mean takes no ") + what);
  };
  refuse(options.where.has_value(), "where: give elements that take no part a weight of 0");
  refuse(options.nan != nan_policy::propagate, "nan_policy::omit: a NaN and its weight would both have to go");
  refuse(options.initial.given, "initial value");
  refuse(options.correction != 0, "correction");
  refuse(options.wanted == accuracy::fast, "accuracy::fast: it is exact");
  refuse(options.keep_state || options.only_state, "state: keep those of dot and of the sum of the weights");
  refuse(!options.checkpoint.empty(), "checkpoint");
  refuse(options.into.data() != nullptr || !options.into.empty(), "memory for its results");
  refuse(detail::is_forced(options.forced), "forced plan");
  refuse(options.engine == engine_choice::device || options.engine == engine_choice::both,
         "engine but the host's: leave it open");
}

template <exact_format Products, exact_format Weights>
exact_value ratio_of(const exact_accumulator<Products>& products, const exact_accumulator<Weights>& weights,
                     const std::string& which) {
  if (!weights.counters().all_finite()) return exact_value::of_nan();
  const auto divisor = detail::signed_of(weights.normalised_limbs());
  if (divisor.bits() == 0) throw shape_error("the weights of " + which + " add up to zero: their mean has no value");
  exact_value total = exact_total(products);
  if (total.what == exact_value::kind::nan) return total;
  if (total.what == exact_value::kind::infinite || total.zero()) {
    total.negative = total.negative != divisor.negative;
    return total;
  }
  return detail::exact_ratio(detail::signed_of(products.normalised_limbs()), Products::unit_exponent, divisor,
                             Weights::unit_exponent);
}

template <floating_storage T>
void divide(const detail::state_contents& products, const detail::state_contents& weights, reduce_result& result) {
  using product_op = exact_moments<T, moment_set::products>;
  using weight_op = exact_float_sum<T>;
  using product_record = detail::state_record<product_op>;
  using weight_record = detail::state_record<weight_op>;
  const std::int64_t results = element_count(result.extents), item = item_bytes(result.type);
  const auto record = [](const detail::state_contents& from, std::int64_t i, std::int64_t bytes) {
    const auto at = static_cast<std::size_t>(i * bytes);
    return detail::record_reader{from.records.data() + at, at};
  };
  for (std::int64_t i = 0; i < results; ++i) {
    const auto sums = product_record::get(product_op{}, record(products, i, product_record::bytes), products.context());
    const auto total = weight_record::get(weight_op{}, record(weights, i, weight_record::bytes), weights.context());
    const std::string which = results == 1 ? "the array" : "result " + std::to_string(i);
    round_to(ratio_of(sums.products, total, which), result.type, result.data.data() + i * item);
  }
}

}  // namespace

reduce_result weighted_mean(const array_view& array, const array_view& weights, const reduce_options& options) {
  check_arrays(array, weights);
  check_options(options);
  const dtype type = options.result.value_or(default_result_dtype(op_kind::mean, array.type));
  if (!result_dtype_allowed(op_kind::mean, array.type, type)) {
    throw unsupported_error("a weighted mean of " + std::string(name(array.type)) + " makes no " +
                            std::string(name(type)) + "; expected f16, bf16, f32 or f64");
  }
  const array_view each = broadcast_to(weights, array.extents);
  reduce_options own = options;
  own.result.reset();
  own.engine = engine_choice::host;
  own.keep_state = own.only_state = true;
  reduce_result result = reduce(op_kind::dot, array, each, own);
  own.progress = {};
  const reduce_result total = reduce(op_kind::sum, each, own);
  const detail::state_contents products = detail::decode_state(result.state);
  const detail::state_contents divisors = detail::decode_state(total.state);
  result.state.clear();
  result.type = type;
  result.used.what = make_reduction(op_kind::mean, array.type);
  result.used.what.result = type;
  result.achieved = accuracy::exact;
  result.seconds += total.seconds;
  result.data = detail::allocate_results(result.used.what, element_count(result.extents));
  if (array.type == dtype::f16) divide<f16>(products, divisors, result);
  else if (array.type == dtype::bf16) divide<bf16>(products, divisors, result);
  else if (array.type == dtype::f32) divide<float>(products, divisors, result);
  else divide<double>(products, divisors, result);
  return result;
}

}  // namespace multifold::inline v0_1
