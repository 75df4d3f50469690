// An array as nested loops in memory order, and boxes of it: the common language of the engine and the chunk pipeline.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "multifold/array.hpp"

namespace multifold::inline v0_1::host {

/// One loop. Kept loops step through accumulators, reduced ones through the index within a batch.
struct nest_loop {
  std::int64_t extent;
  std::int64_t stride;       // elements
  std::int64_t acc_step;     // accumulators; kept loops are numbered in memory order
  std::int64_t result_step;  // results, in the order of the result array
  std::int64_t index_step;
  bool reduced;
  std::int64_t second_stride = 0;  // elements of a second operand that goes its own way (joint_nest)
};

/// Loops have at least two turns, and an array less than 2^63 elements.
inline constexpr int most_loops = 64;

struct nest {
  std::vector<nest_loop> loops;  // longest stride first
  std::vector<int> kept;         // numbers of the kept loops, in memory order
  std::vector<int> reduced;      // numbers of the reduced loops, in the order of the form, which plans cut
  std::vector<int> all;          // 0, 1, 2, ...
  std::int64_t offset = 0;       // elements from the data to the first element
  std::int64_t results = 1;
  std::int64_t length = 1;
  bool in_order = true;  // accumulators are numbered like results

  /// Where the result of accumulator `number` stands.
  std::int64_t result_of(std::int64_t number) const;
};

/// `form` must have elements.
nest nest_of(const batches& form);

/// The loops over two arrays of the same extents, with strides of their own, reduced over `axes`. Elements of a batch
/// are numbered in C order of the axes. There must be elements.
nest joint_nest(const array_view& x, const array_view& second, const std::vector<std::int64_t>& axes);

struct interval {
  std::int64_t begin, end;
};

/// An interval for each loop.
using box = std::array<interval, most_loops>;

/// The whole nest.
box whole(const nest& n);

/// Intersects the intervals of `loops` in `b` with those in `with`; whether anything is left.
bool intersect(const std::vector<int>& loops, const box& with, box& b);

namespace detail {

template <class Emit>
void cut_from(const nest& n, const std::vector<int>& order, std::size_t at, std::int64_t inner, interval range, box& b,
              const Emit& emit) {
  if (at == order.size()) return emit(b);
  const auto loop = static_cast<std::size_t>(order[at]);
  const auto deeper = [&](interval here, interval rest) {
    b[loop] = here;
    const std::int64_t next = at + 1 < order.size() ? n.loops[static_cast<std::size_t>(order[at + 1])].extent : 1;
    cut_from(n, order, at + 1, inner / next, rest, b, emit);
  };
  std::int64_t first = range.begin / inner;
  const std::int64_t last = (range.end - 1) / inner;
  const std::int64_t head = range.begin % inner, tail = (range.end - 1) % inner + 1;
  if (first == last) return deeper({first, first + 1}, {head, tail});
  if (head != 0) deeper({first, first + 1}, {head, inner}), ++first;
  const std::int64_t full = tail == inner ? last + 1 : last;
  if (first < full) deeper({first, full}, {0, inner});
  if (tail != inner) deeper({last, last + 1}, {0, tail});
}

}  // namespace detail

/// Cuts elements `range` of the loops in `order` (slowest first) into boxes, in ascending order, and calls `emit` for
/// each; the other loops keep the intervals that they have in `b`.
template <class Emit>
void cut(const nest& n, const std::vector<int>& order, interval range, box b, const Emit& emit) {
  if (range.begin >= range.end) return;
  std::int64_t inner = 1;
  for (std::size_t i = 1; i < order.size(); ++i) inner *= n.loops[static_cast<std::size_t>(order[i])].extent;
  detail::cut_from(n, order, 0, inner, range, b, emit);
}

}  // namespace multifold::inline v0_1::host
