// The CPU's ways: everything first, chunk by chunk on one thread, and on all of them.
#include "overlap/schedules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "common/messages/failure.hpp"
#include "multifold/error.hpp"
#include "multifold/reduce.hpp"
#include "multifold/trace.hpp"

namespace multifold::overlap {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::int64_t slice_bytes = 1 << 20;

double seconds_between(clock::time_point start, clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// What the workers of one run did, as they tell it.
class recorder {
 public:
  explicit recorder(int threads) : start_(clock::now()) {
    for (int i = 0; i < threads; ++i) lanes_.push_back({fmt::format("thread {}", i), {}});
  }

  void add(const trace_event& event) {
    const std::scoped_lock lock(mutex_);
    lanes_[static_cast<std::size_t>(event.worker)].spans.push_back(
        {seconds_between(start_, event.start), seconds_between(start_, event.end),
         event.kind == trace_kind::read ? activity::read : activity::reduce, event.chunk, event.bytes});
  }

  // All threads reduced `bytes` together.
  void add_reduction(double start, double end, std::int64_t bytes) {
    const auto threads = static_cast<std::int64_t>(lanes_.size());
    for (lane& l : lanes_) l.spans.push_back({start, end, activity::reduce, -1, bytes / threads});
    lanes_[0].spans.back().bytes += bytes % threads;
  }

  double elapsed() const { return seconds_between(start_, clock::now()); }
  std::vector<lane> take() { return std::move(lanes_); }

 private:
  clock::time_point start_;
  std::mutex mutex_;
  std::vector<lane> lanes_;
};

class bench {
 public:
  bench(const std::string& path, const std::optional<raw_options>& raw, const measurement& how)
      : path_(path), raw_(raw), how_(how) {
    const auto input = open_source(path, raw);
    layout_ = input->layout();
    if (has_unknown_length(layout_) || !input->random_access()) {
      throw unsupported_error(app::label_of(path) + ": expected a file, which can be read again and again");
    }
    bytes_ = element_count(layout_.extents) * item_bytes(layout_.type);
    options_.engine = engine_choice::host;
    options_.threads = how.threads;
    options_.stop = how.stop;
  }

  section measured() {
    const int threads = threads_to_use();
    section all;
    all.runs.push_back(first_read_then_reduce(threads));
    all.runs.push_back(in_chunks(1, "one thread",
                                 "Each chunk is read, and reduced while it is in the cache; then comes "
                                 "the next. The array needs no memory but that of one chunk."));
    if (threads > 1) {
      all.runs.push_back(in_chunks(threads, fmt::format("{} threads", threads),
                                   "Each thread takes the next chunk that is left. While one waits for its bytes, "
                                   "others reduce theirs."));
    }
    all.machine = machine_;
    all.input = fmt::format("{} of {}, {:.4g} GB of {} in {}", name(how_.op), to_string(layout_.extents),
                            static_cast<double>(bytes_) / 1e9, name(layout_.type),
                            how_.label.empty() ? app::label_of(path_) : how_.label);
    all.limits = {{fmt::format("reading alone, {} thread{}", threads, threads == 1 ? "" : "s"),
                   static_cast<double>(bytes_) / reading_alone(threads)},
                  {"reducing alone, in memory", static_cast<double>(bytes_) / reducing_alone_}};
    for (const run& each : all.runs) {
      if (each.value != all.runs[0].value)
        throw std::runtime_error(each.name + ": another result than " + all.runs[0].name);
    }
    return all;
  }

 private:
  // Runs `work` several times, and keeps what the one with the median time did.
  run median(int threads, const std::function<reduce_result(recorder&)>& work) const {
    std::vector<run> runs;
    for (int i = 0; i < std::max(how_.repeats, 1); ++i) {
      recorder record(threads);
      const reduce_result result = work(record);
      run one;
      one.seconds = record.elapsed();
      one.traced_seconds = one.seconds;
      one.bytes = bytes_;
      one.lanes = record.take();
      for (const std::byte b : result.data) one.value += fmt::format("{:02x}", std::to_integer<int>(b));
      runs.push_back(std::move(one));
    }
    std::sort(runs.begin(), runs.end(), [](const run& a, const run& b) { return a.seconds < b.seconds; });
    run middle = runs[runs.size() / 2];
    middle.least = runs.front().seconds;
    middle.greatest = runs.back().seconds;
    return middle;
  }

  run first_read_then_reduce(int threads) {
    std::vector<std::byte> memory(static_cast<std::size_t>(bytes_));
    array_view view = make_view(memory.data(), layout_.type, layout_.extents);
    if (layout_.fortran_order) view.strides = fortran_strides(layout_.extents);
    std::vector<double> reducing;
    run r = median(threads, [&](recorder& record) {
      read_all(
          threads, [&](std::int64_t first) { return memory.data() + first; }, &record);
      const double start = record.elapsed();
      reduce_result result = reduce(how_.op, view, options_);
      const double end = record.elapsed();
      record.add_reduction(start, end, bytes_);
      reducing.push_back(end - start);
      machine_ = result.device;
      return result;
    });
    reducing_alone_ = median_of(std::move(reducing));
    r.name = "first read, then reduce";
    r.about = "The whole array is read into memory, by all threads. Only then is it reduced, by all of them, too.";
    r.drawn = part::whole;
    return r;
  }

  run in_chunks(int threads, std::string title, std::string about) {
    run r = median(threads, [&](recorder& record) {
      reduce_options options = options_;
      options.threads = threads;
      options.trace = [&record](const trace_event& event) { record.add(event); };
      const auto input = open_source(path_, raw_);
      return reduce(how_.op, *input, options);
    });
    r.name = std::move(title);
    r.about = std::move(about);
    return r;
  }

  int threads_to_use() const {
    for (const engine_info& engine : engines()) {
      if (how_.threads == 0 && engine.name == "host") return engine.traits.units;
    }
    return how_.threads;
  }

  double reading_alone(int threads) const {
    std::vector<double> times;
    for (int i = 0; i < std::max(how_.repeats, 1); ++i) {
      const auto start = clock::now();
      read_all(threads, {}, nullptr);
      times.push_back(seconds_between(start, clock::now()));
    }
    return median_of(std::move(times));
  }

  // By slices, each to the place that `to` says, or to a buffer of the thread's own.
  void read_all(int threads, const std::function<std::byte*(std::int64_t)>& to, recorder* record) const {
    const auto input = open_source(path_, raw_);
    const std::int64_t item = item_bytes(layout_.type);
    std::atomic<std::int64_t> next{0};
    std::exception_ptr failed;
    std::mutex failing;
    const auto work = [&](int worker) {
      std::vector<std::byte> own(to ? 0 : static_cast<std::size_t>(slice_bytes));
      try {
        for (std::int64_t slice = next++; slice * slice_bytes < bytes_; slice = next++) {
          if (how_.stop.stop_requested()) throw cancelled_error("interrupted; nothing was written");
          const std::int64_t first = slice * slice_bytes, count = std::min(slice_bytes, bytes_ - first);
          const auto start = clock::now();
          input->read(first / item, {to ? to(first) : own.data(), static_cast<std::size_t>(count)});
          if (record != nullptr) record->add({trace_kind::read, worker, slice, count, start, clock::now()});
        }
      } catch (...) {
        const std::scoped_lock lock(failing);
        failed = std::current_exception();
      }
    };
    {
      std::vector<std::jthread> crew;
      for (int worker = 1; worker < threads; ++worker) crew.emplace_back(work, worker);
      work(0);
    }
    if (failed) std::rethrow_exception(failed);
  }

  std::string path_;
  std::optional<raw_options> raw_;
  measurement how_;
  array_layout layout_;
  std::int64_t bytes_ = 0;
  reduce_options options_;
  std::string machine_;
  double reducing_alone_ = 0;
};

}  // namespace

section measure(const std::string& path, const std::optional<raw_options>& raw, const measurement& how) {
  return bench(path, raw, how).measured();
}

}  // namespace multifold::overlap
