// What one chunk takes on its way through the GPU.
#pragma once

#include <cstdint>
#include <optional>

#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/event.hpp"
#include "multifold/transfer.hpp"
#include "stream/device/results/outbox.hpp"
#include "stream/ring.hpp"

namespace multifold::inline v0_1::stream {

/// Memory of all slots: pinned, if threads fill them, and on the device, if chunks are copied there. One allocation of
/// each, because every one takes its time.
struct slot_memory {
  slot_memory(int slots, std::int64_t bytes, transfer how)
      : bytes_a_slot(bytes),
        device(how == transfer::mapped ? 0 : slots * bytes),
        pinned(how == transfer::staged ? slots * bytes : 0) {}

  std::byte* device_of(int slot) const { return place_of(device.data(), slot); }
  std::byte* pinned_of(int slot) const { return place_of(pinned.data(), slot); }

  const std::int64_t bytes_a_slot;
  cuda::device_buffer device;
  cuda::pinned_buffer pinned;

 private:
  std::byte* place_of(std::byte* first, int slot) const {
    return first == nullptr ? nullptr : first + slot * bytes_a_slot;
  }
};

/// Places for a chunk, and room for its results. Threads that wait for its events are asleep.
struct device_slot {
  device_slot(const slot_memory& memory, int number, const ring& r, transfer how, result_target& to)
      : bytes(r.chunk_bytes),
        pinned(memory.pinned_of(number)),
        device(memory.device_of(number)),
        copied(to.timed(), cuda::event::waiting::nap),
        reduced(to.timed(), how == transfer::staged ? cuda::event::waiting::nap : cuda::event::waiting::sleep),
        results(to, r.room) {
    if (to.tracer != nullptr) starts.emplace();
  }

  struct timed_starts {
    cuda::event copy{cuda::event::timing::on}, reduce{cuda::event::timing::on};
  };

  const std::int64_t bytes;  // of one array; a second one lies so far behind
  std::byte* const pinned;
  std::byte* const device;
  cuda::event copied, reduced;
  device_outbox results;
  std::optional<timed_starts> starts;
  bool waits = false;                        // for the chunks in front of the one that was read into it
  std::int64_t chunk = -1, chunk_bytes = 0;  // that is in it, to be told of
};

}  // namespace multifold::inline v0_1::stream
