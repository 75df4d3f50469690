// Makes the numbers, stands on every rung, and compares with the exact result.
#include "cpu_climb.hpp"

#include <fmt/format.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <thread>

#include "cpu/00_one_accumulator.hpp"
#include "cpu/02_pairwise.hpp"
#include "cpu/03_kahan.hpp"
#include "cpu/04_neumaier.hpp"
#include "cpu/06_threads.hpp"
#include "cpu/07_exact.hpp"
#include "cpu/plain_read.hpp"
#include "cpu/simd_levels.hpp"
#include "judge.hpp"
#include "numbers.hpp"

namespace multifold::ladder {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

int usable_threads() {
  for (const engine_info& engine : engines()) {
    if (engine.name == "host") return engine.traits.units;
  }
  return 1;
}

// Runs `work` once to warm up, and as often as asked; at least thrice, and no longer than some seconds.
template <class Work>
timing timed(int repeats, const Work& work) {
  constexpr double patience = 4;
  work();
  std::vector<double> seconds;
  const double begin = now();
  for (int i = 0; i < repeats && (i < 3 || now() - begin < patience); ++i) {
    const double start = now();
    work();
    seconds.push_back(now() - start);
  }
  return timing_of(seconds);
}

template <class T>
class arrays {
 public:
  explicit arrays(const problem& what, int threads) : count_(what.count) {
    for (int a = 0; a < what.arrays(); ++a) {
      memory_[a] = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(what.count));
      T* const to = memory_[a].get();
      cpu::threads<cpu::sum<std::int32_t>>({nullptr, nullptr, 0, what.count}, threads, [&](const auto& part) {
        for (std::int64_t i = part.first; i < part.end; ++i) to[i] = number_at<T>(i, a);
        return std::int64_t{0};
      });
    }
  }

  cpu::elements<T> all() const {
    return {memory_[0].get(), memory_[1] ? memory_[1].get() : memory_[0].get(), 0, count_};
  }

 private:
  std::int64_t count_;
  std::unique_ptr<T[]> memory_[2];
};

// A rung as a table has it. `error`: what its result may be off by at most, for a sum of magnitudes of 1.
template <class Op>
struct rung {
  int number;
  const char *name, *file, *gain, *defect;
  std::function<typename Op::acc()> reduce;
  double error = 0;
};

template <class Op>
typename Op::acc by_simd(const cpu::elements<typename Op::value_type>& in) {
  return cpu::has_avx2() ? cpu::simd<Op, cpu::avx2_processor>(in) : cpu::simd<Op, cpu::any_processor>(in);
}

template <class Op>
std::vector<rung<Op>> rungs(const cpu::elements<typename Op::value_type>& in, int threads) {
  const double n = static_cast<double>(in.end), u = unit_roundoff(dtype_of<typename Op::value_type>);
  // A chain of k additions, behind the rounding of a product, if there is one (C.-P. Jeannerod and S. M. Rump, Improved
  // error bounds for inner products in floating-point arithmetic, SIAM J. Matrix Anal. Appl. 34, 2013).
  const auto chain = [=](double k) { return (k + 2) * u; };
  std::vector<rung<Op>> all{
      {0, "one accumulator", "cpu/00_one_accumulator.hpp", "the loop that everybody writes",
       "every addition waits for the one before", [=] { return cpu::one_accumulator<Op>(in); }, chain(n)},
      {1, "several accumulators", "cpu/01_several_accumulators.hpp", "eight chains of additions at once",
       "the error grows with the length", [=] { return cpu::several_accumulators<Op>(in); }, chain(n / 8 + 3)},
      {2, "pairwise", "cpu/02_pairwise.hpp", "the error grows with the logarithm of the length",
       "what roundings cut off is lost", [=] { return cpu::pairwise<Op>(in); }, chain(131 + std::log2(n + 1))}};
  if constexpr (Op::rounds) {
    all.push_back({3, "Kahan", "cpu/03_kahan.hpp", "the next element makes good for the last rounding",
                   "one chain of four additions; large elements", [=] { return cpu::kahan<Op>(in); },
                   4 * u + 4 * n * u * u + u});
    all.push_back({4, "Neumaier", "cpu/04_neumaier.hpp", "roundings are added up by themselves",
                   "the corrections round, too; one number at a time", [=] { return cpu::neumaier<Op>(in); },
                   3 * u + 4 * n * n * u * u + u});
  }
  all.push_back({5, "SIMD", "cpu/05_simd.hpp", "registers of many numbers", "one core cannot ask for enough memory",
                 [=] { return by_simd<Op>(in); }, chain(n / 32 + 20)});
  all.push_back({6, "threads", "cpu/06_threads.hpp", "all cores ask for memory",
                 "other bits for another number of threads",
                 [=] { return cpu::threads<Op>(in, threads, [](const auto& part) { return by_simd<Op>(part); }); },
                 chain(n / 32 + 20 + threads)});
  return all;
}

