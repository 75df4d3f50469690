// The crew of a stream: every thread claims a chunk, reads it into a buffer of its own, reduces it while it is in the
// cache, and hands over what it shares with its neighbours.
#include "stream/host_stream.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "host/crew.hpp"
#include "host/engine.hpp"
#include "host/float_environment.hpp"
#include "host/progress.hpp"
#include "multifold/error.hpp"
#include "plan/no_value.hpp"
#include "stream/consumed.hpp"
#include "stream/host_chunk.hpp"
#include "stream/host_reader.hpp"
#include "stream/host_stripes.hpp"
#include "stream/host_turnstile.hpp"
#include "stream/open_slab.hpp"
#include "stream/worker_trace.hpp"

namespace multifold::stream {
namespace {

constexpr std::int64_t chunk_bytes = 1 << 20;
// But a thread keeps as much to itself, which fits its cache, if it hands it over once.
constexpr std::int64_t most_kept_bytes = INT64_C(2) << 20;

struct buffers {
  std::vector<host::aligned_bytes> blocks;
  std::int64_t bytes;  // of each, for one array; a second one follows
};

[[noreturn]] void refuse_memory(std::int64_t wanted, const std::string& found) {
  throw out_of_memory("reading in chunks takes a buffer of " + std::to_string(wanted) + " bytes a thread, " + found);
}

// As many threads as memory allows; a single one may have a smaller buffer, down to one piece of each array.
buffers allocate_buffers(int threads, int arrays, std::int64_t each, std::int64_t limit) {
  const std::int64_t least = arrays * piece_bytes;
  if (limit < least) {
    refuse_memory(least, "but at most " + std::to_string(limit) + " are allowed: allow more");
  }
  buffers b{{}, std::min(each, limit / least * piece_bytes)};
  const std::int64_t bytes = arrays * b.bytes, most = std::min<std::int64_t>(threads, limit / bytes);
  while (static_cast<std::int64_t>(b.blocks.size()) < most) {
    host::aligned_bytes block = host::try_allocate(bytes);
    if (!block) break;
    b.blocks.push_back(std::move(block));
  }
  if (b.blocks.empty()) refuse_memory(bytes, "and there is no memory for even one: allow less than that");
  return b;
}

// What is read from front to back has the partial results of a whole slab open at once.
constexpr std::int64_t beyond_memory = INT64_C(32) << 20;

void limit_partials(const host::fold& f, const slabs& s, const source& input, std::int64_t limit) {
  const std::int64_t each = f.acc_bytes(), room = limit + beyond_memory;
  if (s.results > room / each) {
    throw out_of_memory(input.name() + ": read from front to back, it has " + std::to_string(s.results) +
                        " partial results of " + std::to_string(each) + " bytes open at once, and at most " +
                        std::to_string(room) + " bytes are allowed for them: allow more, or read it from a file");
  }
  if (f.arena) f.arena->limit_to(room - s.results * each);
}

// From an element to its partner.
std::ptrdiff_t distance_between(const operands& arrays) {
  if (arrays.y == nullptr) return 0;
  return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(arrays.y) -
                                     reinterpret_cast<std::uintptr_t>(arrays.x));
}

class pipeline final : public host_part {
 public:
  pipeline(const plan& p, const inputs& input, void* results, const host_options& options, shared_array* shared)
      : what_(p.what),
        input_(input),
        options_(options),
        fold_(host::make_fold(p.what)),
        endless_(has_unknown_length(input.x.layout())),
        open_(endless_ || (shared != nullptr && shared->open)),
        slabs_(endless_            ? endless_slab()
               : shared != nullptr ? shared->array
                                   : slabs_of(p.form)),
        sink_{p.what, static_cast<std::byte*>(results), {}},
        elements_(endless_ ? -1 : p.form.elements()),
        bytes_each_(fold_.item * input.count()),
        keeps_(open_ && !endless_),
        copies_(slabs_.results * fold_.acc_bytes() <= (keeps_ ? most_kept_bytes : most_copied_bytes)) {
    const std::int64_t limit = options.memory_bytes > 0 ? options.memory_bytes : default_memory_bytes;
    chunk_ = copies_ ? chunk_bytes : std::min(turnstile_chunk_bytes, limit / input.count() / piece_bytes * piece_bytes);
    threads_ = options.threads > 0 ? options.threads : host::usable_threads();
    if (elements_ >= 0) {
      threads_ = static_cast<int>(std::min<std::int64_t>(threads_, elements_ * fold_.item / chunk_bytes + 1));
    }
    if (input.memory.x != nullptr) {
      other_ = distance_between(input.memory);
    } else {
      buffers_ = allocate_buffers(threads_, input.count(), std::max(chunk_, piece_bytes), limit);
      threads_ = static_cast<int>(buffers_.blocks.size());
      other_ = input.count() > 1 ? buffers_.bytes : 0;
    }
    unit_claims units;
    if (shared != nullptr) units = {&shared->units, shared_by::host, unit_elements(fold_.item)};
    reader_.emplace(input, elements_, chunk_ / fold_.item, other_, options.stop, units);
    if (shared == nullptr) limit_partials(fold_, slabs_, input.x, limit);
    if (copies_) merge_ = std::make_unique<host_merge>(fold_, slabs_, sink_);
    else turnstile_ = std::make_unique<host_turnstile>(fold_, slabs_, sink_, other_);
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
    if (endless_ && count == 0 && !has_identity(what_.op) && !what_.initial.given) {
      detail::throw_no_value(what_.op);
    }
    finish(endless_ ? count : slabs_.nest.length);
    if (options_.progress) options_.progress(count * fold_.item);
    return count;
  }

