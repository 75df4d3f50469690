// When the GPU began and ended what, by its own clock, on the time axis of the host.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "multifold/cuda/event.hpp"
#include "multifold/trace.hpp"
#include "overlap/timeline.hpp"

namespace multifold::overlap {

/// Puts an event before and one after each operation, if it is on; else it costs nothing. One run each.
class device_trace {
 public:
  using time = std::chrono::steady_clock::time_point;

  explicit device_trace(bool on) : on_(on) { start(); }

  /// The run starts now, once the device is idle.
  void start();

  /// What a GPU is given to do by `enqueue`. Thread-safe. In a stream that is being captured, the events are nodes.
  template <class Enqueue>
  void device(const span& work, cudaStream_t stream, const Enqueue& enqueue, bool captured = false) {
    if (!on_) return enqueue();
    mark m{work, cuda::event(cuda::event::timing::on), cuda::event(cuda::event::timing::on)};
    record(m.begin, stream, captured);
    enqueue();
    record(m.end, stream, captured);
    keep(std::move(m));
  }

  /// What the calling thread does itself; `lane` is its number.
  template <class Work>
  void host(int lane, const span& done, const Work& work) {
    if (!on_) return work();
    const time start = std::chrono::steady_clock::now();
    work();
    keep(lane, done, start);
  }

  /// What the library did in a run of its own. Thread-safe.
  void tell(const trace_event& event);

  bool on() const { return on_; }
  double elapsed() const { return seconds_since_start(std::chrono::steady_clock::now()); }

  /// Waits for the device. The engines of the GPU have a lane each, and so have threads of the host. On a lane, work
  /// that had to wait for the engine begins where the work before it ended.
  std::vector<lane> lanes();

 private:
  struct mark {
    span work;
    cuda::event begin, end;
  };

  static void record(const cuda::event& e, cudaStream_t stream, bool captured);
  void keep(mark&& m);
  void keep(int lane, span done, time start);
  void add(int lane, const span& done);
  double seconds_since_start(time at) const { return std::chrono::duration<double>(at - start_).count(); }
  double seconds_of(const cuda::event& e) const { return base_seconds_ + 1e-3 * e.elapsed_ms_since(base_); }

  const bool on_;
  time start_;
  cuda::event base_{cuda::event::timing::on};
  double base_seconds_ = 0;  // of base_, from the start on: negative
  std::mutex mutex_;
  std::vector<mark> marks_;
  std::vector<std::vector<span>> threads_;
  std::vector<span> told_;  // of the GPU
};

}  // namespace multifold::overlap
