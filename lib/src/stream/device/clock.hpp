// The times of a GPU's events on the clock of the host.
#pragma once

#include <chrono>

#include "multifold/cuda/event.hpp"

namespace multifold::inline v0_1::stream {

/// An event that happened while nothing else ran, and when that was. Wrong by as long as an idle device takes to say
/// that it has come to an event: a few microseconds.
class device_clock {
 public:
  /// Of the current device, whose streams should be idle.
  device_clock();

  /// When `e`, which has timing::on, happened.
  std::chrono::steady_clock::time_point at(const cuda::event& e) const;

 private:
  cuda::event start_;
  std::chrono::steady_clock::time_point started_;
};

}  // namespace multifold::inline v0_1::stream
