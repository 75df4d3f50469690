// The least that a reduction can cost the CPU: the same threads read the same bytes with a plain loop, copy them with
// memcpy, or read the same file with pread alone.
#pragma once

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "host/aligned_bytes.hpp"
#include "host/threads/crew.hpp"
#include "median.hpp"

namespace bench {

/// Bytes of the array that is reduced on the CPU.
inline std::int64_t host_bytes() {
  const char* const text = std::getenv("MULTIFOLD_BENCH_BYTES");
  return text != nullptr ? std::atoll(text) : INT64_C(1) << 30;
}

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

#if defined(__x86_64__)
[[gnu::target_clones("avx512f", "avx2", "default")]]
#endif
inline std::uint64_t
sum_words(const std::uint64_t* words, std::int64_t count) {
  std::uint64_t lanes[32] = {};
  for (std::int64_t i = 0; i + 32 <= count; i += 32) {
    for (int j = 0; j < 32; ++j) lanes[j] ^= words[i + j];
  }
  std::uint64_t all = 0;
  for (std::uint64_t lane : lanes) all ^= lane;
  return all;
}

// Blocks of 1 MiB from one counter, which is also how the engine shares work.
template <class Block>
double shared_blocks(int threads, std::int64_t bytes, const Block& block) {
  constexpr std::int64_t each = 1 << 20;
  std::atomic<std::int64_t> next{0};
  const auto start = std::chrono::steady_clock::now();
  multifold::host::run_crew(threads, [&](int worker) {
    for (std::int64_t at; (at = next.fetch_add(each)) < bytes;) block(worker, at, std::min(each, bytes - at));
  });
  return seconds_since(start);
}

/// Seconds to read `bytes` of memory.
inline double plain_read(const std::byte* data, std::int64_t bytes, int threads) {
  std::atomic<std::uint64_t> kept{0};
  return shared_blocks(threads, bytes, [&](int, std::int64_t at, std::int64_t count) {
    kept ^= sum_words(reinterpret_cast<const std::uint64_t*>(data + at), count / 8);
  });
}

// One for each thread, with room for a block.
inline std::vector<multifold::host::aligned_bytes> block_buffers(int threads) {
  std::vector<multifold::host::aligned_bytes> buffers;
  for (int i = 0; i < threads; ++i) buffers.push_back(multifold::host::try_allocate(1 << 20));
  return buffers;
}

/// Seconds to copy `bytes` of memory into one buffer a thread.
inline double plain_copy(const std::byte* data, std::int64_t bytes, int threads) {
  const auto buffers = block_buffers(threads);
  return shared_blocks(threads, bytes, [&](int worker, std::int64_t at, std::int64_t count) {
    std::memcpy(buffers[static_cast<std::size_t>(worker)].get(), data + at, static_cast<std::size_t>(count));
  });
}

/// Seconds to read `bytes` of a file into one buffer a thread.
inline double plain_pread(const std::string& path, std::int64_t bytes, int threads) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const auto buffers = block_buffers(threads);
  std::atomic<bool> failed{file < 0};
  const double seconds = shared_blocks(threads, bytes, [&](int worker, std::int64_t at, std::int64_t count) {
    for (std::int64_t done = 0; done < count && !failed;) {
      const ssize_t got = ::pread(file, buffers[static_cast<std::size_t>(worker)].get() + done,
                                  static_cast<std::size_t>(count - done), at + done);
      if (got <= 0) failed = true;
      done += got;
    }
  });
  if (file >= 0) ::close(file);
  return failed ? 0 : seconds;
}

/// Counters: GB/s of `ours`, seconds of each round, and of a plain read; ratio, of the second's time to the first's.
inline void report_beside(benchmark::State& state, std::int64_t bytes, const std::vector<double>& plain,
                          const std::vector<double>& ours) {
  state.counters["GB/s"] = static_cast<double>(bytes) / median(ours) / 1e9;
  state.counters["plain_GB/s"] = static_cast<double>(bytes) / median(plain) / 1e9;
  state.counters["ratio"] = median_ratio(plain, ours);
}

}  // namespace bench
