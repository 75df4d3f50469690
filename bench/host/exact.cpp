// Exact sums cost what the exponents of their elements make them cost, so there is a row for each kind of data. `ratio`
// is the share of a plain read's speed, `ratio_to_fast` that of a rounded sum: every iteration times all three.
#include "host/exact.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <random>
#include <string>

#include "host/engine.hpp"
#include "multifold/exact.hpp"
#include "multifold/summary.hpp"
#include "multifold/types/float16.hpp"
#include "plain_read.hpp"

namespace bench {
namespace {

using namespace multifold;

struct data_set {
  const char* name;
  double (*value)(std::mt19937_64& random);  // null: any finite bits
};

template <int Sigma>
double lognormal(std::mt19937_64& random) {
  return std::exp(Sigma * std::normal_distribution<double>()(random));
}

constexpr data_set data_sets[] = {
    {"normal", [](std::mt19937_64& random) { return std::normal_distribution<double>()(random); }},
    {"uniform", [](std::mt19937_64& random) { return std::uniform_real_distribution<double>()(random); }},
    {"lognormal_1", lognormal<1>},
    {"lognormal_3", lognormal<3>},
    {"lognormal_10", lognormal<10>},
    {"lognormal_50", lognormal<50>},
    {"any_finite", nullptr},
};

template <floating_storage T>
T element(const data_set& set, std::mt19937_64& random) {
  while (true) {
    T x;
    if (set.value == nullptr) {
      x = std::bit_cast<T>(static_cast<typename multifold::detail::float_layout<T>::bits_type>(random()));
    } else if constexpr (std::is_same_v<T, f16>) {
      x = to_f16(set.value(random));
    } else if constexpr (std::is_same_v<T, bf16>) {
      x = to_bf16(set.value(random));
    } else {
      x = static_cast<T>(set.value(random));
    }
    if (std::isfinite(to_double(x))) return x;
  }
}

// 2^19 elements, again and again: their exponents are what counts.
host::aligned_bytes filled(dtype type, const data_set& set, std::int64_t bytes) {
  host::aligned_bytes memory = host::try_allocate(bytes);
  const std::int64_t seed = std::min<std::int64_t>(bytes, item_bytes(type) << 19);
  std::mt19937_64 random(1);
  visit_dtype(type, [&]<class T>() {
    if constexpr (floating_storage<T>) {
      auto* const x = reinterpret_cast<T*>(memory.get());
      for (std::int64_t i = 0; i < seed / static_cast<std::int64_t>(sizeof(T)); ++i) x[i] = element<T>(set, random);
    }
  });
  shared_blocks(host::usable_threads(), bytes - seed, [&](int, std::int64_t at, std::int64_t count) {
    for (std::int64_t done = 0; done < count;) {
      const std::int64_t from = (at + done) % seed, some = std::min(count - done, seed - from);
      std::memcpy(memory.get() + seed + at + done, memory.get() + from, static_cast<std::size_t>(some));
      done += some;
    }
  });
  return memory;
}

struct sum_case {
  std::string label;
  dtype type;
  const data_set* set;
  std::vector<std::int64_t> inner;  // extents after the first, which takes what is left
  std::int64_t axis;
};

double seconds_of(const sum_case& c, const array_view& view, accuracy numerics, int threads, void* results) {
  reduction what = make_reduction(op_kind::sum, c.type, nan_policy::propagate, numerics);
  what.result = dtype::f64;
  const plan p = make_plan(what, normalise(view, {c.axis}, order_of(what.op)), {}, host::traits(threads));
  host::run_options options;
  options.threads = threads;
  const auto start = std::chrono::steady_clock::now();
  host::run(p, view.data, results, options);
  return seconds_since(start);
}

void exact_sum_of(benchmark::State& state, const sum_case& c, int threads) {
  std::vector<std::int64_t> extents = {host_bytes() / item_bytes(c.type)};
  for (std::int64_t extent : c.inner) extents[0] /= extent;
  extents.insert(extents.end(), c.inner.begin(), c.inner.end());
  array_view view = make_view(nullptr, c.type, extents);
  const std::int64_t bytes = view.elements() * item_bytes(c.type);
  const host::aligned_bytes memory = filled(c.type, *c.set, bytes);
  view.data = memory.get();
  std::vector<double> results(static_cast<std::size_t>(view.elements() / extents[static_cast<std::size_t>(c.axis)]));
  std::vector<double> plain, fast, exact;
  for (auto _ : state) {
    plain.push_back(plain_read(memory.get(), bytes, threads));
    fast.push_back(seconds_of(c, view, accuracy::fast, threads, results.data()));
    exact.push_back(seconds_of(c, view, accuracy::exact, threads, results.data()));
    state.SetIterationTime(exact.back());
  }
  report_beside(state, bytes, plain, exact);
  state.counters["fast_GB/s"] = static_cast<double>(bytes) / median(fast) / 1e9;
  state.counters["ratio_to_fast"] = median_ratio(fast, exact);
  state.counters["ns/element"] = 1e9 * median(exact) / static_cast<double>(view.elements());
}

// Norms and the like have no rounded form: `ratio` alone. Those of two arrays read the halves of the bytes.
struct moment_case {
  op_kind op;
  dtype type;
  const data_set* set;
};

void moments_of(benchmark::State& state, const moment_case& c, int threads) {
  const int arrays = takes_two_arrays(c.op) ? 2 : 1;
  const std::int64_t bytes = host_bytes();
  const host::aligned_bytes memory = filled(c.type, *c.set, bytes);
  const array_view view = make_view(memory.get(), c.type, {bytes / item_bytes(c.type) / arrays});
  const reduction what = make_reduction(c.op, c.type);
  const plan p = make_plan(what, normalise(view, {0}, order_of(c.op)), {}, host::traits(threads));
  const operands data{memory.get(), arrays == 2 ? memory.get() + bytes / 2 : nullptr};
  summary result;
  host::run_options options;
  options.threads = threads;
  std::vector<double> plain, ours;
  for (auto _ : state) {
    plain.push_back(plain_read(memory.get(), bytes, threads));
    const auto start = std::chrono::steady_clock::now();
    host::run(p, data, &result, options);
    ours.push_back(seconds_since(start));
    state.SetIterationTime(ours.back());
  }
  report_beside(state, bytes, plain, ours);
  state.counters["ns/element"] = 1e9 * median(ours) / static_cast<double>(view.elements());
}

void register_moments() {
  std::vector<moment_case> cases;
  const data_set &normal = data_sets[0], &any = std::end(data_sets)[-1];
  for (op_kind op : {op_kind::norm1, op_kind::norm2, op_kind::var, op_kind::dot, op_kind::describe}) {
    cases.push_back({op, dtype::f32, &normal});
  }
  cases.push_back({op_kind::dot, dtype::f32, &any});
  cases.push_back({op_kind::dot, dtype::f64, &normal});
  for (const moment_case& c : cases) {
    for (int threads : {1, host::usable_threads()}) {
      const std::string label = std::string(name(c.op)) + "/" + std::string(name(c.type)) + "/" + c.set->name;
      benchmark::RegisterBenchmark((label + "/threads:" + std::to_string(threads)).c_str(),
                                   [c, threads](benchmark::State& state) { moments_of(state, c, threads); })
          ->UseManualTime()
          ->Iterations(5)
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace

void register_exact_sums() {
  register_moments();
  std::vector<sum_case> cases;
  for (dtype type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64}) {
    for (const data_set& set : data_sets) {
      cases.push_back({"exact_sum/" + std::string(name(type)) + "/" + set.name, type, &set, {}, 0});
    }
  }
  for (dtype type : {dtype::f32, dtype::f64}) {
    for (const data_set* set : {&data_sets[0], &std::end(data_sets)[-1]}) {
      const std::string suffix = "/" + std::string(name(type)) + "/" + set->name;
      cases.push_back({"exact_sum_rows_of_16" + suffix, type, set, {16}, 1});
      cases.push_back({"exact_sum_rows_of_1000" + suffix, type, set, {1000}, 1});
      cases.push_back({"exact_sum_columns_1000" + suffix, type, set, {1000}, 0});
    }
  }
  for (const sum_case& c : cases) {
    for (int threads : {1, host::usable_threads()}) {
      benchmark::RegisterBenchmark((c.label + "/threads:" + std::to_string(threads)).c_str(),
                                   [c, threads](benchmark::State& state) { exact_sum_of(state, c, threads); })
          ->UseManualTime()
          ->Iterations(15)
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace bench
