// Serial, in streams, and without copies. Graphs and threads have files of their own.
#include "overlap/device/ways.hpp"

#include <fmt/format.h>

#include <memory>

#include "multifold/cuda/error.hpp"
#include "multifold/cuda/reduce_async.hpp"

namespace multifold::overlap {
namespace {

using cuda::check;

span order(std::int64_t chunk) { return {0, 0, activity::call, chunk, 0}; }

}  // namespace

way one_after_the_other(const chunked_array& array, int times) {
  const auto place = std::make_shared<station>(sum_plan(array.chunk_bytes / 4), times);
  const auto sum = [=](device_trace& trace) {
    const cudaStream_t standard = nullptr;
    place->clear(standard);
    for (std::int64_t i = 0; i < array.chunks(); ++i) {
      trace.host(0, order(i), [&] { place->copy(array[i], standard, trace); });
      check(cudaStreamSynchronize(standard));
      trace.host(0, order(i), [&] { place->reduce(array[i], standard, trace); });
      check(cudaStreamSynchronize(standard));
    }
    place->fetch(standard, trace);
    check(cudaStreamSynchronize(standard));
    return round_to<float>(place->sum());
  };
  return {"copy, wait, reduce, wait",
          "What a first program does: everything in the default stream, and the program waits after each step. While "
          "the copy engine works the GPU's cores are idle, and while they work nothing is copied.",
          part::start, sum};
}

way in_streams(const chunked_array& array, int streams, int times) {
  std::vector<std::shared_ptr<station>> places;
  for (int i = 0; i < streams; ++i) {
    places.push_back(std::make_shared<station>(sum_plan(array.chunk_bytes / 4), times));
  }
  const auto sum = [=](device_trace& trace) {
    for (const auto& each : places) each->clear(each->stream());
    for (std::int64_t i = 0; i < array.chunks(); ++i) {
      station& at = *places[static_cast<std::size_t>(i) % places.size()];
      trace.host(0, order(i), [&] {
        at.copy(array[i], at.stream(), trace);
        at.reduce(array[i], at.stream(), trace);
      });
    }
    exact_sum<float> all;
    for (const auto& each : places) each->fetch(each->stream(), trace);
    for (const auto& each : places) {
      check(cudaStreamSynchronize(each->stream()));
      all.merge(each->sum());
    }
    return round_to<float>(all);
  };
  if (streams == 1) {
    return {"one stream",
            "The program gives all orders at once and waits at the end. Orders of one stream follow each "
            "other, so a copy still waits for the reduction before it; only the gaps between them are gone.",
            part::start, sum};
  }
  return {
      fmt::format("{} streams", streams),
      "The streams take chunks in turn, and each has a place for one. While the GPU's cores reduce the chunk of one "
      "stream, the copy engine brings that of another.",
      part::start, sum};
}

way without_copies(const chunked_array& array) {
  struct whole_array {
    explicit whole_array(std::int64_t elements)
        : p(sum_plan(elements)),
          workspace(p.workspace_bytes()),
          accumulator(accumulator_bytes(p.what)),
          fetched(accumulator.size()) {}
    plan p;
    cuda::stream stream;
    cuda::device_buffer workspace, accumulator;
    cuda::pinned_buffer fetched;
  };
  const auto place = std::make_shared<whole_array>(array.elements());
  const auto sum = [=](device_trace& trace) {
    const cudaStream_t on = place->stream.get();
    cuda::fill_identity_async(place->p.what, place->accumulator.data(), 1, on);
    trace.device({0, 0, activity::reduce, -1, array.bytes}, on, [&] {
      cuda::accumulate_async(place->p, array.data, {place->accumulator.data(), 0, 0}, place->workspace.bytes(), on);
    });
    check(cudaMemcpyAsync(place->fetched.data(), place->accumulator.data(),
                          static_cast<std::size_t>(place->fetched.size()), cudaMemcpyDeviceToHost, on));
    place->stream.synchronise();
    return round_to<float>(*reinterpret_cast<const exact_sum<float>*>(place->fetched.data()));
  };
  return {
      "no copies (zero copy)",
      "The cores read the host's memory themselves, over the same link: one kernel, no chunks, no buffers. The copy "
      "engine is a little better at it.",
      part::whole, sum};
}

}  // namespace multifold::overlap
