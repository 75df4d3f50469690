// How segments are shared out: in which ranges, which of them in parts, and in blocks of the results of each.
#pragma once

#include <cstdint>
#include <vector>

#include "host/fold.hpp"
#include "host/segments/segments.hpp"
#include "host/shape/nest.hpp"

namespace multifold::inline v0_1::host {

/// The work of a segment counts in elements: those that are read, and as many as take the time of all else.
struct segment_shape {
  std::int64_t block, blocks;  // neighbouring accumulators of a segment that a task gathers, and how many times
  std::int64_t results;        // accumulators of a segment
  std::int64_t batch;          // segments whose accumulators become results together
  int threads;
  std::int64_t task_work;    // of a range
  std::int64_t share_above;  // the length above which a segment is shared by tasks
  std::int64_t least_part, most_part;
  bool any_order;  // else parts of a segment depend on nothing but its length

  /// Of a block.
  std::int64_t work_of(std::int64_t segments, std::int64_t elements) const {
    constexpr std::int64_t a_segment = 64, a_result = 16;
    return segments * (a_segment + block * a_result) + elements * block;
  }
  bool is_shared(std::int64_t length) const { return length > share_above; }
  /// Elements along the axis of each part of a segment but the last.
  std::int64_t part_length(std::int64_t length) const;
};

/// `threads`: as run_options has it. Throws: shape_error if all segments together have more than 2^63 elements.
segment_shape shape_of_segments(const segment_work& work, const segment_census& census, const fold& f,
                                std::int64_t results, int threads);

/// Segments in ascending order, cut into ranges with about task_work each.
class segment_order {
 public:
  segment_order(std::int64_t segments, const segment_census& census, const segment_shape& shape);

  std::int64_t tasks() const { return total_ == 0 ? 0 : (total_ - 1) / shape_.task_work + 1; }

  /// Calls `visit(number, segment)` for those whose work begins in that of task `task`.
  template <class Visit>
  void for_each_in(std::int64_t task, const segment_bounds& of, const Visit& visit) const {
    const std::int64_t begin = task * shape_.task_work, block = block_of(begin);
    const std::int64_t rest = total_ - begin;
    const std::int64_t end = rest < shape_.task_work ? total_ : begin + shape_.task_work;
    std::int64_t before = before_[static_cast<std::size_t>(block)];
    for (std::int64_t i = block * segment_census::block_segments; i < of.count && before < end; ++i) {
      const interval segment = of.at(i);
      if (before >= begin) visit(i, segment);
      before += shape_.work_of(1, segment.end - segment.begin);
    }
  }

 private:
  // The last block that begins at `work` or before.
  std::int64_t block_of(std::int64_t work) const;

  const segment_shape& shape_;
  std::vector<std::int64_t> before_;  // the work before each block of the census
  std::int64_t total_ = 0;
};

/// A segment in parts that are tasks of their own. Parts are numbered through all such segments.
struct shared_segment {
  std::int64_t segment, part_length, first_part, parts;
};

struct shared_list {
  std::vector<shared_segment> list;
  std::int64_t parts = 0;

  const shared_segment& of_part(std::int64_t number) const;
};

shared_list shared_segments(const segment_bounds& of, const segment_census& census, const segment_shape& shape);

/// The accumulators of a block, and the boxes of a nest that hold their elements.
struct block_boxes {
  block_boxes(const nest& n, const segment_shape& s);

  void go_to(std::int64_t block);
  std::int64_t count() const { return numbers.end - numbers.begin; }

  const nest& from;
  const segment_shape& shape;
  std::int64_t block = -1;
  interval numbers{0, 0};
  std::size_t along;      // the loop along the axis
  std::vector<box> list;  // whole along it
};

}  // namespace multifold::inline v0_1::host
