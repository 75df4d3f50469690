// When a CUDA Graph pays: the same reductions launched one by one, captured, built, set to other arrays, and in
// batches, beside CUB plain and captured. A Google Benchmark a case.
//
// Counters: wall_us, from the first call until the results are there; host_us, CPU time of the calling thread until its
// last call has returned; both medians, a reduction; of_empty, its wall time over that of an empty kernel's graph.
// Others are named by the case.
#include <benchmark/benchmark.h>
#include <cuda_runtime_api.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "device/case.hpp"
#include "device/cost.hpp"
#include "device/peers/peers.hpp"
#include "graphs/problem.hpp"
#include "multifold/cuda/buffer.hpp"
#include "multifold/cuda/reduce_async.hpp"
#include "multifold/cuda/stream.hpp"
#include "multifold/cuda/traits.hpp"
#include "multifold/graphs/batch_graph.hpp"
#include "multifold/graphs/capture.hpp"
#include "multifold/graphs/graph.hpp"
#include "multifold/graphs/pass_graph.hpp"
#include "multifold/graphs/stream_graph.hpp"
#include "multifold/reduce.hpp"
#include "multifold/several.hpp"

namespace {

namespace mf = multifold;
using mf::cuda::check;
using mf::cuda::device_buffer;
using mf::graphs::pass_graph;

using bench::add;
using bench::cost;
using bench::cost_of;
using bench::median;
using bench::problem;
using bench::report;
using bench::rounds;
using bench::seconds_of;
using bench::sum_plan;

// A graph without kernels never reaches the device, so the least that a graph can cost is a kernel that does nothing.
mf::graphs::executable empty_graph(cudaStream_t stream) {
  mf::graphs::capture_scope scope(stream);
  check(bench::launch_nothing(stream));
  return mf::graphs::executable(scope.end());
}

// The time of a graph, and of_empty: over that of the empty one, in turns.
void report_graph(benchmark::State& state, cudaStream_t stream, const std::function<void()>& launch) {
  const auto nothing = empty_graph(stream);
  const bench::cost_beside c = bench::cost_of_beside(stream, launch, [&] { nothing.launch(stream); });
  report(state, c.mine);
  state.counters["of_empty"] = c.ratio;
}

void add_round_trips(const std::string& label, std::int64_t elements) {
  const std::string group = "round_trip/" + label + "/";
  add(group + "plain", [=](benchmark::State& state) {
    problem q(elements);
    report(state, cost_of(q.stream.get(), [&] { q.plain(); }));
  });
  add(group + "captured", [=](benchmark::State& state) {
    problem q(elements);
    const pass_graph g(q.p, q.input(0), q.result(0), mf::graphs::build::capture);
    report_graph(state, q.stream.get(), [&] { g.launch(q.stream.get()); });
  });
  add(group + "built", [=](benchmark::State& state) {
    problem q(elements);
    const pass_graph g(q.p, q.input(0), q.result(0));
    report_graph(state, q.stream.get(), [&] { g.launch(q.stream.get()); });
  });
  add(group + "rebound", [=](benchmark::State& state) {
    problem q(elements, 2);
    pass_graph g(q.p, q.input(0), q.result(0));
    int turn = 0;
    report_graph(state, q.stream.get(), [&] {
      turn = 1 - turn;
      g.rebind(q.input(turn), q.result(turn));
      g.launch(q.stream.get());
    });
  });
  add(group + "counted", [=](benchmark::State& state) {
    problem q(elements);
    const device_buffer count(256);
    check(cudaMemcpyAsync(count.data(), &elements, sizeof elements, cudaMemcpyHostToDevice, q.stream.get()));
    const auto* const said = reinterpret_cast<const std::int64_t*>(count.data());
    const auto g = q.captured([&] {
      mf::cuda::reduce_counted_async(q.p, q.input(0), said, q.result(0), q.workspace.bytes(), q.stream.get());
    });
    report_graph(state, q.stream.get(), [&] { g.launch(q.stream.get()); });
  });
  add(group + "fast", [=](benchmark::State& state) {
    problem q(elements);
    const mf::plan fast = sum_plan(elements, {}, mf::accuracy::fast);
    const pass_graph g(fast, q.input(0), q.result(0));
    report_graph(state, q.stream.get(), [&] { g.launch(q.stream.get()); });
  });
  add(group + "cub", [=](benchmark::State& state) {
    problem q(elements);
    report(state, cost_of(q.stream.get(), [&] { q.cub(); }));
  });
  add(group + "cub_captured", [=](benchmark::State& state) {
    problem q(elements);
    const auto g = q.captured([&] { q.cub(); });
    report_graph(state, q.stream.get(), [&] { g.launch(q.stream.get()); });
  });
  add(group + "cub_in_hand", [=](benchmark::State& state) {
    problem q(elements);
    const mf::cuda::pinned_buffer result(256);
    q.cub_job.out = result.data();
    report(state, cost_of(q.stream.get(), [&] { check(bench::cub_sum<float, float>(q.cub_job)); }));
  });
  // From arrays that take turns, and from one.
  add(group + "in_hand_in_turns", [=](benchmark::State& state) {
    problem q(elements, 2);
    int turn = 0;
    report(state, cost_of(q.stream.get(), [&] {
             turn = 1 - turn;
             const auto view = mf::make_view(q.input(turn), mf::dtype::f32, {elements}, mf::place::device);
             benchmark::DoNotOptimize(mf::reduce(mf::op_kind::sum, view));
           }));
  });
  add(group + "api", [=](benchmark::State& state) {
    problem q(elements);
    const auto view = mf::make_view(q.data.data(), mf::dtype::f32, {elements}, mf::place::device);
    report(state, cost_of(q.stream.get(), [&] { benchmark::DoNotOptimize(mf::reduce(mf::op_kind::sum, view)); }));
  });
}

// Of one read, beside a sum by itself.
void add_several() {
  constexpr std::int64_t elements = 1 << 28;
  const auto add_of = [](const std::string& name, std::vector<mf::op_kind> ops) {
    add("several/1GiB/" + name, [=](benchmark::State& state) {
      problem q(elements);
      const auto view = mf::make_view(q.data.data(), mf::dtype::f32, {elements}, mf::place::device);
      report(state, cost_of(
                        q.stream.get(), [&] { benchmark::DoNotOptimize(mf::reduce(ops, view)); }, 41));
    });
  };
  using mf::op_kind;
  add_of("sum", {op_kind::sum});
  add_of("norm2", {op_kind::norm2});
  add_of("sum_max_norm2", {op_kind::sum, op_kind::max, op_kind::norm2});
  add_of("any_all_count", {op_kind::any, op_kind::all, op_kind::count_nonzero});
}

void add_empty() {
  add("round_trip/empty_kernel", [](benchmark::State& state) {
    const mf::cuda::stream stream;
    const auto nothing = empty_graph(stream.get());
    report(state, cost_of(stream.get(), [&] { nothing.launch(stream.get()); }));
  });
  add("round_trip/one_memset", [](benchmark::State& state) {
    const mf::cuda::stream stream;
    const device_buffer four(256);
    mf::graphs::capture_scope scope(stream.get());
    check(cudaMemsetAsync(four.data(), 0, 4, stream.get()));
    const mf::graphs::executable exec(scope.end());
    report_graph(state, stream.get(), [&] { exec.launch(stream.get()); });
  });
}

// Calls that enqueue nothing: their time is the host's.
template <class Call>
double median_call_us(const Call& call) {
  std::vector<double> us;
  for (int i = 0; i < 2001; ++i) {
    const double start = seconds_of(CLOCK_MONOTONIC);
    call(i);
    us.push_back(1e6 * (seconds_of(CLOCK_MONOTONIC) - start));
  }
  return median(us);
}

void add_updates() {
  add("update/two_passes", [](benchmark::State& state) {
    problem q(1 << 20, 2);
    mf::plan_options forced;
    forced.passes = 2;
    const mf::plan p = sum_plan(q.length, forced, mf::accuracy::fast);
    pass_graph g(p, q.input(0), q.result(0));
    g.launch(q.stream.get());  // graphs that have run are set to other arrays
    q.stream.synchronise();
    state.counters["rebind_us"] = median_call_us([&](int i) { g.rebind(q.input(i % 2), q.result(i % 2)); });
    state.counters["rebind_input_us"] = median_call_us([&](int i) { g.rebind(q.input(i % 2), q.result(0)); });
    state.counters["resize_us"] = median_call_us([&](int i) { g.resize(q.length - i % 2); });
    state.counters["nodes"] = static_cast<double>(g.driver_topology().nodes.size());
  });
  add("make/two_passes", [](benchmark::State& state) {
    problem q(1 << 20);
    mf::plan_options forced;
    forced.passes = 2;
    const mf::plan p = sum_plan(q.length, forced, mf::accuracy::fast);
    std::vector<double> make, first, next;
    for (int i = 0; i < 101; ++i) {
      double start = seconds_of(CLOCK_MONOTONIC);
      const auto lap = [&](std::vector<double>& to) {
        const double now = seconds_of(CLOCK_MONOTONIC);
        to.push_back(1e6 * (now - start));
        start = seconds_of(CLOCK_MONOTONIC);
      };
      const pass_graph g(p, q.input(0), q.result(0), q.workspace.bytes());
      lap(make);
      g.launch(q.stream.get());
      q.stream.synchronise();
      lap(first);
      g.launch(q.stream.get());
      q.stream.synchronise();
      lap(next);
    }
    state.counters["make_us"] = median(make);
    state.counters["first_launch_us"] = median(first);
    state.counters["next_launch_us"] = median(next);
  });
}

void add_chains(int count, std::int64_t elements, const std::string& label) {
  const std::string group = "chain/" + std::to_string(count) + "x" + label + "/";
  const int repeats = count >= 1000 ? 41 : rounds;
  const std::int64_t copies = std::min<std::int64_t>(count, 64);
  const auto each = [=](const std::function<void(std::int64_t)>& call) {
    return [=] {
      for (std::int64_t i = 0; i < count; ++i) call(i % copies);
    };
  };
  add(group + "plain", [=](benchmark::State& state) {
    problem q(elements, copies);
    report(state, cost_of(q.stream.get(), each([&](std::int64_t i) { q.plain(i); }), repeats), count);
  });
  add(group + "captured", [=](benchmark::State& state) {
    problem q(elements, copies);
    const auto g = q.captured(each([&](std::int64_t i) { q.plain(i); }));
    report(state,
           cost_of(
               q.stream.get(), [&] { g.launch(q.stream.get()); }, repeats),
           count);
  });
  for (const int branches : {1, 4, 16, 64}) {
    if (branches > count) continue;
    add(group + "batch_" + std::to_string(branches), [=](benchmark::State& state) {
      problem q(elements, copies);
      std::vector<mf::graphs::batch_item> items;
      for (std::int64_t i = 0; i < count; ++i) items.push_back({q.p, q.input(i % copies), q.result(i % copies)});
      const mf::graphs::batch_graph g(items, branches);
      report(state,
             cost_of(
                 q.stream.get(), [&] { g.launch(q.stream.get()); }, repeats),
             count);
    });
  }
  add(group + "cub", [=](benchmark::State& state) {
    problem q(elements, copies);
    report(state, cost_of(q.stream.get(), each([&](std::int64_t i) { q.cub(i); }), repeats), count);
  });
  add(group + "cub_captured", [=](benchmark::State& state) {
    problem q(elements, copies);
    const auto g = q.captured(each([&](std::int64_t i) { q.cub(i); }));
    report(state,
           cost_of(
               q.stream.get(), [&] { g.launch(q.stream.get()); }, repeats),
           count);
  });
}

// The link's limit is that of chunks of the same size, copied back to back.
void add_comb(const std::string& label, std::int64_t chunk_mib, mf::graphs::stream_graph_options options = {}) {
  options.chunk_bytes = chunk_mib << 20;
  add("comb/" + std::to_string(chunk_mib) + "MiB" + label, [=](benchmark::State& state) {
    constexpr std::int64_t bytes = INT64_C(8) << 30;
    const std::int64_t chunk = chunk_mib << 20;
    const mf::cuda::pinned_buffer array(bytes);
    auto* const x = reinterpret_cast<float*>(array.data());
    for (std::int64_t i = 0; i < bytes / 4; ++i) x[i] = static_cast<float>(i % 1021) - 500;
    const device_buffer slots(4 * chunk);
    const mf::cuda::stream stream;
    mf::graphs::stream_graph g(mf::make_reduction(mf::op_kind::sum, mf::dtype::f32), bytes / 4, options);
    float sum = 0;
    g.run(array.data(), bytes / 4, &sum);
    std::vector<double> ratio, share, gbps;
    for (int i = 0; i < 7; ++i) {
      double start = seconds_of(CLOCK_MONOTONIC);
      for (std::int64_t at = 0; at < bytes; at += chunk) {
        check(cudaMemcpyAsync(slots.data() + at / chunk % 4 * chunk, array.data() + at, static_cast<std::size_t>(chunk),
                              cudaMemcpyHostToDevice, stream.get()));
      }
      stream.synchronise();
      const double limit = seconds_of(CLOCK_MONOTONIC) - start;
      const double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
      start = seconds_of(CLOCK_MONOTONIC);
      g.run(array.data(), bytes / 4, &sum);
      const double mine = seconds_of(CLOCK_MONOTONIC) - start;
      ratio.push_back(limit / mine);
      share.push_back((seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu) / mine);
      gbps.push_back(static_cast<double>(bytes) / mine / 1e9);
    }
    state.counters["of_limit"] = median(ratio);
    state.counters["cpu_share"] = median(share);
    state.counters["GB/s"] = median(gbps);
  });
}

}  // namespace

int main(int argc, char** argv) {
  std::string reason;
  if (mf::cuda::devices(reason).empty()) {
    std::fprintf(stderr, "no GPU: %s\n", reason.c_str());
    return 4;
  }
  add_empty();
  add_several();
  add_round_trips("1KiB", 1 << 8);
  add_round_trips("4KiB", 1 << 10);
  add_round_trips("16KiB", 1 << 12);
  add_round_trips("64KiB", 1 << 14);
  add_round_trips("256KiB", 1 << 16);
  add_round_trips("1MiB", 1 << 18);
  add_round_trips("4MiB", 1 << 20);
  add_round_trips("64MiB", 1 << 24);
  add_updates();
  for (const int count : {1, 10, 100, 1000}) add_chains(count, 1 << 14, "64KiB");
  add_chains(64, 1 << 18, "1MiB");
  for (const std::int64_t chunk : {4, 16, 64}) add_comb("", chunk);
  add_comb("/a_reduction_each", 16, {.copies = 1, .slots = 4});
  add_comb("/set_to_other_places", 16, {.chunks = 64});
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
