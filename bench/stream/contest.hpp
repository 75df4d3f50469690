// The ways to reduce one array, beside each other in the same seconds.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "device/cost.hpp"
#include "stream/measure.hpp"

namespace bench {

inline double wall_seconds(const std::function<void()>& work) {
  const double start = seconds_of(CLOCK_MONOTONIC);
  work();
  return seconds_of(CLOCK_MONOTONIC) - start;
}

/// By the CPU's threads, by the GPU, and by both together.
struct ways {
  std::function<void()> host, device, both;
};

/// Counters: GB/s of both; host_GB/s and device_GB/s of each alone; of_sum, the first over the sum of the others, or
/// over what `reading`, the CPU with all of its cores, reads if that is less. Medians.
inline void measure_both(benchmark::State& state, std::int64_t bytes, const ways& each,
                         const std::function<void()>& reading) {
  each.both();
  std::vector<double> gbps, host_gbps, device_gbps, of_sum;
  const double gigabytes = static_cast<double>(bytes) * 1e-9;
  for (int i = 0; i < stream_rounds; ++i) {
    const double host = gigabytes / wall_seconds(each.host), device = gigabytes / wall_seconds(each.device);
    const double limit = std::max(gigabytes / wall_seconds(reading), host);
    gbps.push_back(gigabytes / wall_seconds(each.both));
    host_gbps.push_back(host);
    device_gbps.push_back(device);
    of_sum.push_back(gbps.back() / std::min(host + device, limit));
  }
  state.counters["GB/s"] = median(gbps);
  state.counters["host_GB/s"] = median(host_gbps);
  state.counters["device_GB/s"] = median(device_gbps);
  state.counters["of_sum"] = median(of_sum);
}

/// Each order of the four ways twice.
inline constexpr int choice_rounds = 2 * 4;

/// Counters: GB/s of `automatic`, which names the engine that it took: chose_host, chose_device or chose_both, in how
/// many of the rounds; of_best, its rate over that of the quickest way of a round; host_GB/s, device_GB/s and
/// both_GB/s. Medians.
inline void measure_choice(benchmark::State& state, std::int64_t bytes, const ways& each,
                           const std::function<std::string()>& automatic) {
  automatic();  // measures the machine, unless it was measured
  std::vector<double> gbps, of_best, host, device, both;
  const double gigabytes = static_cast<double>(bytes) * 1e-9;
  const std::function<void()> choosing = [&] { state.counters["chose_" + automatic()] += 1; };
  const std::pair<const std::function<void()>*, std::vector<double>*> contenders[] = {
      {&each.host, &host}, {&each.device, &device}, {&each.both, &both}, {&choosing, &gbps}};
  // Each comes as often behind each of the others: what runs before leaves caches, clocks and threads in a state.
  constexpr int orders[4][4] = {{0, 1, 3, 2}, {1, 2, 0, 3}, {2, 3, 1, 0}, {3, 0, 2, 1}};
  for (int i = 0; i < choice_rounds; ++i) {
    for (const int k : orders[i % 4]) {
      const auto& [work, rates] = contenders[k];
      rates->push_back(gigabytes / wall_seconds(*work));
    }
    of_best.push_back(gbps.back() / std::max({host.back(), device.back(), both.back()}));
  }
  state.counters["GB/s"] = median(gbps);
  state.counters["host_GB/s"] = median(host);
  state.counters["device_GB/s"] = median(device);
  state.counters["both_GB/s"] = median(both);
  state.counters["of_best"] = median(of_best);
}

}  // namespace bench
