// The kernels of a pipeline: chunks in device memory become results on their way back, and accumulators of the batches
// that they share with their neighbours.
#pragma once

#include <cstdint>
#include <deque>

#include "multifold/cuda/buffer.hpp"
#include "multifold/plan.hpp"
#include "stream/device/boxes.hpp"
#include "stream/device/results/outbox.hpp"
#include "stream/device/streams.hpp"
#include "stream/ring.hpp"

namespace multifold::inline v0_1::stream {

/// A chunk as kernels see it: `data` is element `origin` of the array.
struct chunk_place {
  operands data;
  std::int64_t origin;
};

/// Memory: accumulators of one slice, the only one that can be open; a workspace; two boxes for results that a slot has
///         no room for.
class device_reducer {
 public:
  /// `one_sum`: of a stream without an end, or to be a state.
  /// Throws: out_of_memory if the device has no room.
  device_reducer(const reduction& what, const engine_traits& traits, const slices& array, bool one_sum, const ring& r,
                 result_target& to, const device_streams& on);

  /// Enqueues the kernels that reduce elements `range`, which are a chunk. One call at a time, in the order of
  /// device_sink::consume. Results go into `out`, which is to be sent then; where it has no room for all, they go back
  /// beside it, and this waits.
  void reduce(std::int64_t chunk, host::interval range, const chunk_place& from, device_outbox& out);

  /// The results of one_sum over `length` elements, as those of a chunk that does not exist.
  void close(std::int64_t length, device_outbox& out);
  /// Or its state. Waits.
  void save_state(void* state) const;
  /// Or its accumulators. Waits.
  void copy_accumulators(std::byte* to) const;

  void add_to(transfer_memory& all) const;

  /// Waits for everything, brings the results beside the slots to their places, and notes how accumulators were
  /// rounded.
  void finish();

 private:
  struct steps;

  void reserve(std::int64_t workspace_bytes);
  void reserve_for_chunks(const ring& r);
  device_outbox& box_for(host::interval which, device_outbox& wanted);

  const reduction& what_;
  const engine_traits& traits_;
  const chunk_cut cut_;
  const std::int64_t room_;
  result_target& to_;
  const device_streams& on_;
  cuda::device_buffer accumulators_, status_, workspace_;
  std::deque<device_outbox> beside_;
  std::size_t next_beside_ = 0;
};

}  // namespace multifold::inline v0_1::stream