template <class Acc>
step judged(step s, Acc found, const truth& t, double error, dtype type) {
  s.value = fmt::format("{}", found);
  if constexpr (std::is_integral_v<Acc>) {
    s.right = static_cast<std::int64_t>(found) == t.integer;
    s.ulps = s.right ? 0 : INFINITY;
  } else {
    s.ulps = ulps_between(static_cast<double>(found), t.value, type);
    // The exact result is rounded, too.
    s.right = std::fabs(static_cast<double>(found) - t.value) <=
              error * t.magnitudes + unit_roundoff(dtype::f64) * std::fabs(t.value);
  }
  return s;
}

template <class T>
truth truth_of(const problem& what, const cpu::elements<T>& in, int threads) {
  const reduce_result exact = cpu::exact(what.op, in, threads);
  truth t;
  if constexpr (std::is_integral_v<T>) {
    t.integer = what.op == op_kind::max ? exact.template value<T>() : exact.template value<std::int64_t>();
    t.value = static_cast<double>(t.integer);
  } else {
    reduce_options options;
    options.engine = engine_choice::host;
    options.result = dtype::f64;
    const array_view x = make_view(in.x, dtype_of<T>, {in.end}), y = make_view(in.y, dtype_of<T>, {in.end});
    t.value = (what.op == op_kind::dot ? reduce(what.op, x, y, options) : reduce(what.op, x, options))
                  .template value<double>();
    // Of a dot product no more than the product of the norms (Cauchy and Schwarz).
    const auto norm = [&](op_kind op, const array_view& v) { return reduce(op, v, options).template value<double>(); };
    t.magnitudes =
        what.op == op_kind::dot ? norm(op_kind::norm2, x) * norm(op_kind::norm2, y) : norm(op_kind::norm1, x);
  }
  return t;
}

template <class Op>
climb climbed(const problem& what, const cpu_wish& how, int threads) {
  using T = typename Op::value_type;
  const arrays<T> made(what, threads);
  const cpu::elements<T> in = made.all();
  const truth t = truth_of(what, in, threads);
  climb all;
  all.title = "The CPU's ladder";
  all.machine = fmt::format("{} thread{}{}", threads, threads == 1 ? "" : "s", cpu::has_avx2() ? ", AVX2" : "");
  all.what = what;
  all.roof_name = "a plain read";
  const timing read = timed(how.repeats, [&] { cpu::plain_read(in.x, what.count * item_bytes(what.type), threads); });
  all.roof = static_cast<double>(what.count * item_bytes(what.type)) / read.median;
  for (const rung<Op>& each : rungs<Op>(in, threads)) {
    step s;
    s.number = each.number;
    s.name = each.name, s.file = each.file, s.gain = each.gain, s.defect = each.defect;
    s.count = what.count, s.bytes = what.bytes();
    typename Op::acc found{};
    s.took = timed(how.repeats, [&] { found = each.reduce(); });
    all.steps.push_back(judged(std::move(s), found, t, each.error, what.type));
  }
  step top;
  top.number = 7;
  top.name = "exact", top.file = "cpu/07_exact.hpp";
  top.gain = "the nearest number to the true result, in any order";
  top.count = what.count, top.bytes = what.bytes();
  reduce_result exact;
  top.took = timed(how.repeats, [&] { exact = cpu::exact(what.op, in, threads); });
  if constexpr (std::is_integral_v<T>) {
    const std::int64_t value =
        what.op == op_kind::max ? exact.template value<T>() : exact.template value<std::int64_t>();
    top = judged(std::move(top), value, t, 0, what.type);
  } else {
    top = judged(std::move(top), exact.template value<T>(), t, unit_roundoff(what.type), what.type);
  }
  all.exact = top.value;
  all.steps.push_back(std::move(top));
  return all;
}

