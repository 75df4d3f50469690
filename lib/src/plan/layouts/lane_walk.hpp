// How lanes go through batches of any strides, an element at a time.
#pragma once

#include <cstdint>
#include <optional>

#include "multifold/array.hpp"

namespace multifold::detail {

/// The lanes of a block have `width` batches, each of them shared by `phases` lanes. A lane goes along one of the reduced
/// runs, the walk, or through a piece of it; a part is a piece of it at one place of the other runs, of which the run that
/// lanes lie along is cut into chunks, and a share is some parts behind each other. Strides are in elements, extents are
/// positive.
struct lane_walk {
  static constexpr int most_runs = 8;
  // Runs are the slowest first; an index is what a batch's elements are numbered by.
  std::int64_t kept_extent[most_runs], kept_stride[most_runs];                            // of batches
  std::int64_t other_extent[most_runs], other_stride[most_runs], other_index[most_runs];  // reduced, but for the walk
  std::int64_t walk_extent, walk_stride, walk_index;
  std::int64_t phase_stride, phase_index;  // from lane to lane of a batch
  std::int64_t phase_extent;               // places for lanes, of which `phases` at a time are taken
  int kept_count, other_count;
  int width, phases;   // lanes of a block: width * phases, at most its threads
  int walk_phases;     // lanes that have every so many-th element of a piece: all of a batch's, or each has all of them
  int lane_rows;       // elements that a lane has of a piece, at most
  int pieces, chunks;  // of the walk, and of the places for lanes
  int parts;           // of a batch
  int share, shares;   // parts of a share, at most, and shares of a batch
  int batches, boxes;  // boxes of `width` batches
  bool beside;         // the lanes of a batch are neighbours; else those of neighbouring batches
};

/// For elements of `item` bytes, and a GPU that holds `slots` blocks. Nothing where it would not serve: where no run is
/// contiguous, where runs are too short, or too many.
std::optional<lane_walk> lane_walk_of(const batches& form, std::int64_t item, std::int64_t slots);

}  // namespace multifold::detail
