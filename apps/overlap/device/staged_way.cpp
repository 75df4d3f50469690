// Arrays in ordinary memory, which a GPU cannot copy from at full speed: threads bring it to pinned memory first.
#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <exception>
#include <memory>
#include <thread>

#include "multifold/cuda/error.hpp"
#include "overlap/device/ways.hpp"

namespace multifold::overlap {
namespace {

// A thread's own: while its chunk travels, the others fill.
struct stage {
  explicit stage(std::int64_t chunk_bytes) : place(sum_plan(chunk_bytes / 4)), pinned(chunk_bytes) {}
  station place;
  cuda::pinned_buffer pinned;
  cuda::event copied{cuda::event::timing::off, cuda::event::waiting::sleep};
  std::exception_ptr failed;
};

void work(stage& mine, int thread, const chunked_array& array, std::atomic<std::int64_t>& next, device_trace& trace) {
  const cudaStream_t on = mine.place.stream();
  mine.place.clear(on);
  for (std::int64_t i = next++; i < array.chunks(); i = next++) {
    mine.copied.synchronise();
    chunk_of_array chunk = array[i];
    trace.host(thread, {0, 0, activity::fill, i, chunk.bytes},
               [&] { std::memcpy(mine.pinned.data(), chunk.data, static_cast<std::size_t>(chunk.bytes)); });
    chunk.data = mine.pinned.data();
    mine.place.copy(chunk, on, trace);
    mine.copied.record(on);
    mine.place.reduce(chunk, on, trace);
  }
  mine.place.fetch(on, trace);
  cuda::check(cudaStreamSynchronize(on));
}

}  // namespace

way staged(const chunked_array& array, int threads) {
  std::vector<std::shared_ptr<stage>> stages;
  for (int i = 0; i < threads; ++i) stages.push_back(std::make_shared<stage>(array.chunk_bytes));
  int device = 0;
  cuda::check(cudaGetDevice(&device));
  const auto sum = [=](device_trace& trace) {
    std::atomic<std::int64_t> next{0};
    const auto fill = [&](int thread) {
      stage& mine = *stages[static_cast<std::size_t>(thread)];
      try {
        cuda::check(cudaSetDevice(device));
        work(mine, thread, array, next, trace);
      } catch (...) {
        mine.failed = std::current_exception();
      }
    };
    {
      std::vector<std::jthread> crew;
      for (int thread = 1; thread < threads; ++thread) crew.emplace_back(fill, thread);
      fill(0);
    }
    exact_sum<float> all;
    for (const auto& each : stages) {
      if (each->failed) std::rethrow_exception(each->failed);
      all.merge(each->place.sum());
    }
    return round_to<float>(all);
  };
  return {
      fmt::format("ordinary memory, {} thread{}", threads, threads == 1 ? "" : "s"),
      "The array is not pinned, so the copy engine cannot read it. Each thread fills a pinned buffer of its own, and "
      "gives the orders for it; while one buffer travels, other threads fill theirs.",
      part::start, sum};
}

}  // namespace multifold::overlap
