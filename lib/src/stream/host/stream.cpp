// A stream on the thread pool: every thread claims a chunk, reads it into a buffer of its own, reduces it while it is
// in the cache, and hands over what it shares with its neighbours.
#include "stream/host/stream.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/engine.hpp"
#include "host/float_environment.hpp"
#include "host/threads/crew.hpp"
#include "host/threads/progress.hpp"
#include "multifold/error.hpp"
#include "stream/consumed.hpp"
#include "stream/host/column_blocks.hpp"
#include "stream/host/consumer.hpp"
#include "stream/host/reader.hpp"
#include "stream/worker_trace.hpp"

namespace multifold::inline v0_1::stream {
namespace {

constexpr std::int64_t copy_chunk_bytes = 1 << 20;

struct buffers {
  std::vector<host::aligned_bytes> blocks;
  std::int64_t bytes;  // of each, for one array; a second one follows
};

[[noreturn]] void refuse_memory(std::int64_t wanted, const std::string& found) {
  throw out_of_memory("reading in chunks takes a buffer of " + std::to_string(wanted) + " bytes a thread, " + found);
}

// As many threads as memory allows; a single one may have a smaller buffer, down to one tile of each array.
buffers allocate_buffers(int threads, int arrays, std::int64_t each, std::int64_t limit) {
  const std::int64_t least = arrays * tile_bytes;
  if (limit < least) {
    refuse_memory(least, "but at most " + std::to_string(limit) + " are allowed: allow more");
  }
  buffers b{{}, std::min(each, limit / least * tile_bytes)};
  const std::int64_t bytes = arrays * b.bytes, most = std::min<std::int64_t>(threads, limit / bytes);
  while (static_cast<std::int64_t>(b.blocks.size()) < most) {
    host::aligned_bytes block = host::try_allocate(bytes);
    if (!block) break;
    b.blocks.push_back(std::move(block));
  }
  if (b.blocks.empty()) refuse_memory(bytes, "and there is no memory for even one: allow less than that");
  return b;
}

// What is read from front to back has the partial results of a whole slice open at once.
constexpr std::int64_t beyond_memory = INT64_C(32) << 20;

void limit_partials(const std::vector<std::unique_ptr<host_consumer>>& consumers, const source& input,
                    std::int64_t limit) {
  const auto operations = static_cast<std::int64_t>(consumers.size());
  for (const auto& consumer : consumers) {
    const host::fold& f = consumer->fold();
    const std::int64_t results = consumer->array().results, each = f.acc_bytes();
    const std::int64_t room = (limit + beyond_memory) / operations;
    if (results > room / each) {
      throw out_of_memory(input.name() + ": read from front to back, it has " + std::to_string(results) +
                          " partial results of " + std::to_string(each) + " bytes open at once, and at most " +
                          std::to_string(room) + " bytes are allowed for them: allow more, or read it from a file");
    }
    if (f.arena) f.arena->limit_to(room - results * each);
  }
}

// From an element to its partner.
std::ptrdiff_t distance_between(const operands& arrays) {
  if (arrays.y == nullptr) return 0;
  return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(arrays.y) -
                                     reinterpret_cast<std::uintptr_t>(arrays.x));
}

bool all_copy(const std::vector<std::unique_ptr<host_consumer>>& consumers) {
  return std::all_of(consumers.begin(), consumers.end(), [](const auto& each) { return each->copies(); });
}

class pipeline final : public host_part {
 public:
  pipeline(std::span<const host::job> jobs, const inputs& input, const host_options& options, shared_array* shared)
      : input_(input),
        options_(options),
        endless_(has_unknown_length(input.x.layout())),
        consumers_(consumers_of(jobs, shared)),
        item_(consumers_.front()->fold().item),
        elements_(endless_ ? -1 : jobs.front().p->form.elements()),
        bytes_each_(item_ * input.count()),
        copies_(all_copy(consumers_)) {
    const std::int64_t limit = options.memory_bytes > 0 ? options.memory_bytes : default_memory_bytes;
    chunk_ =
        copies_ ? copy_chunk_bytes : std::min(turnstile_chunk_bytes, limit / input.count() / tile_bytes * tile_bytes);
    threads_ = options.threads > 0 ? options.threads : host::usable_threads();
    if (elements_ >= 0)
      threads_ = static_cast<int>(std::min<std::int64_t>(threads_, elements_ * item_ / copy_chunk_bytes + 1));
    std::ptrdiff_t other = 0;
    if (input.memory.x != nullptr) {
      other = distance_between(input.memory);
    } else {
      buffers_ = allocate_buffers(threads_, input.count(), std::max(chunk_, tile_bytes), limit);
      threads_ = static_cast<int>(buffers_.blocks.size());
      other = input.count() > 1 ? buffers_.bytes : 0;
    }
    unit_claims units;
    if (shared != nullptr) units = {&shared->units, shared_by::host, unit_elements(item_)};
    reader_.emplace(input, elements_, chunk_ / item_, other, options.stop, units);
    if (shared == nullptr) limit_partials(consumers_, input.x, limit);
    for (const auto& each : consumers_) each->begin(other);
  }

