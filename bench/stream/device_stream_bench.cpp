// What of the link to the GPU is reached by arrays that are not on it: in pinned memory, in other memory, and in a
// cached file; and what the CPU makes of the same memory. A Google Benchmark a case.
//
// Counters: GB/s of input, medians; limit_GB/s, of copies of 16 MiB back to back from pinned memory, each next to a
// round; of_limit, the median of their ratios; device_MiB, the device memory that was taken at most; cpu_share, CPU
// time over time. Of what is staged: plain_GB/s, what as many threads bring into memory and no further. Of both
// engines together: of_sum, beside each alone and what all cores read. Of `auto`: of_best, beside the quickest of host,
// device and both, and what it chose. Of a cold file: of_disk. MULTIFOLD_STREAM_BYTES is the size of the array: 16 GiB
// unless it is set.
#include <benchmark/benchmark.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "device/case.hpp"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/cuda/stream.hpp"
#include "multifold/cuda/traits.hpp"
#include "multifold/reduce.hpp"
#include "plain_read.hpp"
#include "stream/cold.hpp"
#include "stream/contest.hpp"
#include "stream/data.hpp"
#include "stream/measure.hpp"
#include "stream/ring.hpp"
#include "stream/rows.hpp"

namespace {

namespace mf = multifold;
using bench::add;
using bench::host_array;
using mf::cuda::check;
using mf::cuda::device_buffer;
using mf::cuda::pinned_buffer;

using bench::chunk_bytes;

constexpr std::int64_t row_length = 16;
constexpr std::int64_t cold_bytes = INT64_C(4) << 30;

// Made by the first case that runs.
host_array& array() {
  static const std::unique_ptr<host_array> made = [] {
    const char* const text = std::getenv("MULTIFOLD_STREAM_BYTES");
    const std::int64_t wanted = text == nullptr ? INT64_C(16) << 30 : std::atoll(text);
    return std::make_unique<host_array>(std::max<std::int64_t>(wanted / chunk_bytes, 4) * chunk_bytes);
  }();
  return *made;
}

mf::array_view view() { return mf::make_view(reinterpret_cast<const float*>(array().data()), {array().elements()}); }

mf::reduce_options on(mf::engine_choice engine, int threads = 0) {
  mf::reduce_options options;
  options.engine = engine;
  options.threads = threads;
  return options;
}

float expected() {
  static const float sum = mf::reduce(mf::op_kind::sum, view(), on(mf::engine_choice::host)).value<float>();
  return sum;
}

void check_sum(float sum) {
  const float wanted = expected();
  if (std::memcmp(&sum, &wanted, sizeof sum) == 0) return;
  throw std::runtime_error("the sum is " + std::to_string(sum) + " and should be " + std::to_string(wanted));
}

void measure(benchmark::State& state, const std::function<void()>& work) {
  bench::measure_stream(state, array().bytes(), work);
}

// The engine that took it.
std::string sum(mf::engine_choice engine, int threads) {
  const mf::reduce_result result = mf::reduce(mf::op_kind::sum, view(), on(engine, threads));
  check_sum(result.value<float>());
  return result.engine;
}

void report_plain(benchmark::State& state, double seconds) {
  state.counters["plain_GB/s"] = static_cast<double>(array().bytes()) / seconds / 1e9;
}

void add_memory() {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  for (const int threads : {4, 8, 12, 16}) {
    if (threads > cores && threads > 4) continue;
    const std::string group = std::to_string(threads) + "_threads";
    add("host/" + group, [=](benchmark::State& state) {
      array().pinned(false);
      measure(state, [=] { sum(mf::engine_choice::host, threads); });
    });
    add("pageable/" + group, [=](benchmark::State& state) {
      array().pinned(false);
      measure(state, [=] { sum(mf::engine_choice::device, threads); });
      report_plain(state, bench::plain_copy(array().data(), array().bytes(), mf::stream::fillers_of(threads)));
    });
  }
  add("pinned/reduce", [=](benchmark::State& state) {
    array().pinned(true);
    measure(state, [=] { sum(mf::engine_choice::device, 0); });
  });
}

void add_both() {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  for (const int threads : {4, 8, 12}) {
    if (threads > cores && threads > 4) continue;
    const auto by = [=](mf::engine_choice engine) { return [=] { sum(engine, threads); }; };
    const bench::ways each{by(mf::engine_choice::host), by(mf::engine_choice::device), by(mf::engine_choice::both)};
    const std::string group = std::to_string(threads) + "_threads";
    add("both/" + group, [=](benchmark::State& state) {
      array().pinned(true);
      bench::measure_both(state, array().bytes(), each, [=] { sum(mf::engine_choice::host, cores); });
    });
    for (const bool pinned : {true, false}) {
      add((pinned ? "auto/pinned/" : "auto/pageable/") + group, [=](benchmark::State& state) {
        array().pinned(pinned);
        bench::measure_choice(state, array().bytes(), each, [=] { return sum(mf::engine_choice::automatic, threads); });
      });
    }
  }
}

void add_zero_copy() {
  add("pinned/zero_copy", [](benchmark::State& state) {
    array().pinned(true);
    void* mapped = nullptr;
    check(cudaHostGetDevicePointer(&mapped, array().data(), 0));
    const mf::plan p = mf::make_plan(mf::make_reduction(mf::op_kind::sum, mf::dtype::f32),
                                     mf::normalise(view(), {0}, mf::element_order::any), {}, mf::cuda::device_traits());
    const mf::cuda::stream stream;
    const device_buffer workspace(p.workspace_bytes());
    const pinned_buffer result(256);
    measure(state, [&] {
      mf::cuda::reduce_async(p, mapped, result.data(), workspace.bytes(), stream.get());
      stream.synchronise();
      float sum = 0;
      std::memcpy(&sum, result.data(), sizeof sum);
      check_sum(sum);
    });
  });
}

mf::array_view rows(std::int64_t count) {
  return mf::make_view(reinterpret_cast<const float*>(array().data()), {count, row_length});
}

mf::reduce_options row_sums(mf::engine_choice engine) {
  mf::reduce_options options = on(engine);
  options.axes = {1};
  return options;
}

// The first ones stand for all.
void check_rows(const std::byte* sums) {
  const auto wanted = mf::reduce(mf::op_kind::sum, rows(1 << 16), row_sums(mf::engine_choice::host)).data;
  if (std::memcmp(sums, wanted.data(), wanted.size()) != 0) throw std::runtime_error("wrong sums of rows");
}

void add_rows() {
  add("rows_of_16/streams", [](benchmark::State& state) {
    array().pinned(true);
    const bench::row_stream stream(chunk_bytes, row_length, 8);
    const pinned_buffer sums(array().bytes() / row_length);
    measure(state, [&] { stream.run(array().data(), array().bytes(), sums.data()); });
    check_rows(sums.data());
  });
  add("rows_of_16/reduce", [](benchmark::State& state) {
    array().pinned(true);
    const pinned_buffer sums(array().bytes() / row_length);
    mf::reduce_options options = row_sums(mf::engine_choice::device);
    options.into = sums.bytes();
    measure(state, [&] { mf::reduce(mf::op_kind::sum, rows(array().elements() / row_length), options); });
    check_rows(sums.data());
  });
}

void add_file() {
  add("file/cached", [](benchmark::State& state) {
    const auto folder = bench::folder_for(array().bytes());
    if (!folder) {
      std::fprintf(stderr,
                   "file/cached: SKIPPED, no folder has room for %lld bytes: set TMPDIR, or "
                   "MULTIFOLD_STREAM_BYTES to less\n",
                   static_cast<long long>(array().bytes()));
      state.SetLabel("skipped: no room");
      return;
    }
    const bench::cached_file file(*folder, array().pinned(false));
    measure(state, [&] {
      const auto input = mf::open_source(file.path(), mf::raw_options{});
      check_sum(mf::reduce(mf::op_kind::sum, *input, on(mf::engine_choice::device)).value<float>());
    });
    const int fillers = mf::stream::fillers_of(static_cast<int>(std::thread::hardware_concurrency()));
    report_plain(state, bench::plain_pread(file.path(), array().bytes(), fillers));
  });
}

// Each round reads the file twice: past the page cache, and by the GPU.
void add_cold_file() {
  add("file/cold", [](benchmark::State& state) {
    const std::int64_t bytes = std::min(cold_bytes, array().bytes());
    const auto folder = bench::folder_for(bytes);
    const host_array part(bytes);
    std::optional<bench::cached_file> file;
    if (folder) file.emplace(*folder, part);
    if (!file || !bench::drop_from_cache(file->path()) || bench::direct_seconds(file->path(), bytes) < 0) {
      std::fprintf(stderr, "file/cold: SKIPPED, the folder of temporary files is not on a disk: set TMPDIR\n");
      state.SetLabel("skipped: no disk");
      return;
    }
    const auto view = mf::make_view(reinterpret_cast<const float*>(part.data()), {bytes / 4});
    const float wanted = mf::reduce(mf::op_kind::sum, view, on(mf::engine_choice::host)).value<float>();
    bench::measure_cold(state, bytes, file->path(), [&] {
      const auto input = mf::open_source(file->path(), mf::raw_options{});
      const float sum = mf::reduce(mf::op_kind::sum, *input, on(mf::engine_choice::device)).value<float>();
      if (std::memcmp(&sum, &wanted, sizeof sum) != 0) throw std::runtime_error("wrong sum of a cold file");
    });
  });
}

}  // namespace

int main(int argc, char** argv) {
  std::string reason;
  if (mf::cuda::devices(reason).empty()) {
    std::fprintf(stderr, "no GPU: %s\n", reason.c_str());
    return 4;
  }
  add_memory();
  add_both();
  add_zero_copy();
  add_rows();
  add_file();
  add_cold_file();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
