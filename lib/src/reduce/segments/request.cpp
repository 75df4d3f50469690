// The rules for segments that hold before any engine is asked.
#include "reduce/segments/request.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/runs.hpp"
#include "multifold/error.hpp"
#include "plan/no_value.hpp"
#include "reduce/parts/apart.hpp"
#include "reduce/request.hpp"
#include "reduce/results/results.hpp"
#include "reduce/states/contents.hpp"

namespace multifold::inline v0_1::detail {
namespace {

void refuse_options(const reduce_options& options) {
  const auto refuse = [](const char* option, const char* why) {
    throw unsupported_error(std::string("segments: ") + option + " has no meaning here: " + why);
  };
  if (options.keepdims) refuse("keepdims", "the axis stays, and has an extent for each segment");
  if (!options.checkpoint.empty()) refuse("checkpoint", "an array in memory is not worth one");
  if (is_forced(options.forced)) refuse("a forced plan", "segments have a plan of their own");
}

std::int64_t axis_of(const array_view& array, const reduce_options& options) {
  if (options.axes.are_all() && array.rank() == 1) return 0;
  if (options.axes.are_all()) {
    throw shape_error("segments cut one axis, and shape " + to_string(array.extents) + " has " +
                      std::to_string(array.rank()) + ": name it (reduce_options::axes)");
  }
  if (options.axes.size() != 1) {
    throw shape_error("segments cut one axis, and " + std::to_string(options.axes.size()) + " were named");
  }
  const std::int64_t axis = options.axes.list().front();
  return axis < 0 ? axis + array.rank() : axis;
}

void check_list(const segments& of) {
  if (of.count < 0) throw shape_error(std::to_string(of.count) + " segments were given");
  if (of.type != dtype::i32 && of.type != dtype::i64) {
    throw unsupported_error("segments are given in " + std::string(name(of.type)) + "; expected i32 or i64");
  }
  if (of.count > 0 && (of.begins == nullptr || of.ends == nullptr)) {
    throw shape_error("the list of " + std::to_string(of.count) + " segments has no address: its pointer is null");
  }
}

// Kept axes with their places among results, of which each segment has its own along `axis`.
void set_form(const array_view& array, segment_request& r) {
  const auto axis = static_cast<std::size_t>(r.axis);
  r.result_extents = array.extents;
  r.result_extents[axis] = r.of.count;
  r.results = element_count(r.result_extents);
  std::vector<std::int64_t> kept = array.extents;
  kept[axis] = 1;
  r.form.outer = element_count(kept);
  r.form.length = r.extent;
  const std::vector<std::int64_t> strides = array.elements() > 0 ? array.strides : c_strides(array.extents);
  r.form.reduced = {{std::max<std::int64_t>(r.extent, 2), strides[axis], 0, true}};
  r.result_step = 1;
  if (r.results == 0) return;
  std::int64_t step = 1;
  for (std::size_t i = array.extents.size(); i-- > 0; step *= r.result_extents[i]) {
    if (i == axis) r.result_step = step;
    else if (kept[i] > 1) r.form.kept.insert(r.form.kept.begin(), {kept[i], strides[i], step, false});
  }
  merge_neighbours(r.form.kept);
}

void set_state(segment_request& r, const reduce_options& options) {
  check_state(r.what, r.achieved);
  if (order_of(r.what.op) == element_order::indexed) {
    throw unsupported_error("segments: there are no states of " + std::string(name(r.what.op)) +
                            ": it keeps indices, and every segment has its own");
  }
  r.keep_state = r.what.as_records = true;
  r.only_state = options.only_state;
}

std::string text(std::int64_t number) { return std::to_string(number); }

[[noreturn]] void throw_bad(const segment_request& r, std::int64_t segment) {
  const host::interval bad = r.bounds().at(segment);
  const std::string past = ", past the " + text(r.extent) + " elements of axis " + text(r.axis);
  if (r.of.are_adjacent()) {
    const std::string first = "offset " + text(segment) + " is " + text(bad.begin);
    const std::string second = "offset " + text(segment + 1) + " is " + text(bad.end);
    if (bad.begin < 0) throw shape_error(first + "; expected 0 or more");
    if (bad.end < bad.begin) throw shape_error(second + ", less than " + text(bad.begin) + " before it");
    throw shape_error((bad.begin > r.extent ? first : second) + past);
  }
  const std::string which = "segment " + text(segment);
  if (bad.begin < 0) throw shape_error(which + " begins at " + text(bad.begin) + "; expected 0 or more");
  if (bad.end < bad.begin) {
    throw shape_error(which + " ends at " + text(bad.end) + ", before it begins at " + text(bad.begin));
  }
  throw shape_error(which + " ends at " + text(bad.end) + past);
}

}  // namespace

void check_list_view(const char* what, const array_view& view) {
  if (view.type != dtype::i32 && view.type != dtype::i64) {
    throw unsupported_error(std::string(what) + " are " + std::string(name(view.type)) + "; expected i32 or i64");
  }
  const bool one_axis = view.rank() == 1 && view.strides.size() == 1;
  if (!one_axis || view.extents[0] < 0 || (view.extents[0] > 1 && view.strides[0] != 1)) {
    throw shape_error(std::string(what) + " of shape " + to_string(view.extents) + " with strides " +
                      to_string(view.strides) + " are no list: expected one axis of neighbours");
  }
  if (view.extents[0] > 0 && view.data == nullptr) {
    throw shape_error(std::string(what) + " have no address: their data pointer is null");
  }
}

segment_request make_segment_request(op_kind op, const array_view& x, const array_view* y, const segments& of,
                                     const reduce_options& options) {
  refuse_options(options);
  refuse_where("a reduction of segments", options);
  if (y != nullptr) check_same_order(op, x, *y);
  check_list(of);
  segment_request r;
  r.data = {x.data, y != nullptr ? y->data : nullptr};
  r.what = make_checked_reduction(op, x.type, options);
  check_result_dtype(r.what);
  r.achieved = achieved_by(r.what);
  r.axis = axis_of(x, options);
  normalise(x, {r.axis}, element_order::indexed);  // for what it refuses
  r.where = x.where;
  r.of = of;
  r.extent = x.extents[static_cast<std::size_t>(r.axis)];
  set_form(x, r);
  r.into = checked_place(r.what, r.results, options.into);
  if (options.keep_state) set_state(r, options);
  return r;
}

host::segment_census checked_census(const segment_request& r, int threads) {
  const host::segment_census census = host::take_census(r.bounds(), r.extent, threads);
  if (census.first_bad >= 0) throw_bad(r, census.first_bad);
  const bool needs_elements = !has_identity(r.what.op) && !r.what.initial.given && !r.only_state && r.results > 0;
  if (census.first_empty < 0 || !needs_elements) return census;
  const bool is_position = r.what.op == op_kind::argmin || r.what.op == op_kind::argmax;
  throw shape_error("segment " + text(census.first_empty) + " is empty, and " + std::string(name(r.what.op)) +
                    " of nothing has no value: " +
                    (is_position ? "leave it out" : "give an initial value (reduce_options::initial)"));
}

reduce_result segment_result(const segment_request& r, const host::segment_census& census) {
  reduce_result result;
  result.type = r.what.result;
  result.extents = r.result_extents;
  result.achieved = r.achieved;
  result.used.what = r.what;
  result.used.form = r.form;
  if (__builtin_mul_overflow(census.elements, r.form.results(), &result.count)) {
    throw shape_error("the " + text(r.of.count) + " segments have more than 2^63 elements together");
  }
  result.bytes = result.count * item_bytes(r.what.input) * (takes_two_arrays(r.what.op) ? 2 : 1);
  if (r.into.data() == nullptr || r.keep_state) result.data = allocate_results(r.what, r.results);
  return result;
}

void keep_segments_state(const segment_request& r, reduce_result& result) {
  state_contents kept = kept_contents(r.what, r.result_extents, 0, result.data);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(r.results));
  const host::segment_bounds bounds = r.bounds();
  for (std::int64_t i = 0; i < r.results; ++i) {
    const host::interval segment = bounds.at(i / r.result_step % r.of.count);
    counts[static_cast<std::size_t>(i)] = segment.end - segment.begin;
  }
  set_counts(kept, std::move(counts));
  keep(kept, r.what, r.only_state, r.into, result);
}

}  // namespace multifold::inline v0_1::detail