template <template <class> class Op>
climb climbed_by_type(const problem& what, const cpu_wish& how, int threads) {
  if (what.type == dtype::f64) return climbed<Op<double>>(what, how, threads);
  if (what.type == dtype::i32) return climbed<Op<std::int32_t>>(what, how, threads);
  return climbed<Op<float>>(what, how, threads);
}

// Threads take blocks as they come, and add each block's sum to one number.
float sum_by_atomics(const cpu::elements<float>& in, int threads) {
  constexpr std::int64_t block = 4096;
  std::atomic<float> total{0};
  std::atomic<std::int64_t> next{0};
  cpu::threads<cpu::sum<float>>(in, threads, [&](const auto&) {
    for (std::int64_t at = next.fetch_add(block); at < in.end; at = next.fetch_add(block)) {
      total.fetch_add(by_simd<cpu::sum<float>>(in.part(at, std::min(at + block, in.end))));
    }
    return 0.0f;
  });
  return total;
}

}  // namespace

climb climb_cpu(const problem& what, const cpu_wish& how) {
  const int threads = how.threads > 0 ? how.threads : usable_threads();
  if (what.op == op_kind::max) return climbed_by_type<cpu::max>(what, how, threads);
  if (what.op == op_kind::dot) return climbed_by_type<cpu::dot>(what, how, threads);
  return climbed_by_type<cpu::sum>(what, how, threads);
}

std::vector<order_trial> cpu_orders(std::int64_t count, int threads, int runs) {
  if (threads <= 0) threads = usable_threads();
  const problem what{dtype::f32, op_kind::sum, count};
  const arrays<float> made(what, threads);
  const cpu::elements<float> in = made.all();
  const double exact = truth_of(what, in, threads).value;
  const auto tried = [&](const char* name, const std::function<float()>& sum) {
    order_trial trial{name, runs, 0, INFINITY, 0, {}};
    std::set<std::uint32_t> patterns;
    std::vector<double> seconds;
    for (int i = 0; i < runs; ++i) {
      const double start = now();
      const float found = sum();
      seconds.push_back(now() - start);
      patterns.insert(std::bit_cast<std::uint32_t>(found));
      const double off = ulps_between(found, exact, dtype::f32);
      trial.least_ulps = std::min(trial.least_ulps, off);
      trial.greatest_ulps = std::max(trial.greatest_ulps, off);
    }
    trial.patterns = static_cast<int>(patterns.size());
    trial.took = timing_of(seconds);
    return trial;
  };
  return {tried("atomics", [&] { return sum_by_atomics(in, threads); }),
          tried("a fixed tree",
                [&] {
                  return cpu::threads<cpu::sum<float>>(in, threads,
                                                       [](const auto& part) { return by_simd<cpu::sum<float>>(part); });
                }),
          tried("exact", [&] { return cpu::exact(op_kind::sum, in, threads).value<float>(); })};
}

}  // namespace multifold::ladder
