// The API's functions for groups: elements in the order of their keys are segments.
#include "multifold/by_key.hpp"

#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "multifold/error.hpp"
#include "multifold/segments.hpp"
#include "reduce/device.hpp"
#include "reduce/engines.hpp"
#include "reduce/places.hpp"
#include "reduce/request.hpp"
#include "reduce/results/results.hpp"
#include "reduce/segments/grouping.hpp"
#include "reduce/segments/groups.hpp"
#include "reduce/segments/request.hpp"
#include "reduce/segments/window.hpp"

namespace multifold::inline v0_1 {
namespace {

using detail::grouping, detail::segment_request;

bool gives_positions(op_kind op) { return op == op_kind::argmin || op == op_kind::argmax; }

void check_keys(const array_view& keys, std::int64_t groups, const segment_request& r) {
  detail::check_list_view("keys", keys);
  if (groups < 0) throw shape_error(std::to_string(groups) + " groups were asked for");
  if (keys.extents[0] != r.extent) {
    throw shape_error("there are " + std::to_string(keys.extents[0]) + " keys for the " + std::to_string(r.extent) +
                      " elements of axis " + std::to_string(r.axis));
  }
}

// Positions within groups to those along the axis. `inner`: results of a group that are neighbours.
void put_positions(const grouping& of, std::int64_t groups, std::int64_t inner, const reduce_result& from,
                   std::byte* to, dtype type) {
  const auto count = static_cast<std::int64_t>(from.data.size() / sizeof(std::int64_t));
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t index = 0;
    std::memcpy(&index, from.data.data() + i * 8, 8);
    const std::int64_t position = of.position(i / inner % groups, index);
    reduction what = from.used.what;
    what.result = type;
    check_status(store(scalar::of_integer(position, 1), type, to + i * item_bytes(type)), what, i);
  }
}

void put_positions_of_summaries(const grouping& of, std::int64_t groups, std::int64_t inner, std::int64_t count,
                                std::byte* at) {
  auto* const all = reinterpret_cast<summary*>(at);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t group = i / inner % groups;
    if (all[i].argmin >= 0) all[i].argmin = of.position(group, all[i].argmin);
    if (all[i].argmax >= 0) all[i].argmax = of.position(group, all[i].argmax);
  }
}

const array_view* second_of(const std::vector<array_view>& arrays) { return arrays.size() > 1 ? &arrays[1] : nullptr; }

reduce_result reduce_on_device(op_kind op, const std::vector<array_view>& arrays, const array_view& keys,
                               std::int64_t groups, const reduce_options& options) {
  // What a request says of its segments is how many there are: where groups begin, only the device finds out.
  const segments as_many{&keys, &keys, dtype::i64, groups, place::host};
  const segment_request r = detail::make_segment_request(op, arrays[0], second_of(arrays), as_many, options);
  host::segment_census all;
  all.elements = r.extent;
  reduce_result result = detail::segment_result(r, all);
  result.used.engine = detail::open_device();
  const auto start = std::chrono::steady_clock::now();
  detail::run_groups_on_device(r, keys, r.into.data() != nullptr ? r.into.data() : result.data.data(), options.stream);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.engine = "device";
  result.device = result.used.engine.name;
  result.device_bytes = result.bytes;
  return result;
}

reduce_result reduce_groups(op_kind op, const std::vector<array_view>& arrays, const array_view& given_keys,
                            std::int64_t groups, const reduce_options& options) {
  const detail::located there(given_keys);
  const array_view& keys = there.view();
  const array_view* const second = second_of(arrays);
  reduce_options own = options;
  own.into = {};
  const segment_request r = detail::make_segment_request(op, arrays[0], second, {}, own);
  check_keys(keys, groups, r);
  for (const array_view& array : arrays) detail::check_address(array);
  const engine_kind engine = detail::engine_of_segments(r.where, options);
  if (engine == engine_kind::host && keys.where == place::device) {
    throw unsupported_error("the keys are in device memory, and the array is not: copy them, or use the device engine");
  }
  detail::check_places(arrays[0], second, options.into);
  detail::check_place_of_keys(keys);
  if (engine == engine_kind::device) return reduce_on_device(op, arrays, keys, groups, options);
  grouping of(keys, groups);
  detail::check_empty_group(r, of.first_empty());
  const segments list = segments::from_offsets(make_view(of.offsets().data(), {groups + 1}));
  // Before the work of a copy.
  const segment_request checked = detail::make_segment_request(op, arrays[0], second, list, options);
  const bool described = op == op_kind::describe;
  const auto axis = static_cast<std::size_t>(r.axis);
  const std::vector<array_view> sorted = of.in_order(arrays, axis, described || gives_positions(op));
  if (gives_positions(op)) own.result = dtype::i64;
  else own.into = options.into;
  own.axes = {r.axis};
  own.engine = engine_choice::host;
  reduce_result result =
      second != nullptr ? reduce(op, sorted[0], sorted[1], list, own) : reduce(op, sorted[0], list, own);
  if (!described && !gives_positions(op)) return result;
  std::byte* const into = checked.into.data();
  if (described) {
    put_positions_of_summaries(of, groups, checked.result_step, checked.results,
                               into != nullptr ? into : result.data.data());
    return result;
  }
  std::vector<std::byte> data;
  if (into == nullptr) data = detail::allocate_results(checked.what, checked.results);
  put_positions(of, groups, checked.result_step, result, into != nullptr ? into : data.data(), checked.what.result);
  result.type = checked.what.result;
  result.used.what.result = result.type;
  result.data = std::move(data);
  return result;
}

// All of a source.
class loaded {
 public:
  explicit loaded(source& input) : view_(detail::view_of(input.layout())), memory_(input, view_.elements()) {
    memory_.load({0, 1}, 0);
    view_.data = memory_.data();
  }
  const array_view& view() const { return view_; }

 private:
  array_view view_;
  detail::source_window memory_;
};

void refuse_unknown_length(const source& input) {
  if (!has_unknown_length(input.layout())) return;
  throw unsupported_error("groups are those of arrays whose lengths are known before they are read");
}

}  // namespace

reduce_result reduce_by_key(op_kind op, const array_view& array, const array_view& keys, std::int64_t groups,
                            const reduce_options& options) {
  detail::check_arrays(op, 1);
  return reduce_groups(op, {detail::located(array).view()}, keys, groups, options);
}

reduce_result reduce_by_key(op_kind op, const array_view& x, const array_view& y, const array_view& keys,
                            std::int64_t groups, const reduce_options& options) {
  const detail::located first(x), second(y);
  detail::check_pair(op, first.view(), second.view());
  return reduce_groups(op, {first.view(), second.view()}, keys, groups, options);
}

reduce_result reduce_by_key(op_kind op, source& input, const array_view& keys, std::int64_t groups,
                            const reduce_options& options) {
  detail::check_arrays(op, 1);
  refuse_unknown_length(input);
  const loaded array(input);
  return reduce_groups(op, {array.view()}, keys, groups, options);
}

reduce_result reduce_by_key(op_kind op, source& x, source& y, const array_view& keys, std::int64_t groups,
                            const reduce_options& options) {
  detail::check_pair(op, x, y);
  const loaded first(x), second(y);
  return reduce_groups(op, {first.view(), second.view()}, keys, groups, options);
}

}  // namespace multifold::inline v0_1
