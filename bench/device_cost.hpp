// What a reduction costs from call to result, and what it costs the thread that asks for it.
#pragma once

#include <benchmark/benchmark.h>
#include <cuda_runtime_api.h>
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "multifold/cuda/error.hpp"

namespace bench {

inline constexpr int rounds = 401;

inline double seconds_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

inline double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

struct cost {
  double wall_us, host_us;
};

/// `call` enqueues; the stream is then waited for.
inline cost cost_of(cudaStream_t stream, const std::function<void()>& call, int count = rounds) {
  std::vector<double> wall, host;
  for (int i = 0; i < count + count / 10; ++i) {
    const double start = seconds_of(CLOCK_MONOTONIC), cpu = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    call();
    const double enqueued = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    multifold::cuda::check(cudaStreamSynchronize(stream));
    if (i < count / 10) continue;
    wall.push_back(1e6 * (seconds_of(CLOCK_MONOTONIC) - start));
    host.push_back(1e6 * (enqueued - cpu));
  }
  return {median(wall), median(host)};
}

inline void report(benchmark::State& state, const cost& c, double reductions = 1) {
  state.counters["wall_us"] = c.wall_us / reductions;
  state.counters["host_us"] = c.host_us / reductions;
}

}  // namespace bench
