// The GPU engine beside CUB, Thrust and the plain read of the same bytes: a Google Benchmark a case.
//
// Every case reports, for each contender, counters "<contender>:<figure>": median_gbps, q1, q3, min, max (1e9 bytes a
// second of device-event time), repetitions, ratio (its speed over that of "cub", the median over rounds), lead (the
// first contender's speed over its own) and place (in the case). --plans prints the plans, and needs no GPU.
#include <benchmark/benchmark.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <random>

#include "device/run.hpp"
#include "multifold/cuda/traits.hpp"

namespace {

using namespace bench;
namespace mf = multifold;

// Of the values that are there, by linear interpolation.
double quantile(std::vector<double> x, double q) {
  std::erase_if(x, [](double v) { return std::isnan(v); });
  if (x.empty()) return 0;
  std::sort(x.begin(), x.end());
  const double at = q * static_cast<double>(x.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, x.size() - 1);
  return x[below] + (at - static_cast<double>(below)) * (x[above] - x[below]);
}

double median_ratio(const std::vector<double>& over, const std::vector<double>& under) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < over.size(); ++i) ratios.push_back(over[i] / under[i]);
  return quantile(std::move(ratios), 0.5);
}

void report(benchmark::State& state, const std::vector<timing>& all) {
  const auto cub = std::find_if(all.begin(), all.end(), [](const timing& t) { return t.name == "cub"; });
  for (const timing& t : all) {
    const auto gbps = [&](double q) { return t.bytes / quantile(t.seconds, q) / 1e9; };
    const auto put = [&](const char* figure, double value) { state.counters[t.name + ":" + figure] = value; };
    put("median_gbps", gbps(0.5));
    put("q1", gbps(0.75));
    put("q3", gbps(0.25));
    put("min", gbps(1));
    put("max", gbps(0));
    put("repetitions",
        static_cast<double>(std::count_if(t.seconds.begin(), t.seconds.end(), [](double s) { return s == s; })));
    put("place", static_cast<double>(&t - all.data()));
    const double work = t.bytes / all.front().bytes;
    put("lead", median_ratio(t.seconds, all.front().seconds) / work);
    if (cub != all.end()) put("ratio", median_ratio(cub->seconds, t.seconds));
  }
  state.counters["bytes"] = all.front().bytes;
  state.counters["GB/s"] = all.front().bytes / quantile(all.front().seconds, 0.5) / 1e9;
}

void run_case(benchmark::State& state, const bench_case& c, arena& memory) {
  try {
    case_run run(c, memory);
    for (auto _ : state) state.SetIterationTime(run.round());
    report(state, run.timings());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "device_bench: %s: %s\n", c.name.c_str(), e.what());
    state.SkipWithError(e.what());
  }
}

// A line a case on stdout; the full report goes to --benchmark_out.
class short_lines : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      std::printf("%s", run.run_name.function_name.c_str());
      for (const auto& [name, value] : run.counters) {
        const std::size_t colon = name.find(":median_gbps");
        if (colon == std::string::npos) continue;
        std::printf("  %s %.*f", name.substr(0, colon).c_str(), value.value < 10 ? 3 : 0, value.value);
      }
      std::printf("\n");
      std::fflush(stdout);
    }
  }
};

void add_context(const arena& memory) {
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  const auto dotted = [](int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); };
  const int v = cub_version();
  benchmark::AddCustomContext("device", mf::cuda::device_traits().name);
  benchmark::AddCustomContext("driver_cuda", dotted(driver));
  benchmark::AddCustomContext("cuda", dotted(runtime));
  benchmark::AddCustomContext(
      "cub_version", std::to_string(v / 100000) + "." + std::to_string(v / 100 % 1000) + "." + std::to_string(v % 100));
  benchmark::AddCustomContext("buffer_bytes", std::to_string(memory.data.size()));
  benchmark::AddCustomContext("seed", std::to_string(memory.seed));
}

int print_plans(const std::vector<bench_case>& cases) {
  for (const bench_case& c : cases) {
    std::printf("== %s\n", c.name.c_str());
    const mf::array_view view = view_of(c, nullptr, std::int64_t{16} << 30);
    for (const contender& who : c.contenders) {
      const mf::plan p = plan_of(c, who, view, mf::h200_traits());
      const bool planned = who.what == contender::kind::ours || who.what == contender::kind::whole;
      std::printf("-- %s\n%s", who.name.c_str(), planned ? explain(p).c_str() : "");
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<bench_case> cases = device_cases();
  if (argc == 2 && std::strcmp(argv[1], "--plans") == 0) return print_plans(cases);

  std::string reason;
  if (mf::cuda::devices(reason).empty()) {
    std::fprintf(stderr, "device_bench: no GPU: %s\n", reason.c_str());
    return 4;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;

  std::random_device entropy;
  arena memory;
  memory.data = mf::cuda::device_buffer(arena_bytes());
  memory.seed = (static_cast<std::uint64_t>(entropy()) << 32) | entropy();
  add_context(memory);
  for (const bench_case& c : cases) {
    benchmark::RegisterBenchmark(c.name.c_str(), [&](benchmark::State& state) { run_case(state, c, memory); })
        ->UseManualTime()
        ->Iterations(rounds_of(c));
  }
  short_lines lines;
  benchmark::RunSpecifiedBenchmarks(&lines);
  return 0;
}
