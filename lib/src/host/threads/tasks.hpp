// Numbered tasks, which the thread pool takes one by one.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "host/threads/crew.hpp"

namespace multifold::inline v0_1::host {

/// Calls `task(number, scratch)` for each of `tasks`, in about ascending order, on up to `threads` threads, each with
/// what `make_scratch()` made for it; one thread is the caller's. After a failure no more tasks begin.
/// Throws: what the first to fail threw.
template <class MakeScratch, class Task>
void share_out(int threads, std::int64_t tasks, const MakeScratch& make_scratch, const Task& task) {
  if (tasks <= 0) return;
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> failed{false};
  const auto work = [&](int) {
    try {
      auto scratch = make_scratch();
      while (!failed.load(std::memory_order_relaxed)) {
        const std::int64_t mine = next.fetch_add(1, std::memory_order_relaxed);
        if (mine >= tasks) return;
        task(mine, scratch);
      }
    } catch (...) {
      failed = true;
      throw;
    }
  };
  const int size = static_cast<int>(std::min<std::int64_t>(threads, tasks));
  if (size <= 1) work(0);
  else run_crew(size, work);
}

/// The least of the numbers that several threads find.
class least_number {
 public:
  void note(std::int64_t number) {
    std::int64_t least = least_.load(std::memory_order_relaxed);
    while (number < least && !least_.compare_exchange_weak(least, number, std::memory_order_relaxed)) {
    }
  }
  bool found() const { return get() != INT64_MAX; }
  std::int64_t get() const { return least_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> least_{INT64_MAX};
};

}  // namespace multifold::inline v0_1::host
