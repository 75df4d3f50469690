// A station: everything is enqueued, nothing is waited for.
#include "overlap/device/station.hpp"

#include <type_traits>

#include "multifold/cuda/error.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/cuda/traits.hpp"
#include "multifold/graphs/capture.hpp"

namespace multifold::overlap {

using cuda::check;

// Accumulators of exact sums are exact_sum on both sides of the link.
static_assert(std::is_trivially_copyable_v<exact_sum<float>>);

plan sum_plan(std::int64_t count) {
  const reduction what = make_reduction(op_kind::sum, dtype::f32);
  const batches form = normalise(make_view(nullptr, dtype::f32, {count}), {0}, order_of(op_kind::sum));
  return make_plan(what, form, {}, cuda::device_traits());
}

station::station(const plan& chunk, int times)
    : chunk_(chunk),
      data_(chunk.form.length * item_bytes(chunk.what.input)),
      workspace_(chunk.workspace_bytes()),
      accumulator_(accumulator_bytes(chunk.what)),
      other_(accumulator_bytes(chunk.what)),
      fetched_(accumulator_bytes(chunk.what)) {
  cuda::fill_identity_async(chunk.what, other_.data(), 1, stream());
  clear(stream());
  stream_.synchronise();
  if (times < 2) return;
  // Hundreds of launches a chunk would keep the host busier than the GPU: a graph is one.
  graphs::capture_scope scope(stream());
  for (int i = 1; i < times; ++i) accumulate(other_.data(), stream());
  accumulate(accumulator_.data(), stream());
  repeated_.emplace(scope.end());
  repeated_->upload(stream());
  stream_.synchronise();
}

void station::accumulate(std::byte* into, cudaStream_t on) {
  cuda::accumulate_async(chunk_, data_.data(), {into, 0, 0}, workspace_.bytes(), on);
}

void station::clear(cudaStream_t on) { cuda::fill_identity_async(chunk_.what, accumulator_.data(), 1, on); }

void station::copy(const chunk_of_array& c, cudaStream_t on, device_trace& trace, bool captured) {
  trace.device(
      {0, 0, activity::copy, c.number, c.bytes}, on,
      [&] {
        check(cudaMemcpyAsync(data_.data(), c.data, static_cast<std::size_t>(c.bytes), cudaMemcpyHostToDevice, on));
      },
      captured);
}

void station::reduce(const chunk_of_array& c, cudaStream_t on, device_trace& trace, bool captured) {
  trace.device(
      {0, 0, activity::reduce, c.number, c.bytes}, on,
      [&] {
        if (repeated_) repeated_->launch(on);
        else accumulate(accumulator_.data(), on);
      },
      captured);
}

void station::fetch(cudaStream_t on, device_trace& trace) {
  trace.device({0, 0, activity::fetch, -1, fetched_.size()}, on, [&] {
    check(cudaMemcpyAsync(fetched_.data(), accumulator_.data(), static_cast<std::size_t>(fetched_.size()),
                          cudaMemcpyDeviceToHost, on));
  });
}

double station::reducing_seconds(const chunk_of_array& c, int count) {
  device_trace none(false);
  copy(c, stream(), none);
  const cuda::event begin(cuda::event::timing::on), end(cuda::event::timing::on);
  for (int round = 0; round < 2; ++round) {  // the first one warms up
    begin.record(stream());
    for (int i = 0; i < count; ++i) reduce(c, stream(), none);
    end.record(stream());
    end.synchronise();
  }
  return 1e-3 * end.elapsed_ms_since(begin) / count;
}

}  // namespace multifold::overlap
