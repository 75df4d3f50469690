// What one chunk takes on its way through the GPU.
#pragma once

#include <cstdint>
#include <optional>

#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/event.hpp"
#include "multifold/transfer.hpp"
#include "stream/device_outbox.hpp"
#include "stream/ring.hpp"

namespace multifold::stream {

/// Places in pinned memory, if a thread fills them, and on the device, if chunks are copied there; and for results.
/// Threads that wait for its events are asleep.
struct device_slot {
  device_slot(const ring& r, int arrays, transfer how, result_target& to)
      : bytes(r.chunk_bytes),
        pinned(how == transfer::staged ? bytes * arrays : 0),
        device(how == transfer::mapped ? 0 : bytes * arrays),
        copied(to.timed(), cuda::event::waiting::sleep),
        reduced(to.timed(), cuda::event::waiting::sleep),
        results(to, r.room) {
    if (to.tracer != nullptr) starts.emplace();
  }

  struct timed_starts {
    cuda::event copy{cuda::event::timing::on}, reduce{cuda::event::timing::on};
  };

  const std::int64_t bytes;  // of one array; a second one lies so far behind
  cuda::pinned_buffer pinned;
  cuda::device_buffer device;
  cuda::event copied, reduced;
  device_outbox results;
  std::optional<timed_starts> starts;
  bool waits = false;                        // for the chunks in front of the one that was read into it
  std::int64_t chunk = -1, chunk_bytes = 0;  // that is in it, to be told of
};

}  // namespace multifold::stream