  int threads() const override { return threads_; }
  std::int64_t consumed() const override { return consumed_; }

  void work(int worker, const std::function<bool()>& leave) override {
    // Short columns cost much: those of a piece are gathered for themselves.
    const std::int64_t at_once = (same_in_any_order(what_) ? chunk_bytes : piece_bytes) / fold_.item;
    host_chunk state(fold_, slabs_, sink_, at_once, other_);
    const worker_trace tracer(options_.trace, worker);
    std::byte* const buffer =
        buffers_.blocks.empty() ? nullptr : buffers_.blocks[static_cast<std::size_t>(worker)].get();
    while (!leave()) {
      std::optional<chunk> c = reader_->claim();
      if (!c) break;
      if (copies_) copy(*c, buffer, state, tracer);
      else pass(*c, buffer, state, tracer);
    }
    if (keeps_ && copies_) merge_->add(state.take());
  }

  void abandon() override {
    reader_->stop();
    if (merge_) merge_->abandon();
    if (turnstile_) turnstile_->abandon();
  }

  void merge_whole(const std::byte* accumulators) override { open().merge_whole(what_, accumulators); }

  void finish(std::int64_t length) override {
    if (open_) open().lower(sink_, length);
    sink_.check();
  }

 private:
  open_accumulators open() const {
    return {fold_, slabs_, merge_ ? merge_->accumulators() : turnstile_->accumulators(), threads_};
  }

  // Elements of a chunk, and where they are now.
  struct piece {
    std::int64_t count;
    const std::byte* data;
  };

  // Arrays in memory are reduced where they are.
  piece next_piece(chunk& c, std::int64_t done, std::byte* buffer, const worker_trace& tracer) {
    if (const std::byte* const there = reader_->in_memory(c)) return {c.count, there};
    const auto start = tracer.now();
    const std::int64_t room = copies_ ? buffers_.bytes / fold_.item : c.count;
    const std::int64_t got = reader_->read(c, done, buffer, room);
    tracer.tell(trace_kind::read, c.number, got * bytes_each_, start);
    return {got, buffer};
  }

  // A buffer that holds less than a chunk is filled several times.
  void copy(chunk& c, std::byte* buffer, host_chunk& state, const worker_trace& tracer) {
    for (std::int64_t done = 0; done < c.count;) {
      const piece next = next_piece(c, done, buffer, tracer);
      if (reader_->stopped()) return;
      const auto start = tracer.now();
      state.add({c.first + done, c.first + done + next.count}, next.data);
      tracer.tell(trace_kind::reduce, c.number, next.count * bytes_each_, start);
      done += next.count;
      report(next.count);
    }
    if (!keeps_) merge_->submit(c.number, state.take());
  }

  void pass(chunk& c, std::byte* buffer, host_chunk& state, const worker_trace& tracer) {
    const piece all = next_piece(c, 0, buffer, tracer);
    const auto start = tracer.now();
    std::vector<stretch> parts;
    stretches_of(slabs_, {c.first, c.first + all.count}, [&](const stretch& s) {
      if (s.whole) state.finish_whole(s, all.data, c.first);
      else parts.push_back(s);
    });
    turnstile_->pass(c.number, parts, all.data, c.first);
    tracer.tell(trace_kind::reduce, c.number, all.count * bytes_each_, start);
    report(all.count);
  }

  void report(std::int64_t elements) { progress_.tell((consumed_.fetch_add(elements) + elements) * fold_.item); }

  const reduction& what_;
  const inputs& input_;
  const host_options& options_;
  const host::fold fold_;
  const bool endless_;
  const bool open_;  // a slab that ends nowhere
  const slabs slabs_;
  result_sink sink_;
  const std::int64_t elements_;
  const std::int64_t bytes_each_;  // of an element, or of a pair
  const bool keeps_;               // what a thread gathers, until there are no more chunks
  const bool copies_;
  std::unique_ptr<host_merge> merge_;
  std::unique_ptr<host_turnstile> turnstile_;
  std::int64_t chunk_ = 0;
  int threads_ = 0;
  buffers buffers_{};
  std::ptrdiff_t other_ = 0;
  std::optional<host_reader> reader_;
  std::atomic<std::int64_t> consumed_{0};
  host::progress progress_{options_.progress, host::progress_step};
};

}  // namespace

std::int64_t run_host(const plan& p, const inputs& input, void* results, const host_options& options) {
  const host::default_float_environment environment;  // for what this thread finishes behind the crew
  if (!has_unknown_length(input.x.layout()) && p.form.elements() == 0) {
    host::run(p, nullptr, results);
    return 0;
  }
  if (worth_stripes(p, input, options)) return run_stripes(p, input, results, options);
  return pipeline(p, input, results, options, nullptr).run();
}

std::unique_ptr<host_part> share_host(const plan& p, const inputs& input, void* results, const host_options& options,
                                      shared_array& shared) {
  return std::make_unique<pipeline>(p, input, results, options, &shared);
}

}  // namespace multifold::stream
