// Tasks, which the thread pool takes one by one: ranges of a few huge batches, or blocks of many.
#pragma once

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "host/aligned_bytes.hpp"
#include "host/engine.hpp"
#include "host/reduce_apart.hpp"
#include "host/reduce_box.hpp"
#include "host/shape/shape.hpp"
#include "host/threads/progress.hpp"
#include "host/threads/tasks.hpp"
#include "multifold/error.hpp"

namespace multifold::inline v0_1::host {

inline work_shape shape_for(const plan& p, const fold& f, const nest& n, int threads) {
  const pass& first = p.passes.front();
  return shape_of(n, f.item, first.parts, first.part_length, f.any_order ? threads : 0);
}

/// A job on its way: each has accumulators of its own.
struct member {
  member(const job& j) : plan(*j.p), fold(make_fold(plan.what)), results(static_cast<std::byte*>(j.results)) {}

  const multifold::plan& plan;
  const host::fold fold;
  std::byte* const results;
  aligned_bytes partials{};
  shared_outcome outcome{};
};

/// Jobs whose tasks are alike: each task's elements are read once, for all of them.
class execution {
 public:
  execution(std::span<const job> jobs, const operands& data, const run_options& options, const operand_apart* apart,
            int threads)
      : members_(jobs.begin(), jobs.end()),
        nest_(apart == nullptr ? nest_of(jobs.front().p->form) : joint_nest(apart->x, apart->second, apart->axes)),
        threads_(threads),
        shape_(shape_for(*jobs.front().p, members_.front().fold, nest_, threads_)),
        item_(members_.front().fold.item),
        data_(static_cast<const std::byte*>(data.x)),
        second_(second_of(apart)),
        counts_{shape_.length, apart == nullptr ? nullptr : apart->counts},
        other_(apart == nullptr && takes_two_arrays(jobs.front().p->what.op)
                   ? static_cast<const std::byte*>(data.y) - data_
                   : 0),
        options_(options) {}

  void run() {
    if (shape_.split) {
      for (member& m : members_) m.partials = accumulators(m, shape_.blocks * shape_.ranges());
      share(shape_.tasks(), [this](std::int64_t task, scratch& s) { reduce_range(task, s); });
      share(shape_.blocks, [this](std::int64_t task, scratch&) { finish_block(task); });
    } else {
      share(shape_.blocks, [this](std::int64_t task, scratch& s) { reduce_block(task, s); });
    }
    if (options_.progress) options_.progress(shape_.results * shape_.length * item_);
    for (const member& m : members_) check_status(m.outcome.get().worst, m.plan.what, m.outcome.get().result);
  }

 private:
  // Of a thread, for each member: rows of accumulators, and where the present range goes.
  struct scratch {
    std::vector<aligned_bytes> parts;
    std::vector<std::byte*> into;
    aligned_bytes space;  // of reduce_apart
  };

  aligned_bytes accumulators(const member& m, std::int64_t rows) const {
    return allocate_accumulators(rows * shape_.block, m.fold.acc_bytes());
  }
  static std::optional<second_operand> second_of(const operand_apart* apart) {
    if (apart == nullptr) return std::nullopt;
    const array_view& y = apart->second;
    return second_operand{static_cast<const std::byte*>(y.data), item_bytes(y.type), apart->counts != nullptr, false,
                          nullptr};
  }

  std::int64_t row_bytes(const member& m) const { return shape_.block * m.fold.acc_bytes(); }

  template <class Task>
  void share(std::int64_t tasks, const Task& task) {
    const auto make_scratch = [this] {
      scratch made{std::vector<aligned_bytes>(members_.size()), std::vector<std::byte*>(members_.size()), {}};
      if (second_) made.space = allocate_accumulators(1, apart_space_bytes);
      return made;
    };
    share_out(threads_, tasks, make_scratch, task);
  }

  std::byte* partial(const member& m, std::int64_t block, std::int64_t range) const {
    return m.partials.get() + (block * shape_.ranges() + range) * row_bytes(m);
  }

  void reduce_range(std::int64_t task, scratch& s) {
    // Neighbouring tasks read neighbouring columns of the same rows.
    const std::int64_t block = task % shape_.blocks, range = task / shape_.blocks;
    for (std::size_t i = 0; i < members_.size(); ++i) s.into[i] = partial(members_[i], block, range);
    reduce_into(block, range, s);
  }

  // Elements that all members take before the next ones come, so that they are in the cache still.
  std::int64_t step_of(interval batches, interval elements) const {
    if (members_.size() == 1) return elements.end - elements.begin;
    return std::max<std::int64_t>(1, task_bytes / item_ / (batches.end - batches.begin));
  }

