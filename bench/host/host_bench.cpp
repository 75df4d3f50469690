// The CPU engine against the plain read of the same bytes by the same threads: `ratio` is the share of that speed that
// a reduction reaches. Every iteration times both, one after the other, so that both see the same machine.
// MULTIFOLD_BENCH_BYTES sets the size of the array (default 1 GiB), MULTIFOLD_BENCH_FOLDER where the file is written
// (/tmp).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <random>

#include "host/engine.hpp"
#include "host/every_part.hpp"
#include "host/exact.hpp"
#include "host/staging.hpp"
#include "multifold/error.hpp"
#include "multifold/source.hpp"
#include "plain_read.hpp"
#include "stream/host/stream.hpp"

namespace {

using namespace multifold;

std::int64_t bench_bytes() { return bench::host_bytes(); }

// Bits that are small numbers in every dtype: no NaN, no infinity, no overflow.
const std::byte* data() {
  static const host::aligned_bytes memory = [] {
    host::aligned_bytes m = host::try_allocate(bench_bytes());
    bench::shared_blocks(host::usable_threads(), bench_bytes(), [&](int, std::int64_t at, std::int64_t count) {
      std::minstd_rand random(static_cast<unsigned>(at >> 20) + 1);
      auto* words = reinterpret_cast<std::uint32_t*>(m.get() + at);
      for (std::int64_t i = 0; i < count / 4; ++i) words[i] = static_cast<std::uint32_t>(random()) & 0x3d3d3d3du;
    });
    return m;
  }();
  return memory.get();
}

struct reduction_case {
  std::string name;
  op_kind op;
  dtype type;
  std::vector<std::int64_t> inner;  // extents after the first, which takes what is left
  std::vector<std::int64_t> axes;
  nan_policy nan = nan_policy::propagate;
};

array_view view_of(const reduction_case& c) {
  std::vector<std::int64_t> extents = {bench_bytes() / item_bytes(c.type)};
  for (std::int64_t extent : c.inner) extents[0] /= extent;
  extents.insert(extents.end(), c.inner.begin(), c.inner.end());
  return make_view(data(), c.type, extents);
}

// A product of so many integers does not fit, and takes as long as one that does.
void run_or_overflow(const plan& p, const void* from, void* results, const host::run_options& options) {
  try {
    host::run(p, from, results, options);
  } catch (const overflow_error&) {
  }
}

void in_memory(benchmark::State& state, const reduction_case& c, int threads) {
  const array_view view = view_of(c);
  reduction what = make_reduction(c.op, c.type, c.nan, accuracy::fast);
  if (result_dtype_allowed(c.op, c.type, dtype::f64)) what.result = dtype::f64;  // no sum overflows that

  const plan p = make_plan(what, normalise(view, c.axes, order_of(c.op)), {}, host::traits(threads));
  const std::int64_t bytes = view.elements() * item_bytes(c.type);
  std::vector<std::byte> results(static_cast<std::size_t>(p.form.results() * item_bytes(p.what.result)));
  host::run_options options;
  options.threads = threads;
  std::vector<double> plain, ours;
  for (auto _ : state) {
    plain.push_back(bench::plain_read(data(), bytes, threads));
    const auto start = std::chrono::steady_clock::now();
    run_or_overflow(p, view.data, results.data(), options);
    ours.push_back(bench::seconds_since(start));
    state.SetIterationTime(ours.back());
  }
  bench::report_beside(state, bytes, plain, ours);
}

std::string file_path() {
  const char* const folder = std::getenv("MULTIFOLD_BENCH_FOLDER");
  return std::string(folder != nullptr ? folder : "/tmp") + "/multifold_host_bench.raw";
}

void from_file(benchmark::State& state, op_kind op, int threads) {
  const std::unique_ptr<source> input = open_raw(file_path(), {dtype::f32, {}, false, 0});
  const std::int64_t bytes = input->layout().extents[0] * 4;
  const array_view view = make_view(nullptr, dtype::f32, input->layout().extents);
  const plan p = make_plan(make_reduction(op, dtype::f32, nan_policy::propagate, accuracy::fast),
                           normalise(view, {0}, order_of(op)), {}, host::traits(threads));
  std::int64_t result = 0;
  stream::host_options options;
  options.threads = threads;
  std::vector<double> plain, ours;
  for (auto _ : state) {
    plain.push_back(bench::plain_pread(file_path(), bytes, threads));
    const auto start = std::chrono::steady_clock::now();
    stream::run_host(p, *input, &result, options);
    ours.push_back(bench::seconds_since(start));
    state.SetIterationTime(ours.back());
  }
  bench::report_beside(state, bytes, plain, ours);
}

void write_file() {
  std::FILE* const file = std::fopen(file_path().c_str(), "wb");
  const std::int64_t bytes = bench_bytes();
  const bool whole = file != nullptr &&
                     std::fwrite(data(), 1, static_cast<std::size_t>(bytes), file) == static_cast<std::size_t>(bytes);
  if (file == nullptr || std::fclose(file) != 0 || !whole) {
    std::fprintf(stderr, "host_bench: cannot write %s; set MULTIFOLD_BENCH_FOLDER\n", file_path().c_str());
    std::exit(3);
  }
}

std::vector<int> thread_counts() {
  std::vector<int> counts;
  for (int threads = 1; threads < host::usable_threads(); threads *= 2) counts.push_back(threads);
  counts.push_back(host::usable_threads());
  return counts;
}

std::vector<reduction_case> cases() {
  std::vector<reduction_case> all;
  for (int i = 0; i < 13; ++i) {
    const auto type = static_cast<dtype>(i);
    const std::string suffix = "/" + std::string(name(type));
    for (op_kind op : {op_kind::sum, op_kind::prod, op_kind::min, op_kind::argmin}) {
      all.push_back({std::string(name(op)) + suffix, op, type, {}, {0}});
    }
    for (op_kind op : {op_kind::sum, op_kind::argmax}) {
      all.push_back({std::string(name(op)) + "_columns" + suffix, op, type, {1 << 14}, {0}});
    }
  }
  const auto f32 = [&](const std::string& label, std::vector<std::int64_t> inner, std::vector<std::int64_t> axes) {
    all.push_back({"sum_" + label + "/f32", op_kind::sum, dtype::f32, std::move(inner), std::move(axes)});
  };
  all.push_back({"sum_omit/f32", op_kind::sum, dtype::f32, {}, {0}, nan_policy::omit});
  for (std::int64_t length : {2, 4, 8, 16, 32, 64, 100, 256, 1000, 4096, 65536}) {
    f32("rows_of_" + std::to_string(length), {length}, {1});
  }
  for (std::int64_t width : {2, 3, 16, 100, 1000, 1 << 20}) f32("columns_" + std::to_string(width), {width}, {0});
  f32("axes_0_2", {1000, 64}, {0, 2});
  f32("axis_1_of_3", {16, 1000}, {1});
  f32("axis_1_of_small", {4, 3}, {1});
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  for (const reduction_case& c : cases()) {
    for (int threads : thread_counts()) {
      benchmark::RegisterBenchmark((c.name + "/threads:" + std::to_string(threads)).c_str(),
                                   [c, threads](benchmark::State& state) { in_memory(state, c, threads); })
          ->UseManualTime()
          ->Iterations(5)
          ->Unit(benchmark::kMillisecond);
    }
  }
  for (op_kind op : {op_kind::sum, op_kind::argmin}) {
    for (int threads : thread_counts()) {
      benchmark::RegisterBenchmark(
          ("file_" + std::string(name(op)) + "/f32/threads:" + std::to_string(threads)).c_str(),
          [op, threads](benchmark::State& state) { from_file(state, op, threads); })
          ->UseManualTime()
          ->Iterations(5)
          ->Unit(benchmark::kMillisecond);
    }
  }
  bench::register_staging(data, thread_counts());
  bench::register_exact_sums();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  write_file();
  benchmark::RunSpecifiedBenchmarks();
  std::remove(file_path().c_str());
  return 0;
}
