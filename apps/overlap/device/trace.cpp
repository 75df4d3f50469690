// Events of the device, and the clock of the host.
#include "overlap/device/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "multifold/cuda/error.hpp"

namespace multifold::overlap {
namespace {

using cuda::check;

struct engine {
  activity what;
  const char* name;
};

constexpr std::array engines{engine{activity::copy, "copy to GPU"}, engine{activity::reduce, "GPU cores"},
                             engine{activity::fetch, "copy back"}};

activity activity_of(trace_kind kind) {
  switch (kind) {
    case trace_kind::read: return activity::fill;
    case trace_kind::copy: return activity::copy;
    case trace_kind::copy_back: return activity::fetch;
    case trace_kind::reduce: break;
  }
  return activity::reduce;
}

// A start is known as the time from which on its stream had nothing else to do.
void follow_each_other(std::vector<span>& spans) {
  std::sort(spans.begin(), spans.end(), [](const span& a, const span& b) { return a.end < b.end; });
  for (std::size_t i = 1; i < spans.size(); ++i) spans[i].start = std::max(spans[i].start, spans[i - 1].end);
}

}  // namespace

void device_trace::start() {
  check(cudaDeviceSynchronize());
  time at{};
  if (on_) {
    // The event happened between two looks at the host's clock: the last attempt counts, and they come close early.
    auto least = std::chrono::steady_clock::duration::max();
    for (int i = 0; i < 100; ++i) {
      const time before = std::chrono::steady_clock::now();
      base_.record(nullptr);
      base_.synchronise();
      const auto took = std::chrono::steady_clock::now() - before;
      at = before + took / 2;
      least = std::min(least, took);
      if (i > 10 && took < least * 5 / 4) break;
    }
  }
  start_ = std::chrono::steady_clock::now();
  if (on_) base_seconds_ = seconds_since_start(at);
}

void device_trace::record(const cuda::event& e, cudaStream_t stream, bool captured) {
  check(cudaEventRecordWithFlags(e.get(), stream, captured ? cudaEventRecordExternal : cudaEventRecordDefault));
}

void device_trace::keep(mark&& m) {
  const std::scoped_lock lock(mutex_);
  marks_.push_back(std::move(m));
}

void device_trace::keep(int lane, span done, time start) {
  done.start = seconds_since_start(start);
  done.end = elapsed();
  add(lane, done);
}

void device_trace::add(int lane, const span& done) {
  const std::scoped_lock lock(mutex_);
  if (static_cast<std::size_t>(lane) >= threads_.size()) threads_.resize(static_cast<std::size_t>(lane) + 1);
  threads_[static_cast<std::size_t>(lane)].push_back(done);
}

void device_trace::tell(const trace_event& event) {
  const span done{seconds_since_start(event.start), seconds_since_start(event.end), activity_of(event.kind),
                  event.chunk, event.bytes};
  if (event.worker >= 0) return add(event.worker, done);
  const std::scoped_lock lock(mutex_);
  told_.push_back(done);
}

std::vector<lane> device_trace::lanes() {
  check(cudaDeviceSynchronize());
  std::vector<lane> all;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const bool orders = !threads_[i].empty() && threads_[i][0].what == activity::call;
    all.push_back({orders ? "program" : fmt::format("thread {}", i), threads_[i]});
  }
  for (const engine& each : engines) {
    lane l{each.name, {}, true};
    std::copy_if(told_.begin(), told_.end(), std::back_inserter(l.spans),
                 [&](const span& s) { return s.what == each.what; });
    for (const mark& m : marks_) {
      if (m.work.what != each.what) continue;
      l.spans.push_back(m.work);
      l.spans.back().start = seconds_of(m.begin);
      l.spans.back().end = seconds_of(m.end);
    }
    follow_each_other(l.spans);
    if (!l.spans.empty()) all.push_back(std::move(l));
  }
  return all;
}

}  // namespace multifold::overlap
