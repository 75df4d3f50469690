// Tells the caller's sink what a GPU did between two of its events.
#pragma once

#include <cstdint>

#include "multifold/trace.hpp"
#include "stream/device/clock.hpp"

namespace multifold::inline v0_1::stream {

class device_tracer {
 public:
  /// While the current device is idle.
  explicit device_tracer(const trace_sink& sink) : sink_(sink) {}

  /// Both events have happened, and have timing::on.
  void tell(trace_kind kind, std::int64_t chunk, std::int64_t bytes, const cuda::event& start,
            const cuda::event& end) const {
    constexpr int no_thread = -1;
    sink_({kind, no_thread, chunk, bytes, clock_.at(start), clock_.at(end)});
  }

 private:
  const trace_sink& sink_;
  const device_clock clock_;
};

}  // namespace multifold::inline v0_1::stream
