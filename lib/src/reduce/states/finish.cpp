// From the accumulators of a state to results, as the operations mean them.
#include <algorithm>
#include <string>

#include "core/fractional_correction.hpp"
#include "multifold/error.hpp"
#include "plan/no_value.hpp"
#include "plan/outcome.hpp"
#include "reduce/request.hpp"
#include "reduce/results/results.hpp"
#include "reduce/states/contents.hpp"

namespace multifold::inline v0_1::detail {
namespace {

reduction checked_what(const state_contents& from, op_kind op, const finish_options& options) {
  if (!from.has(op)) {
    throw unsupported_error("a state of " + from.name() + " has no " + std::string(name(op)) +
                            ": keep one of that operation");
  }
  if (from.nan == nan_policy::omit && kept_policy(op, from.element, from.nan) != from.nan) {
    throw unsupported_error("to " + std::string(name(op)) +
                            " a NaN is an element that is not zero, and this state of " + from.name() +
                            " has left NaN out: keep one of " + std::string(name(op)));
  }
  reduce_options as_options;
  as_options.result = options.result;
  as_options.nan = from.nan;
  as_options.correction = options.correction;
  as_options.initial = options.initial;
  const reduction what = make_checked_reduction(op, from.element, as_options);
  check_result_dtype(what);
  if (!always_exact(what) && !gathers_exactly(what)) {
    throw unsupported_error("a state of " + from.name() + " holds integers, and products as " +
                            std::string(name(what.result)) + " are rounded on the way: expected i64 or u64");
  }
  return what;
}

std::vector<std::int64_t> kept_extents(const state_contents& from, const finish_options& options) {
  if (!options.keep_axes) return from.extents;
  const auto rank = static_cast<std::int64_t>(from.extents.size() + options.keep_axes->size());
  std::vector<bool> reduced(static_cast<std::size_t>(rank));
  for (const std::int64_t axis : *options.keep_axes) {
    const std::int64_t at = axis < 0 ? axis + rank : axis;
    if (at < 0 || at >= rank || reduced[static_cast<std::size_t>(at)]) {
      throw shape_error("axis " + std::to_string(axis) + " is not one of " + std::to_string(rank) +
                        " axes, or was named twice");
    }
    reduced[static_cast<std::size_t>(at)] = true;
  }
  std::vector<std::int64_t> made;
  auto next = from.extents.begin();
  for (const bool one : reduced) made.push_back(one ? 1 : *next++);
  return made;
}

void require_elements(const state_contents& from, op_kind op, std::int64_t results) {
  for (std::int64_t i = 0; i < results; ++i) {
    if (from.count_of(i) > 0) continue;
    if (from.counts.empty()) throw_no_value(op);
    throw shape_error("result " + std::to_string(i) + " has no elements, and " + std::string(name(op)) +
                      " of nothing has no value: give an initial value");
  }
}

}  // namespace

reduce_result finish(const state_contents& from, op_kind op, const finish_options& options) {
  const reduction what = checked_what(from, op, options);
  const std::int64_t results = element_count(from.extents);
  if (!has_identity(op) && !what.initial.given) require_elements(from, op, results);
  reduce_result made;
  made.type = what.result;
  made.extents = kept_extents(from, options);
  made.data = allocate_results(what, results);
  made.engine = "host";
  made.achieved = accuracy::exact;
  made.used.what = what;
  outcome worst;
  visit_fold(what, [&]<class Op>(const Op& fold) {
    if constexpr (has_state_record<Op>) {
      using record = state_record<Op>;
      const std::int64_t item = result_bytes(what);
      from.for_each_record(record::bytes, [&](std::int64_t i, std::size_t at) {
        const auto accumulator = record::get(fold, {from.records.data() + at, at}, from.context(i));
        const auto value = finish_any(what.op, fold.lower(accumulator, from.count_of(i)), what.initial);
        worst.note(store(value, what.result, made.data.data() + i * item), i);
      });
    }
  });
  check_status(worst.worst, what, results == 1 ? -1 : worst.result);
  int128_t elements = static_cast<int128_t>(results) * from.count;
  for (const std::int64_t count : from.counts) elements += count;
  made.count = elements > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(elements);
  return made;
}

void keep(const state_contents& kept, const reduction& what, bool only_state, std::span<std::byte> into,
          reduce_result& result) {
  result.state = encode(kept);
  result.data.clear();
  if (only_state) return;
  result.data = finish(kept, what.op, {what.result, correction::of_held(what.correction), {}, {}}).data;
  if (into.data() == nullptr) return;
  std::copy(result.data.begin(), result.data.end(), into.begin());
  result.data.clear();
}

}  // namespace multifold::inline v0_1::detail
