// An owned CUDA event.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <thread>
#include <utility>

#include "multifold/cuda/error.hpp"

namespace multifold::inline v0_1::cuda {

/// A point in a stream. Move-only; the destructor is silent.
class event {
 public:
  enum class timing { off, on };

  /// In a loop; asleep until an interrupt comes; or with a look every 50 us, which costs a GPU that has much to do with
  /// many threads less than interrupts, and comes no later.
  enum class waiting { spin, sleep, nap };

  explicit event(timing kind = timing::off, waiting how = waiting::spin) : how_(how) {
    const unsigned flags = (kind == timing::on ? cudaEventDefault : cudaEventDisableTiming) |
                           (how == waiting::sleep ? cudaEventBlockingSync : cudaEventDefault);
    check(cudaEventCreateWithFlags(&handle_, flags));
  }
  event(event&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)), how_(other.how_) {}
  event& operator=(event&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(how_, other.how_);
    return *this;
  }
  ~event() {
    if (handle_ != nullptr) cudaEventDestroy(handle_);
  }

  cudaEvent_t get() const noexcept { return handle_; }
  void record(cudaStream_t stream) const { check(cudaEventRecord(handle_, stream)); }
  /// The calling thread waits until the recorded work is done.
  void synchronise() const {
    while (how_ == waiting::nap && !is_done()) std::this_thread::sleep_for(std::chrono::microseconds(50));
    check(cudaEventSynchronize(handle_));
  }
  bool is_done() const {
    const cudaError_t code = cudaEventQuery(handle_);
    if (code != cudaErrorNotReady) check(code);
    forget(code);  // "not ready" counts as an error there
    return code == cudaSuccess;
  }
  /// Later work of `stream` waits until the recorded work is done.
  void hold_back(cudaStream_t stream) const { check(cudaStreamWaitEvent(stream, handle_, 0)); }
  /// Time from `start` to this event; both need timing::on and must have happened. [milliseconds]
  float elapsed_ms_since(const event& start) const {
    float ms = 0;
    check(cudaEventElapsedTime(&ms, start.handle_, handle_));
    return ms;
  }

 private:
  cudaEvent_t handle_ = nullptr;
  waiting how_;
};

}  // namespace multifold::inline v0_1::cuda
