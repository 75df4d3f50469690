// What several threads have done so far, told to one listener.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>

namespace multifold::inline v0_1::host {

/// Bytes between two calls: of sources, and of memory, which is faster.
constexpr std::int64_t progress_step = INT64_C(16) << 20, memory_progress_step = INT64_C(64) << 20;

class progress {
 public:
  /// At most one call for every `step` bytes. `told` may be empty, and has to live as long.
  progress(const std::function<void(std::int64_t bytes)>& told, std::int64_t step) : told_(told), step_(step) {}

  /// From any thread; none waits for another one's call.
  void tell(std::int64_t so_far) {
    if (!told_) return;
    const std::unique_lock lock(telling_, std::try_to_lock);
    if (!lock || so_far < last_ + step_) return;
    last_ = so_far;
    told_(so_far);
  }

 private:
  const std::function<void(std::int64_t)>& told_;
  const std::int64_t step_;
  std::mutex telling_;
  std::int64_t last_ = 0;
};

}  // namespace multifold::inline v0_1::host
