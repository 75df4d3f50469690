// Threads claim blocks; a block whose wide sums do not fit memory is taken again in halves.
#include "stream/host/column_blocks.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "host/engine.hpp"
#include "host/reduce_box.hpp"
#include "host/threads/crew.hpp"
#include "host/threads/progress.hpp"
#include "multifold/error.hpp"
#include "stream/box_reader.hpp"
#include "stream/consumed.hpp"
#include "stream/host/chunk.hpp"
#include "stream/host/turnstile.hpp"
#include "stream/shared_array.hpp"
#include "stream/worker_trace.hpp"

namespace multifold::inline v0_1::stream {
namespace {

constexpr std::int64_t most_buffer_bytes = INT64_C(1) << 20;  // read at a time
constexpr std::int64_t run_bytes = INT64_C(256) << 10;        // of neighbours: what files are read fast in
constexpr std::int64_t least_run_bytes = INT64_C(64) << 10;
constexpr std::int64_t share_bytes = INT64_C(4) << 20;  // of memory: enough for a thread

std::int64_t limit_of(const host_options& options) {
  return options.memory_bytes > 0 ? options.memory_bytes : default_memory_bytes;
}

// What a thread has.
struct thread_memory {
  int threads;
  std::int64_t buffer;    // bytes of it for one array
  std::int64_t partials;  // bytes of the accumulators of a block
  std::int64_t spills;    // bytes of their wide sums
};

thread_memory memory_of(const host_options& options, int arrays) {
  const std::int64_t limit = limit_of(options);
  const std::int64_t wanted = options.threads > 0 ? options.threads : host::usable_threads();
  const auto threads = static_cast<int>(std::clamp<std::int64_t>(limit / share_bytes, 1, wanted));
  const std::int64_t share = limit / threads;
  const std::int64_t buffer = std::min(most_buffer_bytes, share / 2 / arrays);
  const std::int64_t rest = share - arrays * buffer;
  return {threads, buffer, rest / 2, rest - rest / 2};
}

// As many neighbouring results as take `run` elements, those of reduced loops among them.
std::int64_t results_within(const slices& s, std::int64_t run) {
  std::int64_t results = 1, inner = 1;
  for (std::size_t i = s.nest.loops.size(); i-- > 0;) {
    const host::nest_loop& loop = s.nest.loops[i];
    const std::int64_t steps = std::clamp<std::int64_t>(run / inner, 1, loop.extent);
    if (!loop.reduced) results *= steps;
    if (steps < loop.extent) break;
    inner *= loop.extent;
  }
  return std::min(results, s.results);
}

// Results of a block: runs are as long as files like them to be, but not so long that threads are left without.
std::int64_t block_of(const slices& s, std::int64_t item, std::int64_t each, const thread_memory& memory) {
  const std::int64_t least = results_within(s, std::min(least_run_bytes, memory.buffer) / item);
  const std::int64_t most = results_within(s, std::min(run_bytes, memory.buffer) / item);
  const std::int64_t shared_out = s.results * s.count / (2 * memory.threads);
  return std::clamp<std::int64_t>(memory.partials / each, 1, std::clamp(shared_out, least, most));
}

class column_block_run {
 public:
  column_block_run(const plan& p, const inputs& input, void* results, const host_options& options)
      : what_(p.what),
        input_(input),
        options_(options),
        slices_(slices_of(p.form)),
        item_(item_bytes(p.what.input)),
        any_order_(same_in_any_order(p.what)),
        memory_(memory_of(options, input.count())),
        sink_{p.what, static_cast<std::byte*>(results), {}},
        elements_(p.form.elements()) {
    const host::nest& n = slices_.nest;
    for (std::size_t i = 0; i < n.loops.size(); ++i) {
      if (n.loops[i].reduced) reduced_.push_back(static_cast<int>(i));
    }
    const std::int64_t each = host::make_fold(what_).acc_bytes();
    if (any_order_) {
      block_ = block_of(slices_, item_, each, memory_);
    } else {
      block_ = turnstile_block(slices_.results);
      const std::int64_t most = limit_of(options) / (block_ * each + most_buffer_bytes);
      memory_.threads = static_cast<int>(std::clamp<std::int64_t>(most, 1, memory_.threads));
    }
    blocks_a_slice_ = (slices_.results - 1) / block_ + 1;
  }

  std::int64_t run() {
    const std::int64_t blocks = slices_.count * blocks_a_slice_;
    host::run_crew(static_cast<int>(std::min<std::int64_t>(memory_.threads, blocks)), [&](int worker) {
      try {
        work(worker, blocks);
      } catch (...) {
        stopped_ = true;
        throw;
      }
    });
    check_consumed(consumed_, elements_, input_.x);
    sink_.check();
    if (options_.progress) options_.progress(elements_ * item_);
    return elements_;
  }

 private:
  // Of one thread.
  struct worker_state {
    host::fold fold;
    host::aligned_bytes buffer, partials;
    std::ptrdiff_t other;
    std::int64_t most;  // results that are reduced together
    const worker_trace& trace;
  };

  void renew(worker_state& w) const {
    w.fold = host::make_fold(what_);
    if (w.fold.arena && any_order_) w.fold.arena->limit_to(memory_.spills);
  }

