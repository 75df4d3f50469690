#include "multifold/graphs/stream_graph.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "comb.hpp"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/cuda/event.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/cuda/stream.hpp"
#include "multifold/cuda/traits.hpp"
#include "multifold/error.hpp"
#include "multifold/graphs/capture.hpp"
#include "plan/no_value.hpp"

namespace multifold::inline v0_1::graphs {
namespace {

using cuda::check;

std::int64_t chunk_elements(const reduction& what, const stream_graph_options& options) {
  return options.chunk_bytes / item_bytes(what.input);
}

plan tooth_plan(const reduction& what, std::int64_t capacity, const stream_graph_options& options) {
  const std::int64_t chunk = chunk_elements(what, options);
  if (capacity < 1 || chunk < 1 || options.copies < 1 || options.slots < 2 || options.chunks < 1) {
    throw shape_error(
        "a graph of copies takes a capacity of 1 element, chunks of 1 element, 1 copy a reduction, 2 slots and 1 "
        "chunk, at least");
  }
  const std::int64_t elements = chunk > capacity / options.copies ? capacity : chunk * options.copies;
  const batches form = normalise(make_view(nullptr, what.input, {elements}), {0}, order_of(what.op));
  return make_plan(what, form, {}, cuda::device_traits());
}

comb_shape shape_of(const plan& tooth, std::int64_t capacity, const stream_graph_options& options) {
  const std::int64_t wanted = (capacity + tooth.form.length - 1) / tooth.form.length;
  const std::int64_t most = (options.chunks + options.copies - 1) / options.copies;
  const int teeth = static_cast<int>(std::min(wanted, most));
  return {std::min(options.slots, std::max(2, teeth)), teeth,
          std::min(chunk_elements(tooth.what, options), tooth.form.length)};
}

void check_pinned(const char* what, const void* first, std::int64_t bytes) {
  for (const void* at : {first, static_cast<const void*>(static_cast<const std::byte*>(first) + bytes - 1)}) {
    cudaPointerAttributes found{};
    check(cudaPointerGetAttributes(&found, at));
    if (found.type == cudaMemoryTypeHost) continue;
    throw unsupported_error(
        std::string("the ") + what + (at == first ? " lies" : " ends") +
        " outside pinned memory: a graph reads pinned memory only; allocate it with cudaMallocHost, "
        "register it with cudaHostRegister, or use reduce(), which stages it");
  }
}

}  // namespace

struct stream_graph::state {
  state(const reduction& reduced, std::int64_t most, const stream_graph_options& options)
      : what(reduced),
        capacity(most),
        tooth(tooth_plan(reduced, most, options)),
        arrays(takes_two_arrays(reduced.op) ? 2 : 1),
        shape(shape_of(tooth, most, options)),
        in_flight(tooth.form.length * item_bytes(reduced.input) * arrays * shape.slots),
        accumulator(accumulator_bytes(reduced)),
        workspaces{cuda::device_buffer(tooth.workspace_bytes() * shape.teeth),
                   cuda::device_buffer(tooth.workspace_bytes() * shape.teeth)},
        lowered(256 + result_bytes(reduced)),
        on_host(lowered.size()),
        done(cuda::event::timing::off, cuda::event::waiting::sleep) {}

  // Made when the first array is known, because a copy node takes no address of nothing.
  comb& graph_for(int which, const operands& array, std::int64_t count) {
    std::unique_ptr<comb>& made = combs[which];
    if (!made) {
      made = std::make_unique<comb>(
          tooth, shape, comb_memory{in_flight.bytes(), accumulator.data(), workspaces[which].bytes()}, array, count);
    }
    return *made;
  }

  void enqueue(const operands& pinned, std::int64_t count, cudaStream_t after) {
    const cudaStream_t on = stream.get();
    if (after != nullptr) {
      before.record(after);
      before.hold_back(on);
    }
    cuda::fill_identity_async(what, accumulator.data(), 1, on);
    check(cudaMemsetAsync(lowered.data(), 0, sizeof(std::uint32_t), on));
    int which = 0;
    for (std::int64_t first = 0; first < count; which = 1 - which) {
      comb& c = graph_for(which, pinned, count);
      c.wait();  // asleep: the driver would spin once too many launches are under way
      const std::int64_t some = std::min(count - first, c.capacity());
      c.set(pinned, first, some);
      c.launch(on);
      first += some;
    }
    cuda::lower_async(what, accumulator.data(), 1, count, lowered.data() + 256,
                      reinterpret_cast<std::uint32_t*>(lowered.data()), on);
    check(cudaMemcpyAsync(on_host.data(), lowered.data(), static_cast<std::size_t>(lowered.size()),
                          cudaMemcpyDeviceToHost, on));
    done.record(on);
  }

  reduction what;
  std::int64_t capacity;
  plan tooth;
  int arrays;
  comb_shape shape;
  cuda::device_buffer in_flight, accumulator, workspaces[2], lowered;
  cuda::pinned_buffer on_host;
  cuda::stream stream;
  cuda::event before, done;
  std::unique_ptr<comb> combs[2];
};

stream_graph::stream_graph(const reduction& what, std::int64_t capacity, const stream_graph_options& options)
    : state_(std::make_unique<state>(what, capacity, options)) {}
stream_graph::stream_graph(stream_graph&&) noexcept = default;
stream_graph& stream_graph::operator=(stream_graph&&) noexcept = default;
stream_graph::~stream_graph() = default;

void stream_graph::run(const operands& pinned, std::int64_t count, void* result, cuda::stream_handle after) {
  if (!state_) throw unsupported_error("the graph was moved away: nothing is left to run");
  state& s = *state_;
  if (after.get() != nullptr) refuse_captured(after);
  if (count < 0 || count > s.capacity) {
    throw shape_error(std::to_string(count) + " elements were given, and the graph has room for " +
                      std::to_string(s.capacity));
  }
  if (count == 0 && !has_identity(s.what.op) && !s.what.initial.given) {
    detail::throw_no_value(s.what.op);
  }
  const std::int64_t bytes = count * item_bytes(s.what.input);
  if (count > 0) {
    check_pinned("array", pinned.x, bytes);
    if (s.arrays == 2) check_pinned("second array", pinned.y, bytes);
  }
  try {
    s.enqueue(pinned, count, after.get());
  } catch (...) {
    cudaStreamSynchronize(s.stream.get());  // copies on their way still read the caller's memory
    throw;
  }
  s.done.synchronise();
  std::uint32_t word = 0;
  std::memcpy(&word, s.on_host.data(), sizeof word);
  check_status(static_cast<status>(word), s.what);
  std::memcpy(result, s.on_host.data() + 256, static_cast<std::size_t>(result_bytes(s.what)));
}

topology stream_graph::driver_topology() const {
  if (!state_ || !state_->combs[0])
    throw unsupported_error("the graph is made by the first run, which is still to come");
  return topology_of(state_->combs[0]->graph_handle());
}

}  // namespace multifold::inline v0_1::graphs
