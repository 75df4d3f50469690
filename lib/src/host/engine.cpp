// Tasks, handed to the crew one by one: pieces of a few huge batches, or blocks of many.
#include "host/engine.hpp"

#include <algorithm>
#include <atomic>

#include "host/aligned_bytes.hpp"
#include "host/float_environment.hpp"
#include "host/progress.hpp"
#include "host/reduce_box.hpp"
#include "host/shape.hpp"
#include "host/short_row.hpp"
#include "host/tasks.hpp"
#include "multifold/error.hpp"

namespace multifold::host {
namespace {

// As many as were asked for, if there is a task for a second one.
int threads_for(const plan& p, int asked) {
  const std::int64_t bytes = p.form.elements() * item_bytes(p.what.input);
  if (asked > 0) return bytes < task_bytes ? 1 : asked;
  return bytes < alone_bytes(p.what, is_row(p.form)) ? 1 : usable_threads();
}

class execution {
 public:
  execution(const plan& p, const operands& data, void* results, const run_options& options)
      : plan_(p),
        fold_(make_fold(p.what)),
        nest_(nest_of(p.form)),
        threads_(threads_for(p, options.threads)),
        shape_(shape_of(nest_, fold_.item, p.passes.front().parts, p.passes.front().part_length,
                        fold_.any_order ? threads_ : 0)),
        data_(static_cast<const std::byte*>(data.x)),
        other_(takes_two_arrays(p.what.op) ? static_cast<const std::byte*>(data.y) - data_ : 0),
        results_(static_cast<std::byte*>(results)),
        options_(options) {}

  void run() {
    const std::int64_t bytes = p_elements() * fold_.item;
    if (shape_.split) {
      partials_ = allocate_accumulators(shape_.blocks * shape_.pieces() * shape_.block, fold_.acc_bytes());
      share(shape_.tasks(), [this](std::int64_t task, scratch&) { reduce_piece(task); });
      share(shape_.blocks, [this](std::int64_t task, scratch&) { finish_block(task); });
    } else {
      share(shape_.blocks, [this](std::int64_t task, scratch& s) { reduce_block(task, s); });
    }
    if (options_.progress) options_.progress(bytes);
    check_status(outcome_.get().worst, plan_.what, outcome_.get().result);
  }

 private:
  struct scratch {
    aligned_bytes parts;
  };

  std::int64_t p_elements() const { return shape_.results * shape_.length; }

  template <class Task>
  void share(std::int64_t tasks, const Task& task) {
    share_out(
        threads_, tasks, [] { return scratch{}; }, task);
  }

  std::byte* partial(std::int64_t block, std::int64_t piece) const {
    return partials_.get() + (block * shape_.pieces() + piece) * shape_.block * fold_.acc_bytes();
  }

  void reduce_piece(std::int64_t task) {
    // Neighbouring tasks read neighbouring columns of the same rows.
    const std::int64_t block = task % shape_.blocks, piece = task / shape_.blocks;
    reduce_into(block, piece, partial(block, piece));
  }

  // Elements of piece `piece` of every batch of the block, into fresh accumulators.
  void reduce_into(std::int64_t block, std::int64_t piece, std::byte* acc) {
    if (options_.stop.stop_requested()) throw cancelled_error("the reduction was cancelled");
    const interval batches = shape_.batches_of(block), elements = shape_.elements_of(piece);
    fold_.clear(acc, batches.end - batches.begin);
    cut(nest_, nest_.kept, batches, whole(nest_), [&](const box& kept) {
      cut(nest_, nest_.reduced, elements, kept, [&](const box& b) {
        reduce_box(fold_, nest_, b, {data_, 0, acc, batches.begin, other_});
      });
    });
    report((batches.end - batches.begin) * (elements.end - elements.begin) * fold_.item);
  }

  void finish_block(std::int64_t block) {
    const interval batches = shape_.batches_of(block);
    const std::int64_t count = batches.end - batches.begin;
    const std::int64_t row = shape_.block * fold_.acc_bytes();
    std::byte* const first = partial(block, 0);
    std::int64_t piece = 0;
    for (std::int64_t part = 0; part < shape_.parts; ++part) {
      std::byte* const into = first + part * row;
      const std::int64_t pieces = shape_.pieces_of(part);
      if (piece != part) std::copy_n(first + piece * row, count * fold_.acc_bytes(), into);
      for (std::int64_t i = 1; i < pieces; ++i) fold_.merge(into, first + (piece + i) * row, count);
      piece += pieces;
    }
    finish_parts(block, first, row);
  }

