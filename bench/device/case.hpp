// A measurement of its own as a Google Benchmark: it runs once, and tells by counters; what it throws is its error.
#pragma once

#include <benchmark/benchmark.h>

#include <exception>
#include <functional>
#include <string>

namespace bench {

inline void add(const std::string& name, const std::function<void(benchmark::State&)>& body) {
  benchmark::RegisterBenchmark(name.c_str(), [body](benchmark::State& state) {
    for (auto unused : state) {
      static_cast<void>(unused);
      try {
        body(state);
      } catch (const std::exception& e) {
        state.SkipWithError(e.what());
      }
    }
  })->Iterations(1);
}

}  // namespace bench
