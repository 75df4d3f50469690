// The GPU's ways, each done several times and then once with events around everything.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <thread>

#include "common/measure_text.hpp"
#include "multifold/cuda/error.hpp"
#include "multifold/cuda/traits.hpp"
#include "multifold/reduce.hpp"
#include "overlap/device.hpp"
#include "overlap/device/ways.hpp"
#include "overlap/random_numbers.hpp"

namespace multifold::overlap {
namespace {

using app::time_text;

using cuda::check;

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class device_bench {
 public:
  device_bench(const device_measurement& how, int threads)
      : how_(how),
        threads_(threads),
        pinned_(whole_chunks(how)),
        array_{pinned_.data(), pinned_.size(), how.chunk_bytes},
        machine_(fmt::format("{}, and {} thread{} of the CPU", cuda::device_traits().name, threads,
                             threads == 1 ? "" : "s")) {
    for_each_chunk([&](std::int64_t first, std::span<float> numbers) { fill_random(numbers, first); });
  }

  section copies_and_reductions() {
    section s = described();
    s.title = "From the host's memory through a GPU";
    s.about =
        "A GPU reads the host's memory over a link that is far slower than its own memory, so a large array is sent in "
        "chunks. A copy engine sends them, the GPU's cores reduce them, and the two can work at the same time if the "
        "program lets them. Bars show, by the GPU's own clock, who was busy when; grey is waiting. "
        "The sums are copied back at the very end.";
    const double link = link_seconds();
    s.limits = {{"copying alone, chunk after chunk", rate_of(link)},
                {"reducing alone, chunks that are on the GPU",
                 rate_of(static_cast<double>(array_.chunks()) * reducing_seconds(1))}};
    s.runs.push_back(measured(one_after_the_other(array_)));
    s.runs.push_back(measured(in_streams(array_, 1)));
    for (const int n : how_.streams) s.runs.push_back(measured(in_streams(array_, n)));
    s.runs.push_back(measured(in_a_graph(array_)));
    s.runs.push_back(measured(without_copies(array_)));
    s.runs.push_back(from_ordinary_memory());
    s.runs.push_back(on_the_cpu());
    s.runs.push_back(measured(by_both_engines(array_, threads_)));
    return agreeing(std::move(s));
  }

  // A sum is quick beside its copy, so little can be won by overlap. Here each chunk is reduced again and again.
  section balanced() {
    const double copying = link_seconds() / static_cast<double>(array_.chunks());
    const int times = std::max(1, static_cast<int>(std::lround(copying / reducing_seconds(1 + repeats_to_measure) *
                                                               (1 + repeats_to_measure))));
    const double reducing = reducing_seconds(times);
    const auto chunks = static_cast<double>(array_.chunks());
    section s = described();
    s.title = "When reducing takes as long as copying";
    s.about = fmt::format(
        "A sum is so quick that overlap saves little. Here the cores reduce each chunk {} times over: {} a chunk, and "
        "its copy takes {}. In the ideal case the slower of the two never waits: {} of them, and once the quicker one.",
        times, time_text(reducing), time_text(copying), array_.chunks());
    s.limits = {{"the ideal case", rate_of(chunks * std::max(copying, reducing) + std::min(copying, reducing))},
                {"copying alone", rate_of(chunks * copying)},
                {"reducing alone", rate_of(chunks * reducing)}};
    s.runs.push_back(measured(one_after_the_other(array_, times)));
    s.runs.push_back(measured(in_streams(array_, 1, times)));
    for (const int n : how_.streams) s.runs.push_back(measured(in_streams(array_, n, times)));
    add_ideal(s);
    return agreeing(std::move(s));
  }

 private:
  static constexpr int repeats_to_measure = 31;

  static std::int64_t whole_chunks(const device_measurement& how) {
    return std::max<std::int64_t>(how.bytes / how.chunk_bytes, 2) * how.chunk_bytes;
  }

  section described() const {
    section s;
    s.on_device = true;
    s.machine = machine_;
    s.input = fmt::format("sum of {:.4g} GB of f32 in pinned memory, in chunks of {:.4g} MB",
                          static_cast<double>(array_.bytes) / 1e9, static_cast<double>(array_.chunk_bytes) / 1e6);
    return s;
  }

  static void add_ideal(section& s) {
    const double ideal = static_cast<double>(s.runs.front().bytes) / s.limits.front().rate;
    for (run& each : s.runs) {
      each.about += fmt::format(" The ideal is {}, this took {}: {:.0f} % more.", time_text(ideal),
                                time_text(each.seconds), 100 * (each.seconds / ideal - 1));
    }
  }

  static section agreeing(section s) {
    for (const run& each : s.runs) {
      if (each.value != s.runs[0].value) {
        throw std::runtime_error(each.name + ": the sum is " + each.value + ", and by " + s.runs[0].name + " it is " +
                                 s.runs[0].value);
      }
    }
    return s;
  }

  double rate_of(double seconds) const { return static_cast<double>(array_.bytes) / seconds; }

  // By all threads.
  void for_each_chunk(const std::function<void(std::int64_t first, std::span<float> numbers)>& work) const {
    const std::int64_t length = array_.chunk_bytes / 4;
    const auto some = [&](int thread) {
      for (std::int64_t i = thread; i < array_.chunks(); i += threads_) {
        work(i * length, {reinterpret_cast<float*>(pinned_.data()) + i * length, static_cast<std::size_t>(length)});
      }
    };
    std::vector<std::jthread> crew;
    for (int thread = 1; thread < threads_; ++thread) crew.emplace_back(some, thread);
    some(0);
  }

  double reducing_seconds(int times) const {
    return station(sum_plan(array_.chunk_bytes / 4), times).reducing_seconds(array_[0], 8);
  }

  double link_seconds() const {
    station place(sum_plan(array_.chunk_bytes / 4));
    std::vector<double> times;
    for (int i = 0; i < how_.repeats + 1; ++i) {
      device_trace none(false);
      for (std::int64_t c = 0; c < array_.chunks(); ++c) place.copy(array_[c], place.stream(), none);
      check(cudaStreamSynchronize(place.stream()));
      if (i > 0) times.push_back(none.elapsed());
    }
    return median_of(std::move(times));
  }

  run measured(const way& w) const {
    run r;
    r.name = w.name;
    r.about = w.about;
    r.bytes = array_.bytes;
    r.drawn = w.drawn;
    std::vector<double> times;
    for (int i = 0; i < how_.repeats + 1; ++i) {
      device_trace none(false);
      const float sum = w.sum(none);
      if (i > 0) times.push_back(none.elapsed());
      r.value = fmt::format("{:08x}", std::bit_cast<std::uint32_t>(sum));
    }
    r.seconds = median_of(times);
    r.least = *std::min_element(times.begin(), times.end());
    r.greatest = *std::max_element(times.begin(), times.end());
    device_trace trace(true);
    const float sum = w.traced ? w.traced(trace) : w.sum(trace);
    r.traced_seconds = trace.elapsed();
    r.lanes = trace.lanes();
    if (r.value != fmt::format("{:08x}", std::bit_cast<std::uint32_t>(sum))) {
      throw std::runtime_error(w.name + ": another sum with events than without");
    }
    return r;
  }

  run from_ordinary_memory() const {
    std::vector<float> copy(static_cast<std::size_t>(array_.elements()));
    for_each_chunk([&](std::int64_t first, std::span<float> numbers) {
      std::copy(numbers.begin(), numbers.end(), copy.begin() + first);
    });
    const chunked_array ordinary{reinterpret_cast<const std::byte*>(copy.data()), array_.bytes, array_.chunk_bytes};
    const auto most = static_cast<int>(std::min<std::int64_t>({threads_, 8, array_.chunks()}));
    return measured(staged(ordinary, most));
  }

  run on_the_cpu() const {
    const array_view view = make_view(reinterpret_cast<const float*>(pinned_.data()), {array_.elements()});
    reduce_options options;
    options.engine = engine_choice::host;
    options.threads = threads_;
    const way cpu{fmt::format("the CPU, {} thread{}", threads_, threads_ == 1 ? "" : "s"),
                  "The array is in the host's memory, where its own cores can reduce it. With enough of them they are "
                  "faster than the link.",
                  part::whole, [&](device_trace& trace) {
                    float sum = 0;
                    trace.host(0, {0, 0, activity::reduce, -1, array_.bytes},
                               [&] { sum = multifold::reduce(op_kind::sum, view, options).value<float>(); });
                    return sum;
                  }};
    run r = measured(cpu);
    r.lanes.clear();  // those are the GPU's
    return r;
  }

  const device_measurement& how_;
  const int threads_;
  cuda::pinned_buffer pinned_;
  const chunked_array array_;
  const std::string machine_;
};

int threads_of(const device_measurement& how) {
  if (how.threads > 0) return how.threads;
  for (const engine_info& engine : engines()) {
    if (engine.name == "host") return engine.traits.units;
  }
  return 1;
}

}  // namespace

std::vector<section> device_sections(const device_measurement& how) {
  std::string reason;
  if (!cuda::has_kernels(reason)) return {};
  device_bench bench(how, threads_of(how));
  return {bench.copies_and_reductions(), bench.balanced()};
}

}  // namespace multifold::overlap