  void reduce_block(std::int64_t block, scratch& s) {
    const std::int64_t count = shape_.batches_of(block).end - shape_.batches_of(block).begin;
    const std::int64_t row = shape_.block * fold_.acc_bytes();
    if (!s.parts) s.parts = allocate_accumulators((shape_.parts + 1) * shape_.block, fold_.acc_bytes());
    std::byte* const spare = s.parts.get() + shape_.parts * row;
    std::int64_t piece = 0;
    for (std::int64_t part = 0; part < shape_.parts; ++part) {
      std::byte* const into = s.parts.get() + part * row;
      reduce_into(block, piece++, into);
      for (std::int64_t i = 1; i < shape_.pieces_of(part); ++i) {
        reduce_into(block, piece++, spare);
        fold_.merge(into, spare, count);
      }
    }
    finish_parts(block, s.parts.get(), row);
  }

  // The later passes of the plan, in place: rows of accumulators `row` bytes apart become one, and then results.
  void finish_parts(std::int64_t block, std::byte* parts, std::int64_t row) {
    const interval batches = shape_.batches_of(block);
    const std::int64_t count = batches.end - batches.begin;
    std::int64_t left = shape_.parts;
    const auto merge_by = [&](std::int64_t length) {
      std::int64_t made = 0;
      for (std::int64_t first = 0; first < left; first += length, ++made) {
        std::byte* const into = parts + made * row;
        if (made != first) std::copy_n(parts + first * row, count * fold_.acc_bytes(), into);
        for (std::int64_t i = first + 1; i < std::min(left, first + length); ++i) {
          fold_.merge(into, parts + i * row, count);
        }
      }
      left = made;
    };
    for (std::size_t i = 1; i < plan_.passes.size(); ++i) merge_by(plan_.passes[i].part_length);
    if (left > 1) merge_by(left);
    outcome_.note(lower_range(fold_, nest_, plan_.what, parts, batches, shape_.length, results_));
  }

  void report(std::int64_t bytes) {
    if (options_.progress) progress_.tell(bytes_.fetch_add(bytes) + bytes);
  }

  const plan& plan_;
  const fold fold_;
  const nest nest_;
  const int threads_;
  const work_shape shape_;
  const std::byte* const data_;
  const std::ptrdiff_t other_;
  std::byte* const results_;
  const run_options& options_;
  aligned_bytes partials_;
  shared_outcome outcome_;
  std::atomic<std::int64_t> bytes_{0};
  progress progress_{options_.progress, memory_progress_step};
};

// No elements: every result is the identity's.
void run_empty(const plan& p, void* results) {
  const fold f = make_fold(p.what);
  const aligned_bytes acc = allocate_accumulators(1, f.acc_bytes());
  f.clear(acc.get(), 1);
  for (std::int64_t batch = 0; batch < p.form.results(); ++batch) {
    std::byte* const out = static_cast<std::byte*>(results) + batch * result_bytes(p.what);
    check_status(f.lower({&p.what, acc.get(), 1, 0, out, 0}).worst, p.what, p.form.results() == 1 ? -1 : batch);
  }
}

// Whether `p` is a row for one thread, with nobody to tell of it. What is rounded on the way is cut into tasks all the
// same.
bool is_short_row(const plan& p, const run_options& options) {
  if (!is_row(p.form) || p.passes.size() > 1 || options.stop.stop_possible() || options.progress) return false;
  const bool uncut = merges_in_any_order(p.what) || p.form.length <= task_bytes / item_bytes(p.what.input);
  return uncut && threads_for(p, options.threads) == 1;
}

void run_short_row(const plan& p, const operands& data, void* results) {
  const std::int64_t offset = p.form.offset * item_bytes(p.what.input);
  const auto first = [&](const void* x) { return static_cast<const std::byte*>(x) + offset; };
  const operands from{first(data.x), takes_two_arrays(p.what.op) ? first(data.y) : nullptr};
  const outcome done = make_row_fold(p.what).row({&p.what, from, p.form.length, static_cast<std::byte*>(results)});
  check_status(done.worst, p.what);
}

}  // namespace

void run(const plan& p, const operands& data, void* results, const run_options& options) {
  const default_float_environment environment;
  if (p.form.elements() == 0) return run_empty(p, results);
  const pass& first = p.passes.front();
  if ((p.form.length - 1) / first.part_length + 1 != first.parts) {
    throw unsupported_error("the host engine takes plans with contiguous parts: make the plan with host traits");
  }
  if (is_short_row(p, options)) run_short_row(p, data, results);
  else execution(p, data, results, options).run();
}

}  // namespace multifold::host
