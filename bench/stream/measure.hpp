// Something that reads an array once, beside copies of as many bytes in the same seconds.
#pragma once

#include <benchmark/benchmark.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "device/cost.hpp"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/cuda/stream.hpp"

namespace bench {

inline constexpr std::int64_t chunk_bytes = INT64_C(16) << 20;
inline constexpr int stream_rounds = 5;

// As many bytes as the array has, out of a smaller one.
class link_limit {
 public:
  explicit link_limit(std::int64_t bytes) : bytes_(bytes) {}

  double seconds() const {
    const double start = seconds_of(CLOCK_MONOTONIC);
    for (std::int64_t at = 0; at < bytes_; at += chunk_bytes) {
      multifold::cuda::check(cudaMemcpyAsync(to_.data() + at % to_.size(), from_.data() + at % from_.size(),
                                             chunk_bytes, cudaMemcpyHostToDevice, stream_.get()));
    }
    stream_.synchronise();
    return seconds_of(CLOCK_MONOTONIC) - start;
  }

 private:
  const multifold::cuda::pinned_buffer from_{16 * chunk_bytes};
  const multifold::cuda::device_buffer to_{4 * chunk_bytes};
  const std::int64_t bytes_;
  const multifold::cuda::stream stream_;
};

inline double free_device_bytes() {
  std::size_t free = 0, all = 0;
  cudaMemGetInfo(&free, &all);
  return static_cast<double>(free);
}

// Looks every two milliseconds, which no timed round shall suffer from.
inline double device_mib_of(const std::function<void()>& work) {
  const double before = free_device_bytes();
  std::atomic<double> least = before;
  {
    const std::jthread watcher([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        const double free = free_device_bytes();
        if (free > 0) least = std::min<double>(least, free);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
    });
    work();
  }
  return (before - least) / (1 << 20);
}

/// Counters: GB/s of input; limit_GB/s, of whatever `limit_seconds` times before or after it, in turns; `ratio_name`,
/// their ratio; cpu_share, CPU time over time. Medians over rounds.
inline void measure_beside(benchmark::State& state, int rounds_wanted, std::int64_t bytes,
                           const std::function<double()>& limit_seconds, const char* ratio_name,
                           const std::function<void()>& work) {
  std::vector<double> gbps, limit_gbps, ratio, share;
  const double gigabytes = static_cast<double>(bytes) * 1e-9;
  for (int i = 0; i < rounds_wanted; ++i) {
    double limit = i % 2 == 0 ? limit_seconds() : 0;
    const double start = seconds_of(CLOCK_MONOTONIC), cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    work();
    const double mine = seconds_of(CLOCK_MONOTONIC) - start;
    share.push_back((seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu) / mine);
    if (i % 2 != 0) limit = limit_seconds();
    gbps.push_back(gigabytes / mine);
    limit_gbps.push_back(gigabytes / limit);
    ratio.push_back(limit / mine);
  }
  state.counters["GB/s"] = median(gbps);
  state.counters["limit_GB/s"] = median(limit_gbps);
  state.counters[ratio_name] = median(ratio);
  state.counters["cpu_share"] = median(share);
}

/// Beside copies of 16 MiB back to back from pinned memory: of_limit; and device_MiB, the device memory that `work`
/// takes at most, but for what the driver keeps once its kernels have run.
inline void measure_stream(benchmark::State& state, std::int64_t bytes, const std::function<void()>& work) {
  const link_limit link(bytes);
  link.seconds();
  work();
  state.counters["device_MiB"] = device_mib_of(work);
  measure_beside(
      state, stream_rounds, bytes, [&] { return link.seconds(); }, "of_limit", work);
}

}  // namespace bench
