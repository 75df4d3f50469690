// The comb graph: the library's own for the time, and one with events in it for the picture.
#include <memory>

#include "multifold/cuda/error.hpp"
#include "multifold/graphs/capture.hpp"
#include "multifold/graphs/stream_graph.hpp"
#include "overlap/device/ways.hpp"

namespace multifold::overlap {
namespace {

constexpr int slots = 4;

// Copies follow each other on one stream, reductions on another; a slot is free again when its chunk is reduced. All of
// it becomes one graph, whose nodes tell the time.
graphs::graph comb(const chunked_array& array, station* const* places, const cuda::stream& copies,
                   const cuda::stream& kernels, device_trace& trace) {
  const cuda::event copied[slots], reduced[slots], done;
  graphs::capture_scope scope(copies.get());
  for (std::int64_t i = 0; i < array.chunks(); ++i) {
    const auto slot = static_cast<std::size_t>(i % slots);
    if (i >= slots) reduced[slot].hold_back(copies.get());
    places[slot]->copy(array[i], copies.get(), trace, true);
    copied[slot].record(copies.get());
    copied[slot].hold_back(kernels.get());
    places[slot]->reduce(array[i], kernels.get(), trace, true);
    reduced[slot].record(kernels.get());
  }
  done.record(kernels.get());
  done.hold_back(copies.get());
  return scope.end();
}

float traced_comb(const chunked_array& array, device_trace& trace) {
  const plan chunk = sum_plan(array.chunk_bytes / 4);
  const cuda::stream copies, kernels;
  station first(chunk), second(chunk), third(chunk), fourth(chunk);
  station* const places[slots]{&first, &second, &third, &fourth};
  const graphs::executable exec(comb(array, places, copies, kernels, trace));
  exec.upload(copies.get());
  trace.start();
  for (station* each : places) each->clear(copies.get());
  trace.host(0, {0, 0, activity::call, -1, 0}, [&] { exec.launch(copies.get()); });
  for (station* each : places) each->fetch(copies.get(), trace);
  copies.synchronise();
  exact_sum<float> all;
  for (const station* each : places) all.merge(each->sum());
  return round_to<float>(all);
}

}  // namespace

way in_a_graph(const chunked_array& array) {
  const auto graph = std::make_shared<graphs::stream_graph>(
      make_reduction(op_kind::sum, dtype::f32), array.elements(),
      graphs::stream_graph_options{.chunk_bytes = array.chunk_bytes, .copies = 1, .slots = slots});
  return {"one graph of everything",
          "A CUDA graph: copies in a chain, a reduction hanging off each, given to the GPU with one order. The program "
          "sleeps meanwhile. The picture is of a graph of the same kind whose nodes tell the time.",
          part::start,
          [=](device_trace&) {
            float sum = 0;
            graph->run(array.data, array.elements(), &sum);
            return sum;
          },
          [=](device_trace& trace) { return traced_comb(array, trace); }};
}

}  // namespace multifold::overlap