  void work(int worker, std::int64_t blocks) {
    const worker_trace trace(options_.trace, worker);
    worker_state w{host::make_fold(what_), {}, {}, 0, block_, trace};
    renew(w);
    const std::int64_t bytes = memory_.buffer / item_ * item_;
    w.buffer = host::allocate_accumulators(input_.count(), bytes);
    w.other = input_.count() > 1 ? bytes : 0;
    w.partials = host::allocate_accumulators(std::min(block_, slices_.results), w.fold.acc_bytes());
    for (std::int64_t i = next_++; i < blocks && !stopped_; i = next_++) {
      const std::int64_t slice = i / blocks_a_slice_, first = i % blocks_a_slice_ * block_;
      const std::int64_t begin = slice * slices_.results;
      reduce(w, {begin + first, begin + std::min(first + block_, slices_.results)});
    }
  }

  // As many results at a time as there is memory for, if all of theirs are like those before.
  void reduce(worker_state& w, host::interval results) {
    while (results.begin < results.end && !stopped_) {
      const host::interval some{results.begin, std::min(results.begin + w.most, results.end)};
      const std::int64_t count = some.end - some.begin;
      try {
        reduce_together(w, some);
        results.begin = some.end;
      } catch (const host::arena_full&) {
        if (count == 1) throw;
        w.most = count / 2;
        renew(w);
      }
    }
  }

  void reduce_together(worker_state& w, host::interval results) {
    const std::int64_t count = results.end - results.begin;
    w.fold.clear(w.partials.get(), count);
    gather(w, results);
    if (stopped_) return;
    sink_.lower(w.fold, slices_.nest, w.partials.get(), results, slices_.nest.length);
    report(count * slices_.nest.length);
  }

  // Every element of these results, which belong to one slice.
  void gather(worker_state& w, host::interval results) {
    const host::nest& n = slices_.nest;
    host::cut(n, n.kept, results, host::whole(n), [&](const host::box& kept) {
      if (!any_order_) return gather_by_chunks(w, results, kept);
      const std::int64_t width = volume_of(n, kept) / n.length;
      const std::int64_t room = memory_.buffer / item_, length = std::max<std::int64_t>(room / width, 1);
      for (std::int64_t k = 0; k < n.length && !stopped_; k += length) {
        host::cut(n, reduced_, {k, std::min(k + length, n.length)}, kept,
                  [&](const host::box& b) { add(w, results.begin, b); });
      }
    });
  }

  // The boxes of the turnstile, one after the other.
  void gather_by_chunks(worker_state& w, host::interval results, const host::box& kept) {
    const host::nest& n = slices_.nest;
    const std::int64_t slice = results.begin / slices_.results, begin = slice * slices_.elements;
    const std::int64_t end = begin + slices_.elements, chunk = turnstile_chunk_bytes / item_;
    for (std::int64_t first = begin; first < end && !stopped_; first = (first / chunk + 1) * chunk) {
      const host::interval range{first, std::min(end, (first / chunk + 1) * chunk)};
      host::cut(n, n.all, range, host::whole(n), [&](host::box b) {
        if (host::intersect(n.kept, kept, b)) add(w, results.begin, b);
      });
    }
  }

  void add(worker_state& w, std::int64_t first_result, const host::box& b) {
    if (options_.stop.stop_requested()) throw cancelled_error(input_.x.name() + ": the reduction was cancelled");
    const std::int64_t bytes = volume_of(slices_.nest, b) * item_ * input_.count();
    auto start = w.trace.now();
    read_box(input_, slices_.nest, b, w.buffer.get(), w.other);
    w.trace.tell(trace_kind::read, first_result / block_, bytes, start);
    start = w.trace.now();
    host::reduce_box(w.fold, nest_of_box(slices_.nest, b), b,
                     {w.buffer.get(), 0, w.partials.get(), first_result, w.other});
    w.trace.tell(trace_kind::reduce, first_result / block_, bytes, start);
  }

  void report(std::int64_t elements) { progress_.tell((consumed_.fetch_add(elements) + elements) * item_); }

  const reduction& what_;
  const inputs& input_;
  const host_options& options_;
  const slices slices_;
  const std::int64_t item_;
  const bool any_order_;
  thread_memory memory_;
  result_sink sink_;
  const std::int64_t elements_;
  std::vector<int> reduced_;  // loops in memory order
  std::int64_t block_ = 1, blocks_a_slice_ = 1;
  std::atomic<std::int64_t> next_{0}, consumed_{0};
  std::atomic<bool> stopped_{false};
  host::progress progress_{options_.progress, host::progress_step};
};

}  // namespace

bool worth_column_blocks(const plan& p, const inputs& input, const host_options& options) {
  if (input.memory.x != nullptr || !input.random_access() || has_unknown_length(input.x.layout())) return false;
  const slices s = slices_of(p.form);
  const std::int64_t limit = limit_of(options), item = item_bytes(p.what.input);
  const std::int64_t each = host::make_fold(p.what).acc_bytes(), bytes = s.results * each;
  if (s.results < 2 || bytes <= most_copied_bytes || limit < input.count() * tile_bytes) return false;
  if (!same_in_any_order(p.what)) {
    return bytes > limit / 2 && limit >= 4 * turnstile_chunk_bytes && s.elements * item > turnstile_chunk_bytes;
  }
  const thread_memory memory = memory_of(options, input.count());
  const bool enough = s.results / block_of(s, item, each, memory) * s.count >= memory.threads;
  return enough || s.results > limit / 2 / (each + accumulator_bytes(p.what));
}

std::int64_t run_column_blocks(const plan& p, const inputs& input, void* results, const host_options& options) {
  return column_block_run(p, input, results, options).run();
}

}  // namespace multifold::inline v0_1::stream
