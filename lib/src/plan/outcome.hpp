// What became of results on their way into memory: the worst status, and the first result that has it.
#pragma once

#include <cstdint>
#include <mutex>

#include "multifold/types/scalar.hpp"

namespace multifold::inline v0_1::detail {

struct outcome {
  status worst = status::ok;
  std::int64_t result = -1;

  void note(status s, std::int64_t which) {
    if (s < worst || s == status::ok || (s == worst && which > result)) return;
    *this = {s, which};
  }
};

/// The same of results that several threads write.
class shared_outcome {
 public:
  void note(const outcome& o) {
    if (o.worst == status::ok) return;
    const std::lock_guard lock(mutex_);
    all_.note(o.worst, o.result);
  }
  /// Once the threads are done.
  const outcome& get() const { return all_; }

 private:
  std::mutex mutex_;
  outcome all_;
};

}  // namespace multifold::inline v0_1::detail
