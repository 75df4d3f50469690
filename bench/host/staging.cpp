// The copy that staging threads make, against memcpy into the same buffers: as large as the slots of a thread.
#include "host/staging.hpp"

#include <benchmark/benchmark.h>

#include <cstring>
#include <string>
#include <vector>

#include "host/aligned_bytes.hpp"
#include "plain_read.hpp"
#include "stream/copies/staging_copy.hpp"
#include "stream/ring.hpp"

namespace bench {
namespace {

using multifold::host::aligned_bytes;
using multifold::stream::filler_bytes;

// Seconds to bring the array into the buffers by `copy`.
template <class Copy>
double staged(const std::byte* data, const std::vector<aligned_bytes>& buffers, const Copy& copy) {
  std::vector<std::int64_t> filled(buffers.size());
  return shared_blocks(static_cast<int>(buffers.size()), host_bytes(),
                       [&](int worker, std::int64_t at, std::int64_t count) {
                         const auto mine = static_cast<std::size_t>(worker);
                         copy(buffers[mine].get() + filled[mine], data + at, count);
                         filled[mine] = (filled[mine] + (1 << 20)) % filler_bytes;
                       });
}

void staging(benchmark::State& state, const std::byte* data, int threads) {
  std::vector<aligned_bytes> buffers;
  for (int i = 0; i < threads; ++i) {
    buffers.push_back(multifold::host::try_allocate(filler_bytes));
    std::memset(buffers.back().get(), 0, static_cast<std::size_t>(filler_bytes));
  }
  const auto plain_copy = [](void* to, const void* from, std::int64_t bytes) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  };
  std::vector<double> plain, ours;
  for (auto _ : state) {
    plain.push_back(staged(data, buffers, plain_copy));
    ours.push_back(staged(data, buffers, multifold::stream::staging_copy));
    state.SetIterationTime(ours.back());
  }
  report_beside(state, host_bytes(), plain, ours);
}

}  // namespace

void register_staging(const std::byte* (*data)(), const std::vector<int>& thread_counts) {
  for (const int threads : thread_counts) {
    benchmark::RegisterBenchmark(("staging/threads:" + std::to_string(threads)).c_str(),
                                 [=](benchmark::State& state) { staging(state, data(), threads); })
        ->UseManualTime()
        ->Iterations(9)
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace bench
