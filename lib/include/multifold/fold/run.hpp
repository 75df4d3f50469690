// Folds of arrays in memory and of sources: tasks, and how what they leave meets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "multifold/error.hpp"
#include "multifold/fold/walk.hpp"
#include "multifold/source.hpp"

namespace multifold::inline v0_1::detail {

template <host_fold_op Op>
fold_traits traits_of(std::span<const dtype> types) {
  using leaf = fold_leaf<Op>;
  return {types, ordered_fold_op<Op>, !index_free_fold_op<Op>, leaf::row, leaf::rows, accumulator_bytes_of<Op>()};
}

/// Nothing was read: every result is the identity's.
template <host_fold_op Op, class Result>
void lower_nothing(const Op& op, std::int64_t results, Result* into) {
  for (std::int64_t i = 0; i < results; ++i) into[i] = static_cast<Result>(op.lower(op.identity(), 0));
}

/// An array in memory, all of it.
template <host_fold_op Op, class Result>
void fold_memory_to(const Op& op, const fold_shape& shape, const fold_memory<arrays_of<Op>>& memory,
                    const fold_options& options, Result* results) {
  using walk_type = fold_walk<Op>;
  const walk_type walk(op, shape);
  const int threads = fold_threads(shape, options);
  const auto bytes_of = [&](fold_interval batches, fold_interval elements) {
    return batches.size() * elements.size() * shape.element_bytes;
  };
  if (shape.ranges == 1) {
    const fold_interval all{0, shape.length};
    return run_fold_tasks(threads, shape.tasks(), options, [&](fold_tasks& tasks) {
      typename walk_type::scratch scratch;
      typename walk_type::group group;
      for (std::int64_t task; (task = tasks.next()) >= 0;) {
        const std::int64_t first = task * shape.blocks_a_task;
        for (std::int64_t b = first; b < lesser(first + shape.blocks_a_task, shape.blocks); ++b) {
          const fold_interval batches = shape.block(b);
          walk.reduce(batches, all, memory, tasks, scratch, group);
          walk.lower(batches, group, shape.length, results);
          tasks.tell_read(bytes_of(batches, all));
        }
      }
    });
  }
  std::vector<typename walk_type::group> partials(static_cast<std::size_t>(shape.tasks()));
  run_fold_tasks(threads, shape.tasks(), options, [&](fold_tasks& tasks) {
    typename walk_type::scratch scratch;
    for (std::int64_t task; (task = tasks.next()) >= 0;) {
      // Neighbouring tasks read neighbouring columns of the same rows.
      const std::int64_t block = task % shape.blocks, range = task / shape.blocks;
      const fold_interval batches = shape.block(block), elements = shape.range_at(range);
      walk.reduce(batches, elements, memory, tasks, scratch,
                  partials[static_cast<std::size_t>(block * shape.ranges + range)]);
      tasks.tell_read(bytes_of(batches, elements));
    }
  });
  fold_options quiet = options;
  quiet.progress = nullptr;
  run_fold_tasks(shape.blocks > 1 ? threads : 1, shape.blocks, quiet, [&](fold_tasks& tasks) {
    cascade<Op> tree;
    typename walk_type::group all;
    for (std::int64_t block; (block = tasks.next()) >= 0;) {
      for (std::int64_t range = 0; range < shape.ranges; ++range) {
        tree.push(op, partials[static_cast<std::size_t>(block * shape.ranges + range)]);
      }
      tree.take(op, all);
      walk.lower(shape.block(block), all, shape.length, results);
    }
  });
}

/// The tree above ranges that come in any order: each meets its neighbour when both are there.
template <fold_op Op>
class fold_meeting {
 public:
  explicit fold_meeting(const Op& op) : op_(op) {}

  /// From any thread.
  void add(std::int64_t number, fold_group<Op> group) {
    auto mine = std::make_shared<fold_group<Op>>(std::move(group));
    for (int level = 0;; ++level, number /= 2) {
      auto other = std::static_pointer_cast<fold_group<Op>>(waiting_->meet(level, number, mine));
      if (!other) return;
      if ((number & 1) != 0) mine.swap(other);
      meet(op_, *mine, *other);
      mine = std::move(other);
    }
  }

  /// All of them as one; whether there was any.
  bool take(fold_group<Op>& into) {
    bool begun = false;
    while (const auto group = std::static_pointer_cast<fold_group<Op>>(waiting_->take())) {
      if (begun) meet(op_, *group, into);
      else into = std::move(*group);
      begun = true;
    }
    return begun;
  }

