// What two engines have read of one array, told to one listener.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include "stream/unit_queue.hpp"

namespace multifold::inline v0_1::stream {

class shared_progress {
 public:
  explicit shared_progress(std::function<void(std::int64_t bytes)> told) : told_(std::move(told)) {}

  /// For the pipeline of one engine, which tells of its own bytes; none where progress is not asked for.
  std::function<void(std::int64_t)> of(shared_by who) {
    if (!told_) return {};
    return [this, who](std::int64_t bytes) {
      so_far_[static_cast<std::size_t>(who)] = bytes;
      const std::unique_lock lock(telling_, std::try_to_lock);
      if (lock) tell(so_far_[0] + so_far_[1]);
    };
  }

  /// What `who` has read has to be read again.
  void forget(shared_by who) { so_far_[static_cast<std::size_t>(who)] = 0; }
  void finish(std::int64_t bytes) {
    const std::lock_guard lock(telling_);
    if (told_) told_(bytes);
  }

 private:
  // It never goes back.
  void tell(std::int64_t bytes) {
    if (bytes <= last_) return;
    last_ = bytes;
    told_(bytes);
  }

  const std::function<void(std::int64_t)> told_;
  std::array<std::atomic<std::int64_t>, 2> so_far_{};
  std::mutex telling_;
  std::int64_t last_ = 0;
};

}  // namespace multifold::inline v0_1::stream
