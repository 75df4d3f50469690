// Hands out the chunks of a source: to any thread at once where the source allows it, else to one after the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "multifold/source.hpp"
#include "multifold/stop_signal.hpp"
#include "stream/inputs.hpp"
#include "stream/unit_queue.hpp"

namespace multifold::inline v0_1::stream {

/// A claim on the elements [first, first + count). The turn of a sequential source is held until the last is read.
struct chunk {
  std::int64_t number;
  std::int64_t first;
  std::int64_t count;  // upper bound where the length is unknown
  std::unique_lock<std::mutex> turn;
};

/// Units that are cut into chunks, and whose; `units` is null where the array is not shared.
struct unit_claims {
  unit_queue* units = nullptr;
  shared_by who = shared_by::host;
  std::int64_t wanted = 0;  // elements of a unit
};

class host_reader {
 public:
  /// `elements`: of each source, -1 if unknown. Elements of a second source go `other` bytes behind those of the first.
  host_reader(const inputs& from, std::int64_t elements, std::int64_t chunk_elements, std::ptrdiff_t other,
              stop_signal stop, const unit_claims& shared = {});

  std::optional<chunk> claim();

  /// Where the chunk lies in memory; null if it has to be read.
  const std::byte* in_memory(const chunk& c) const;

  /// Reads up to `room` elements, from element `done` of the chunk on, into `into`. Fewer than asked for means that
  /// the stream has ended; the chunk is then shortened to what there is. Gives up the turn after the last element.
  std::int64_t read(chunk& c, std::int64_t done, std::byte* into, std::int64_t room);

  /// Of a stream that has ended: its length.
  std::int64_t elements() const { return elements_; }

  /// No more claims: somebody failed.
  void stop() { stopped_ = true; }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  /// Throws cancelled_error if the caller asked for it.
  void check_cancelled() const;

 private:
  std::optional<chunk> claim_of_unit();
  void end_at(const source& input, std::int64_t element);
  std::int64_t read_from(source& input, std::int64_t first, std::byte* into, std::int64_t count);
  std::int64_t read_in_turns(source& input, std::int64_t first, std::byte* into, std::int64_t count);

  const inputs inputs_;
  const std::ptrdiff_t other_;
  const std::int64_t item_;
  std::int64_t elements_;
  const std::int64_t chunk_elements_;
  const bool random_access_;
  const stop_signal stop_;
  const unit_claims shared_;
  std::mutex claims_;
  host::interval unit_{0, 0};  // what is left of it
  std::atomic<std::int64_t> next_{0};
  std::atomic<bool> stopped_{false};
  std::mutex turn_;
  std::int64_t read_bytes_;
  bool ended_ = false;
};

}  // namespace multifold::inline v0_1::stream