  std::int64_t run() {
    host::run_crew(threads_, [this](int worker) {
      try {
        work(worker, [] { return false; });
      } catch (...) {
        abandon();
        throw;
      }
    });
    const std::int64_t count = reader_->elements();
    check_consumed(consumed_, count, input_.x);
    for (const auto& each : consumers_) each->finish(endless_ ? count : each->array().nest.length, threads_);
    if (options_.progress) options_.progress(count * item_);
    return count;
  }

  int threads() const override { return threads_; }
  std::int64_t consumed() const override { return consumed_; }

  void work(int worker, const std::function<bool()>& leave) override {
    std::vector<host_chunk> states;
    states.reserve(consumers_.size());
    for (const auto& each : consumers_) states.push_back(each->make_chunk());
    const worker_trace tracer(options_.trace, worker);
    std::byte* const buffer =
        buffers_.blocks.empty() ? nullptr : buffers_.blocks[static_cast<std::size_t>(worker)].get();
    while (!leave()) {
      std::optional<chunk> c = reader_->claim();
      if (!c) break;
      reduce(*c, buffer, states, tracer);
    }
    for (std::size_t i = 0; i < states.size(); ++i) consumers_[i]->leave(states[i]);
  }

  void abandon() override {
    reader_->stop();
    for (const auto& each : consumers_) each->abandon();
  }

  void merge_whole(const std::byte* accumulators) override { consumers_.front()->merge_whole(accumulators, threads_); }
  void finish(std::int64_t length) override { consumers_.front()->finish(length, threads_); }

 private:
  // Elements of a chunk, and where they are now.
  struct elements_at {
    std::int64_t count;
    const std::byte* data;
  };

  std::vector<std::unique_ptr<host_consumer>> consumers_of(std::span<const host::job> jobs,
                                                           const shared_array* shared) const {
    std::vector<std::unique_ptr<host_consumer>> all;
    for (const host::job& j : jobs) {
      slices array = endless_ ? endless_slice() : shared != nullptr ? shared->array : slices_of(j.p->form);
      const slice_end end = endless_                            ? slice_end::none
                            : shared != nullptr && shared->open ? slice_end::whole
                                                                : slice_end::known;
      all.push_back(std::make_unique<host_consumer>(*j.p, j.results, std::move(array), end));
    }
    return all;
  }

  // Arrays in memory are reduced where they are. What is passed on as a whole is read as a whole.
  elements_at next_elements(chunk& c, std::int64_t done, std::byte* buffer, const worker_trace& tracer) {
    if (const std::byte* const there = reader_->in_memory(c)) return {c.count, there};
    const auto start = tracer.now();
    const std::int64_t room = copies_ ? buffers_.bytes / item_ : c.count;
    const std::int64_t got = reader_->read(c, done, buffer, room);
    tracer.tell(trace_kind::read, c.number, got * bytes_each_, start);
    return {got, buffer};
  }

  // A buffer that holds less than a chunk is filled several times.
  void reduce(chunk& c, std::byte* buffer, std::vector<host_chunk>& states, const worker_trace& tracer) {
    for (std::int64_t done = 0; done < c.count;) {
      const elements_at next = next_elements(c, done, buffer, tracer);
      if (reader_->stopped()) return;
      const auto start = tracer.now();
      const host::interval range{c.first + done, c.first + done + next.count};
      for (std::size_t i = 0; i < states.size(); ++i) consumers_[i]->add(states[i], c.number, range, next.data);
      tracer.tell(trace_kind::reduce, c.number, next.count * bytes_each_, start);
      done += next.count;
      report(next.count);
    }
    for (std::size_t i = 0; i < states.size(); ++i) consumers_[i]->submit(states[i], c.number);
  }

  void report(std::int64_t elements) { progress_.tell((consumed_.fetch_add(elements) + elements) * item_); }

  const inputs& input_;
  const host_options& options_;
  const bool endless_;
  const std::vector<std::unique_ptr<host_consumer>> consumers_;
  const std::int64_t item_;
  const std::int64_t elements_;
  const std::int64_t bytes_each_;  // of an element, or of a pair
  const bool copies_;              // every consumer does
  std::int64_t chunk_ = 0;
  int threads_ = 0;
  buffers buffers_{};
  std::optional<host_reader> reader_;
  std::atomic<std::int64_t> consumed_{0};
  host::progress progress_{options_.progress, host::progress_step};
};

}  // namespace

std::int64_t run_host(std::span<const host::job> jobs, const inputs& input, const host_options& options) {
  const host::default_float_environment environment;  // for what this thread finishes behind the pool
  const plan& first = *jobs.front().p;
  if (!has_unknown_length(input.x.layout()) && first.form.elements() == 0) {
    for (const host::job& j : jobs) host::run(*j.p, nullptr, j.results);
    return 0;
  }
  if (jobs.size() == 1 && worth_column_blocks(first, input, options)) {
    return run_column_blocks(first, input, jobs.front().results, options);
  }
  return pipeline(jobs, input, options, nullptr).run();
}

std::int64_t run_host(const plan& p, const inputs& input, void* results, const host_options& options) {
  const host::job only{&p, results};
  return run_host({&only, 1}, input, options);
}

std::unique_ptr<host_part> share_host(const plan& p, const inputs& input, void* results, const host_options& options,
                                      shared_array& shared) {
  const host::job only{&p, results};
  return std::make_unique<pipeline>(std::span(&only, 1), input, options, &shared);
}

}  // namespace multifold::inline v0_1::stream
