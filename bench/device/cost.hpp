// What a reduction costs from call to result, and what it costs the thread that asks for it.
#pragma once

#include <benchmark/benchmark.h>
#include <cuda_runtime_api.h>
#include <time.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "median.hpp"
#include "multifold/cuda/error.hpp"

namespace bench {

inline constexpr int rounds = 401;

inline double seconds_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
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

/// In turns of a few dozen calls each, so that both meet the same host and the same clocks: the medians of `call`, and
/// how many times as long as `other` it took.
struct cost_beside {
  cost mine;
  double ratio;
};

inline cost_beside cost_of_beside(cudaStream_t stream, const std::function<void()>& call,
                                  const std::function<void()>& other) {
  std::vector<double> wall, host, ratio;
  for (int i = 0; i < 15; ++i) {
    const cost theirs = cost_of(stream, other, 50), mine = cost_of(stream, call, 50);
    wall.push_back(mine.wall_us);
    host.push_back(mine.host_us);
    ratio.push_back(mine.wall_us / theirs.wall_us);
  }
  return {{median(wall), median(host)}, median(ratio)};
}

inline void report(benchmark::State& state, const cost& c, double reductions = 1) {
  state.counters["wall_us"] = c.wall_us / reductions;
  state.counters["host_us"] = c.host_us / reductions;
}

}  // namespace bench
