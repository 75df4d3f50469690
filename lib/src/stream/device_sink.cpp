// Two streams: copies run ahead on one, kernels follow on the other, and events keep them apart.
#include "stream/device_sink.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "multifold/cuda/error.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "stream/device_boxes.hpp"
#include "stream/device_state.hpp"

namespace multifold::stream {

device_sink::device_sink(const reduction& what, const host::nest& nest, const engine_traits& traits)
    : what_(what),
      nest_(nest),
      traits_(traits),
      item_(item_bytes(what.input)),
      accumulators_(nest.results * accumulator_bytes(what)) {
  cuda::fill_identity_async(what, accumulators_.data(), nest.results, kernels_.get());
}

void device_sink::reserve(std::int64_t workspace_bytes) {
  if (workspace_bytes <= workspace_.size()) return;
  kernels_.synchronise();
  workspace_ = cuda::device_buffer(std::max<std::int64_t>(2 * workspace_bytes, 1 << 20));
}

void device_sink::consume(device_slot& slot, host::interval range) {
  // The kernels of the slot's last chunk must be done before it is overwritten.
  slot.reduced.hold_back(copies_.get());
  for (std::int64_t first = 0; first < slot.pinned.size(); first += slot.bytes) {
    cuda::check(cudaMemcpyAsync(slot.device.data() + first, slot.pinned.data() + first,
                                static_cast<std::size_t>((range.end - range.begin) * item_), cudaMemcpyHostToDevice,
                                copies_.get()));
  }
  slot.copied.record(copies_.get());
  slot.copied.hold_back(kernels_.get());
  boxes_of(nest_, range, [&](const device_box& box) {
    plan p = make_plan(what_, box.form, {}, traits_);
    p.form.offset -= range.begin;
    reserve(p.workspace_bytes());
    cuda::accumulate_async(p, {slot.device.data(), slot.device.data() + slot.bytes},
                           {accumulators_.data(), box.first_result, box.first_index}, workspace_.bytes(),
                           kernels_.get());
  });
  slot.reduced.record(kernels_.get());
}

void device_sink::finish(std::int64_t length, void* results) {
  if (what_.as_state) return save_device_state(what_, accumulators_.data(), results, kernels_.get());
  const std::int64_t bytes = nest_.results * result_bytes(what_);
  cuda::device_buffer lowered(bytes), word(sizeof(std::uint32_t));
  cuda::check(cudaMemsetAsync(word.data(), 0, sizeof(std::uint32_t), kernels_.get()));
  cuda::lower_async(what_, accumulators_.data(), nest_.results, length, lowered.data(),
                    reinterpret_cast<std::uint32_t*>(word.data()), kernels_.get());
  cuda::check(cudaMemcpyAsync(results, lowered.data(), static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost,
                              kernels_.get()));
  check_status(cuda::status_of({word.data(), sizeof(std::uint32_t)}, kernels_.get()), what_);
}

}  // namespace multifold::stream
