// How the elements of an array in memory are shared out: blocks of batches by ranges of length.
#pragma once

#include <cstdint>

#include "host/shape/nest.hpp"

namespace multifold::inline v0_1::host {

/// What a task reads, where it does not have to read more. [bytes]
inline constexpr std::int64_t task_bytes = 256 << 10;

/// A block is `block` neighbouring accumulators, a range `range` neighbouring elements of each of their batches. Where
/// they decide about the bits of a rounded sum, both depend on the array and the plan alone; else on the threads, too:
/// long ranges leave few partial results.
struct work_shape {
  std::int64_t block, blocks;
  std::int64_t range, ranges_a_part, parts, part_length;
  bool split;  // every range of a block is a task of its own, else a block is one task

  std::int64_t ranges() const { return (parts - 1) * ranges_a_part + ranges_of(parts - 1); }
  std::int64_t ranges_of(std::int64_t part) const;
  std::int64_t tasks() const { return split ? blocks * ranges() : blocks; }
  interval batches_of(std::int64_t number) const;
  /// The elements of range `number`, which counts through all parts.
  interval elements_of(std::int64_t number) const;

  std::int64_t results, length;
};

/// `threads`: how many there are, if the order of elements does not show in the bits of results; else 0.
work_shape shape_of(const nest& n, std::int64_t item, std::int64_t parts, std::int64_t part_length, int threads);

}  // namespace multifold::inline v0_1::host
