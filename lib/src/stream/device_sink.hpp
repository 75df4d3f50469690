// The GPU's end of the pipeline: chunks arrive in pinned slots, in order, and are merged into device accumulators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/nest.hpp"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/event.hpp"
#include "multifold/cuda/stream.hpp"
#include "multifold/plan.hpp"

namespace multifold::stream {

/// A chunk's place in pinned memory, and the one on the device that it is copied to: `bytes` of one array or of each of
/// two.
struct device_slot {
  device_slot(std::int64_t each, int arrays) : bytes(each), pinned(each * arrays), device(each * arrays) {}
  std::int64_t bytes;
  cuda::pinned_buffer pinned;
  cuda::device_buffer device;
  cuda::event copied, reduced;
};

class device_sink {
 public:
  device_sink(const reduction& what, const host::nest& nest, const engine_traits& traits);

  /// Enqueues the copy of elements `range` from the slot, and the kernels that reduce them. One call at a time, in the
  /// order of the chunks; the slot may be filled again once its `copied` event has happened.
  void consume(device_slot& slot, host::interval range);

  /// The results over `length` elements a batch, or the state of the only one, in host memory. Waits for everything.
  void finish(std::int64_t length, void* results);

 private:
  void reserve(std::int64_t workspace_bytes);

  const reduction& what_;
  const host::nest& nest_;
  const engine_traits traits_;
  const std::int64_t item_;
  cuda::stream copies_, kernels_;
  cuda::device_buffer accumulators_, workspace_;
};

}  // namespace multifold::stream
