// The API's functions for segments.
#include "multifold/segments.hpp"

#include <chrono>
#include <string>

#include "host/engine.hpp"
#include "host/every_part.hpp"
#include "host/segments/segments.hpp"
#include "multifold/error.hpp"
#include "reduce/device.hpp"
#include "reduce/engines.hpp"
#include "reduce/places.hpp"
#include "reduce/request.hpp"
#include "reduce/results/results.hpp"
#include "reduce/segments/request.hpp"

namespace multifold::inline v0_1 {
namespace {

using detail::segment_request;

void run_on_host(const segment_request& r, const host::segment_census& census, void* results,
                 const reduce_options& options) {
  host::run_options how{options.threads, options.stop, options.progress};
  if (options.progress && takes_two_arrays(r.what.op)) {
    how.progress = [&tell = options.progress](std::int64_t bytes) { tell(2 * bytes); };
  }
  host::run_segments({&r.what, r.data, r.form, r.result_step, r.bounds(), results}, census, how);
}

reduce_result reduce_segments(op_kind op, const array_view& x, const array_view* y, const segments& of,
                              const reduce_options& options) {
  const segment_request r = detail::make_segment_request(op, x, y, of, options);
  detail::check_address(x);
  if (y != nullptr) detail::check_address(*y);
  const engine_kind engine = detail::engine_of_segments(x.where, options);
  if (engine == engine_kind::host && of.where == place::device) {
    throw unsupported_error("the list of segments is in device memory, and the array is not: copy the list");
  }
  detail::check_places(x, y, r.into);
  detail::check_place(of);
  if (options.stream != nullptr && x.where == place::host) detail::wait_for(options.stream);
  host::segment_census census;
  if (of.where == place::host) census = detail::checked_census(r, options.threads);
  reduce_result result = detail::segment_result(r, census);
  void* const results = result.data.empty() ? r.into.data() : result.data.data();
  const auto start = std::chrono::steady_clock::now();
  if (engine == engine_kind::host) {
    result.used.engine = host::traits(options.threads);
    run_on_host(r, census, results, options);
    if (r.keep_state) detail::keep_segments_state(r, result);
  } else {
    result.count = detail::run_segments_on_device(r, results, options.stream);
    result.bytes = result.count * item_bytes(r.what.input) * (y != nullptr ? 2 : 1);
    result.used.engine = detail::current_device();
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.engine = engine == engine_kind::host ? "host" : "device";
  result.device = result.used.engine.name;
  if (engine == engine_kind::device) result.device_bytes = result.bytes;
  return result;
}

}  // namespace

segments segments::from_offsets(const array_view& offsets) {
  detail::check_list_view("offsets", offsets);
  if (offsets.extents[0] == 0) throw shape_error("there are no offsets: expected one more than there are segments");
  const auto* const first = static_cast<const std::byte*>(offsets.data);
  return {first, first + item_bytes(offsets.type), offsets.type, offsets.extents[0] - 1, offsets.where};
}

segments segments::from_ranges(const array_view& begins, const array_view& ends) {
  detail::check_list_view("begins", begins);
  detail::check_list_view("ends", ends);
  const auto differ = [](const std::string& how, std::string_view first, std::string_view second) {
    return shape_error("begins and ends of segments are " + how + ": found " + std::string(first) + " and " +
                       std::string(second));
  };
  if (begins.extents != ends.extents) {
    throw differ("as many", to_string(begins.extents), to_string(ends.extents));
  }
  if (begins.type != ends.type) throw differ("of one dtype", name(begins.type), name(ends.type));
  if (begins.where != ends.where) throw unsupported_error("begins and ends of segments are in different places");
  return {begins.data, ends.data, begins.type, begins.extents[0], begins.where};
}

bool segments::are_adjacent() const noexcept {
  return static_cast<const std::byte*>(begins) + item_bytes(type) == ends;
}

reduce_result reduce(op_kind op, const array_view& array, const segments& of, const reduce_options& options) {
  detail::check_arrays(op, 1);
  return reduce_segments(op, detail::located(array).view(), nullptr, detail::located_list(of), options);
}

reduce_result reduce(op_kind op, const array_view& x, const array_view& y, const segments& of,
                     const reduce_options& options) {
  const detail::located first(x), second(y);
  detail::check_pair(op, first.view(), second.view());
  return reduce_segments(op, first.view(), &second.view(), detail::located_list(of), options);
}

}  // namespace multifold::inline v0_1
