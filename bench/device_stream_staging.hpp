// What threads bring into buffers of their own when they do nothing else: staging cannot be quicker.
#pragma once

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "device_cost.hpp"

namespace bench {

/// Brings bytes [first, first + some) of an array to `to`.
using bring = std::function<void(std::int64_t first, std::int64_t some, std::byte* to)>;

/// GB/s of the second round, in which buffers have been touched: two pieces of 4 MiB a thread, as the GPU engine's.
inline double staging_gbps(int threads, std::int64_t bytes, const bring& read) {
  constexpr std::int64_t piece = INT64_C(4) << 20, pieces = 2;
  const auto all = static_cast<std::size_t>(threads * pieces * piece);
  void* const memory = ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  ::madvise(memory, all, MADV_HUGEPAGE);
  double took = 0;
  for (int round = 0; round < 2; ++round) {
    std::atomic<std::int64_t> next{0};
    const double start = seconds_of(CLOCK_MONOTONIC);
    {
      std::vector<std::jthread> crew;
      for (int thread = 0; thread < threads; ++thread) {
        crew.emplace_back([&, to = static_cast<std::byte*>(memory) + thread * pieces * piece] {
          std::int64_t turn = 0;
          for (std::int64_t first = next.fetch_add(piece); first < bytes; first = next.fetch_add(piece)) {
            read(first, std::min(piece, bytes - first), to + turn++ % pieces * piece);
          }
        });
      }
    }
    took = seconds_of(CLOCK_MONOTONIC) - start;
  }
  ::munmap(memory, all);
  return static_cast<double>(bytes) * 1e-9 / took;
}

/// Counter staged_GB/s: of memory, copied by `threads`.
inline void report_staging(benchmark::State& state, int threads, const std::byte* data, std::int64_t bytes) {
  state.counters["staged_GB/s"] =
      staging_gbps(threads, bytes, [data](std::int64_t first, std::int64_t some, std::byte* to) {
        std::memcpy(to, data + first, static_cast<std::size_t>(some));
      });
}

/// Of a file. Throws: std::runtime_error if it cannot be read.
inline void report_staging(benchmark::State& state, int threads, const std::string& path, std::int64_t bytes) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::atomic<bool> whole = file >= 0;
  const double gbps = staging_gbps(threads, bytes, [&](std::int64_t first, std::int64_t some, std::byte* to) {
    while (some > 0 && whole) {
      const auto got = ::pread(file, to, static_cast<std::size_t>(some), first);
      if (got <= 0) whole = false;
      first += got, some -= got, to += got;
    }
  });
  if (file >= 0) ::close(file);
  if (!whole) throw std::runtime_error(path + " could not be read");
  state.counters["staged_GB/s"] = gbps;
}

}  // namespace bench
