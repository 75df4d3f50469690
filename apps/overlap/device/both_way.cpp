// The library's own way with both engines, as it tells of it.
#include <fmt/format.h>

#include "multifold/reduce.hpp"
#include "overlap/device/ways.hpp"

namespace multifold::overlap {

way by_both_engines(const chunked_array& array, int threads) {
  const array_view view = make_view(reinterpret_cast<const float*>(array.data), {array.elements()});
  reduce_options options;
  options.engine = engine_choice::both;
  options.threads = threads;
  const auto sum = [=](device_trace&) { return reduce(op_kind::sum, view, options).value<float>(); };
  const auto traced = [=](device_trace& trace) {
    reduce_options told = options;
    told.trace = [&trace](const trace_event& event) { trace.tell(event); };
    return reduce(op_kind::sum, view, told).value<float>();
  };
  return {
      fmt::format("the GPU and {} thread{}", threads, threads == 1 ? "" : "s"),
      "Both take parts of the array until there are none left: the copy engine feeds the GPU, and the CPU's threads "
      "reduce where they are. No part belongs to either beforehand, and the sum is the same, whichever took what. "
      "Parts get smaller towards the end, so that neither waits long for the last one.",
      part::end, sum, traced};
}

}  // namespace multifold::overlap
