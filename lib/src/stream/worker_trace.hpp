// Tells the caller's sink, if there is one, what a thread did since it looked at the clock.
#pragma once

#include <chrono>
#include <cstdint>

#include "multifold/trace.hpp"

namespace multifold::inline v0_1::stream {

class worker_trace {
 public:
  using clock = std::chrono::steady_clock;

  worker_trace(const trace_sink& sink, int worker) : sink_(sink), worker_(worker) {}

  clock::time_point now() const { return sink_ ? clock::now() : clock::time_point(); }
  void tell(trace_kind kind, std::int64_t chunk, std::int64_t bytes, clock::time_point start) const {
    if (sink_) sink_({kind, worker_, chunk, bytes, start, clock::now()});
  }

 private:
  const trace_sink& sink_;
  const int worker_;
};

}  // namespace multifold::inline v0_1::stream
