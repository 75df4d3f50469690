// The GPU's end of the pipeline: chunks are copied to the device on one stream, reduced on another, and their results
// come back on a third, each beside the others.
#pragma once

#include <cstdint>

#include "multifold/plan.hpp"
#include "stream/device/reducer.hpp"
#include "stream/device/slot.hpp"
#include "stream/device/streams.hpp"

namespace multifold::inline v0_1::stream {

class device_sink {
 public:
  /// `how` is not automatic. Throws: out_of_memory if the device has no room.
  device_sink(const plan& p, const slices& array, bool one_sum, const ring& r, transfer how, result_target& to,
              const device_streams& on);

  /// Enqueues the copy of elements `range` of chunk `number`, which are at `from` in pinned memory, into the slot, and
  /// the kernels that reduce them; mapped arrays are read where they are, and `from` is where the device sees the first
  /// element of the whole array. One call at a time; in the order of the chunks, unless all of them are one_sum that
  /// merges_in_any_order.
  void consume(device_slot& slot, std::int64_t number, host::interval range, const operands& from);

  /// Waits until the results of the slot's last chunk are back, and brings them to their places, so that the slot can
  /// take another. Slots are settled by any thread, each by one.
  void settle(device_slot& slot);

  /// The results that are still open, over `length` elements, or the state, at `results`; through a slot that is
  /// settled. Waits for everything, and throws what went wrong with a result.
  void finish(std::int64_t length, device_slot& slot, void* results);

  /// Instead of what one_sum makes of them: the accumulators. Waits for everything.
  void finish_open(std::byte* accumulators) const { reducer_.copy_accumulators(accumulators); }

  std::int64_t consumed() const { return consumed_; }
  void add_to(transfer_memory& all) const { reducer_.add_to(all); }

 private:
  void copy(device_slot& slot, const operands& from, std::int64_t bytes) const;
  void tell(const device_slot& slot) const;

  const reduction& what_;
  const bool one_sum_;
  const transfer how_;
  result_target& to_;
  const device_streams& on_;
  device_reducer reducer_;
  std::int64_t consumed_ = 0;
};

}  // namespace multifold::inline v0_1::stream
