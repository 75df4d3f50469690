// Events keep the streams apart: a slot is copied to when its kernels are done, and reduced when its copy is there.
#include "stream/device/results/sink.hpp"

#include <cuda_runtime_api.h>

#include "multifold/cuda/error.hpp"

namespace multifold::inline v0_1::stream {

device_sink::device_sink(const plan& p, const slices& array, bool one_sum, const ring& r, transfer how,
                         result_target& to, const device_streams& on)
    : what_(p.what),
      one_sum_(one_sum),
      how_(how),
      to_(to),
      on_(on),
      reducer_(p.what, p.engine, array, one_sum, r, to, on) {}

void device_sink::copy(device_slot& slot, const operands& from, std::int64_t bytes) const {
  const cudaStream_t copies = on_.copies.get();
  slot.reduced.hold_back(copies);
  if (slot.starts) slot.starts->copy.record(copies);
  std::byte* to = slot.device;
  for (const void* array : {from.x, from.y}) {
    if (array == nullptr) continue;
    cuda::check(cudaMemcpyAsync(to, array, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, copies));
    to += slot.bytes;
  }
  slot.copied.record(copies);
  slot.copied.hold_back(on_.kernels.get());
}

void device_sink::consume(device_slot& slot, std::int64_t number, host::interval range, const operands& from) {
  const std::int64_t count = range.end - range.begin, bytes = count * item_bytes(what_.input);
  chunk_place place{from, 0};
  if (how_ != transfer::mapped) {
    copy(slot, from, bytes);
    place = {{slot.device, slot.device + slot.bytes}, range.begin};
  }
  if (slot.starts) slot.starts->reduce.record(on_.kernels.get());
  reducer_.reduce(number, range, place, slot.results);
  slot.reduced.record(on_.kernels.get());
  slot.results.send(number, on_.kernels.get(), on_.back.get());
  slot.chunk = number;
  slot.chunk_bytes = from.y == nullptr ? bytes : 2 * bytes;
  consumed_ += count;
}

void device_sink::settle(device_slot& slot) {
  slot.results.deliver();
  if (slot.starts && slot.chunk >= 0) tell(slot);
  slot.chunk = -1;
}

void device_sink::tell(const device_slot& slot) const {
  slot.reduced.synchronise();
  const auto told = [&](trace_kind kind, const cuda::event& start, const cuda::event& end) {
    to_.tracer->tell(kind, slot.chunk, slot.chunk_bytes, start, end);
  };
  if (how_ != transfer::mapped) told(trace_kind::copy, slot.starts->copy, slot.copied);
  told(trace_kind::reduce, slot.starts->reduce, slot.reduced);
}

void device_sink::finish(std::int64_t length, device_slot& slot, void* results) {
  if (what_.as_state) return reducer_.save_state(results);
  if (one_sum_) {
    reducer_.close(length, slot.results);
    slot.results.send(-1, on_.kernels.get(), on_.back.get());
    slot.results.deliver();
  }
  reducer_.finish();
  check_status(to_.worst, what_);
}

}  // namespace multifold::inline v0_1::stream