 private:
  const Op& op_;
  std::unique_ptr<fold_waiting> waiting_ = make_fold_waiting();
};

template <host_fold_op Op>
class source_fold {
 public:
  source_fold(const Op& op, source& input, const fold_shape& shape, const fold_units& units,
              const fold_options& options)
      : op_(op), input_(input), shape_(shape), units_(units), options_(options), walk_(op, shape) {}

  template <class Result>
  void run(Result* results) {
    if (units_.endless) return run_slice(0, results);
    if (!units_.whole_slices) {
      for (std::int64_t slice = 0; slice < units_.slices; ++slice) run_slice(slice, results);
    } else if (units_.slices == 1) {
      read(0, [&](std::int64_t, const std::byte* data, std::int64_t) {
        fold_options quiet = options_;
        quiet.progress = nullptr;
        fold_memory_to(op_, shape_, memory{{data}, 0}, quiet, results);
      });
    } else {
      run_slices(results);
    }
  }

 private:
  using walk_type = fold_walk<Op>;
  using memory = typename walk_type::memory;

  // Every worker has what it needs between two units; `tasks` is there to be asked whether all is cancelled.
  struct worker {
    typename walk_type::scratch scratch;
    typename walk_type::group group;
  };

  class unit_tasks final : public fold_tasks {
   public:
    explicit unit_tasks(const stop_signal& stop) : stop_(stop) {}
    std::int64_t next() override { return -1; }
    void check() override {
      if (stop_.stop_requested()) throw cancelled_error("the fold was cancelled");
    }
    void tell_read(std::int64_t) override {}

   private:
    const stop_signal& stop_;
  };

  template <class Work>
  std::int64_t read(std::int64_t first, const Work& work) {
    return read_fold_units(input_, units_, first, options_, [&]() -> fold_unit_work { return work; });
  }

  // Units that hold several slices make their results by themselves.
  template <class Result>
  void run_slices(Result* results) {
    read_fold_units(input_, units_, 0, options_, [&]() -> fold_unit_work {
      return [&, mine = std::make_shared<worker>()](std::int64_t number, const std::byte* data, std::int64_t count) {
        unit_tasks tasks(options_.stop);
        const std::int64_t first = number * units_.unit_slices;
        const memory from{{data}, first * units_.slice_elements * shape_.element_bytes};
        fold_interval batches{first * units_.slice_batches, 0};
        batches.end = batches.begin + count / units_.slice_elements * units_.slice_batches;
        while (batches.begin < batches.end) {
          const fold_interval block = shape_.front(batches);
          walk_.reduce(block, {0, shape_.length}, from, tasks, mine->scratch, mine->group);
          walk_.lower(block, mine->group, shape_.length, results);
          batches.begin = block.end;
        }
      };
    });
  }

  template <class Result>
  void run_slice(std::int64_t slice, Result* results) {
    const std::int64_t first_element = units_.endless ? 0 : slice * units_.slice_elements;
    const fold_interval batches{slice * units_.slice_batches, (slice + 1) * units_.slice_batches};
    fold_meeting<Op> tree(op_);
    const std::int64_t read = read_fold_units(input_, units_, first_element, options_, [&]() -> fold_unit_work {
      return [&, mine = std::make_shared<worker>()](std::int64_t number, const std::byte* data, std::int64_t count) {
        const std::int64_t first = number * units_.unit_length;
        const memory from{{data}, (first_element + number * units_.unit_elements) * shape_.element_bytes};
        tree.add(number, reduce_unit(batches, {first, first + count / units_.slice_batches}, from, *mine));
      };
    });
    typename walk_type::group all;
    if (tree.take(all)) walk_.lower(batches, all, units_.endless ? read : shape_.length, results);
    else lower_nothing(op_, 1, results);
  }

  typename walk_type::group reduce_unit(fold_interval batches, fold_interval elements, const memory& from,
                                        worker& mine) const {
    unit_tasks tasks(options_.stop);
    typename walk_type::group all;
    all.reserve(static_cast<std::size_t>(batches.size()));
    while (batches.begin < batches.end) {
      const fold_interval block = shape_.front(batches);
      walk_.reduce(block, elements, from, tasks, mine.scratch, mine.group);
      for (auto& each : mine.group) all.push_back(std::move(each));
      batches.begin = block.end;
    }
    return all;
  }

  const Op& op_;
  source& input_;
  const fold_shape& shape_;
  const fold_units& units_;
  const fold_options& options_;
  const walk_type walk_;
};

}  // namespace multifold::inline v0_1::detail