  // Elements of range `range` of every batch of the block, into fresh accumulators.
  void reduce_into(std::int64_t block, std::int64_t range, scratch& s) {
    if (options_.stop.stop_requested()) throw cancelled_error("the reduction was cancelled");
    const interval batches = shape_.batches_of(block), elements = shape_.elements_of(range);
    for (std::size_t i = 0; i < members_.size(); ++i) members_[i].fold.clear(s.into[i], batches.end - batches.begin);
    const std::int64_t step = step_of(batches, elements);
    for (interval some{elements.begin, 0}; some.begin < elements.end; some.begin = some.end) {
      some.end = std::min(elements.end, some.begin + step);
      for (std::size_t i = 0; i < members_.size(); ++i) add(members_[i], batches, some, s, s.into[i]);
    }
    report((batches.end - batches.begin) * (elements.end - elements.begin) * item_);
  }

  void add(const member& m, interval batches, interval elements, const scratch& s, std::byte* acc) const {
    std::optional<second_operand> second = second_;
    if (second) {
      second->indexed = order_of(m.plan.what.op) == element_order::indexed;
      second->space = s.space.get();
    }
    cut(nest_, nest_.kept, batches, whole(nest_), [&](const box& kept) {
      cut(nest_, nest_.reduced, elements, kept, [&](const box& b) {
        reduce_box(m.fold, nest_, b, {data_, 0, acc, batches.begin, other_, 0, second ? &*second : nullptr});
      });
    });
  }

  void finish_block(std::int64_t block) {
    const interval batches = shape_.batches_of(block);
    const std::int64_t count = batches.end - batches.begin;
    for (member& m : members_) {
      const std::int64_t row = row_bytes(m);
      std::byte* const first = partial(m, block, 0);
      std::int64_t range = 0;
      for (std::int64_t part = 0; part < shape_.parts; ++part) {
        std::byte* const into = first + part * row;
        const std::int64_t ranges = shape_.ranges_of(part);
        if (range != part) std::copy_n(first + range * row, count * m.fold.acc_bytes(), into);
        for (std::int64_t i = 1; i < ranges; ++i) m.fold.merge(into, first + (range + i) * row, count);
        range += ranges;
      }
      finish_parts(m, block, first);
    }
  }

  void reduce_block(std::int64_t block, scratch& s) {
    const std::int64_t count = shape_.batches_of(block).end - shape_.batches_of(block).begin;
    std::int64_t range = 0;
    const auto reduce_to_row = [&](std::int64_t number) {
      for (std::size_t i = 0; i < members_.size(); ++i) {
        if (!s.parts[i]) s.parts[i] = accumulators(members_[i], shape_.parts + 1);
        s.into[i] = s.parts[i].get() + number * row_bytes(members_[i]);
      }
      reduce_into(block, range++, s);
    };
    for (std::int64_t part = 0; part < shape_.parts; ++part) {
      reduce_to_row(part);
      for (std::int64_t i = 1; i < shape_.ranges_of(part); ++i) {
        reduce_to_row(shape_.parts);
        for (std::size_t k = 0; k < members_.size(); ++k) {
          members_[k].fold.merge(s.parts[k].get() + part * row_bytes(members_[k]), s.into[k], count);
        }
      }
    }
    for (std::size_t i = 0; i < members_.size(); ++i) finish_parts(members_[i], block, s.parts[i].get());
  }

  // The later passes of the plan, in place: rows of accumulators become one, and then results.
  void finish_parts(member& m, std::int64_t block, std::byte* parts) {
    const interval batches = shape_.batches_of(block);
    const std::int64_t count = batches.end - batches.begin, row = row_bytes(m);
    std::int64_t left = shape_.parts;
    const auto merge_by = [&](std::int64_t length) {
      std::int64_t made = 0;
      for (std::int64_t first = 0; first < left; first += length, ++made) {
        std::byte* const into = parts + made * row;
        if (made != first) std::copy_n(parts + first * row, count * m.fold.acc_bytes(), into);
        for (std::int64_t i = first + 1; i < std::min(left, first + length); ++i) {
          m.fold.merge(into, parts + i * row, count);
        }
      }
      left = made;
    };
    for (std::size_t i = 1; i < m.plan.passes.size(); ++i) merge_by(m.plan.passes[i].part_length);
    if (left > 1) merge_by(left);
    m.outcome.note(lower_range(m.fold, nest_, m.plan.what, parts, batches, counts_, m.results));
  }

  void report(std::int64_t bytes) {
    if (options_.progress) progress_.tell(bytes_.fetch_add(bytes) + bytes);
  }

  std::vector<member> members_;
  const nest nest_;
  const int threads_;
  const work_shape shape_;
  const std::int64_t item_;
  const std::byte* const data_;
  const std::optional<second_operand> second_;
  const element_counts counts_;
  const std::ptrdiff_t other_;
  const run_options& options_;
  std::atomic<std::int64_t> bytes_{0};
  progress progress_{options_.progress, memory_progress_step};
};

}  // namespace multifold::inline v0_1::host
