// Results on their way back: kernels leave them on the device, a copy brings them to pinned memory, and from there they
// go where the caller wants them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "host/shape/nest.hpp"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/event.hpp"
#include "multifold/transfer.hpp"
#include "multifold/types/scalar_store.hpp"
#include "stream/device/tracer.hpp"
#include "stream/ring.hpp"

namespace multifold::inline v0_1::stream {

/// The caller's results, and the worst that happened to one.
struct result_target {
  const host::nest& nest;
  std::int64_t item;  // bytes
  std::byte* results;
  int threads;                            // may copy them
  bool direct;                            // they are pinned, and in the order of memory: copies go straight there
  const device_tracer* tracer = nullptr;  // is told of copies, if it is there
  std::atomic<status> worst{status::ok};

  void note(status s);
  cuda::event::timing timed() const { return tracer != nullptr ? cuda::event::timing::on : cuda::event::timing::off; }
};

/// One thread at a time.
/// Memory: `room` results and status_bytes, pinned and on the device.
class device_outbox {
 public:
  /// `room`: for so many results.
  device_outbox(result_target& to, std::int64_t room);

  void add_to(transfer_memory& all) const {
    all.pinned_bytes += pinned_.size();
    all.device_bytes += device_.size();
  }

  /// Whether these results, and a status, can be added to those that are there.
  bool has_room(host::interval which) const;
  /// The place on the device for these results, which begin where the last ones ended.
  std::byte* place(host::interval which);
  /// Takes along, behind the work on `kernels`, the status word of a reduction.
  void note_status(const void* word, cudaStream_t kernels);

  /// Enqueues the copy of the results of a chunk on `back`, behind the work on `kernels`; nothing if there are none.
  void send(std::int64_t chunk, cudaStream_t kernels, cudaStream_t back);
  /// Waits, asleep, for what was sent, and brings it to its place. The box is then empty.
  void deliver();

 private:
  result_target& to_;
  const std::int64_t room_;
  cuda::device_buffer device_;
  cuda::pinned_buffer pinned_;
  cuda::event ready_, returned_;
  std::optional<cuda::event> started_;
  host::interval held_{0, 0};
  std::int64_t statuses_ = 0;
  std::int64_t chunk_ = 0;
  bool sent_ = false;
};

}  // namespace multifold::inline v0_1::stream
