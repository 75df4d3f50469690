// How lanes go through batches of any strides, an element at a time.
#pragma once

#include <cstdint>
#include <optional>

#include "multifold/array.hpp"
#include "multifold/exact/rolled.hpp"

namespace multifold::inline v0_1::detail {

/// The lanes of a block have `width` batches, each of them shared by `phases` lanes. A lane goes along one of the reduced
/// runs, the walk, or through a range of it; a part is a range of it at one place of the other runs, of which the run
/// that lanes lie along is cut into chunks, and a share is some parts behind each other. Strides are in elements,
/// extents are positive.
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
  int walk_phases;     // lanes that have every so many-th element of a part: all of a batch's, or each has all of them
  int lane_rows;       // elements that a lane has of a part, at most
  int ranges, chunks;  // of the walk, and of the places for lanes
  int parts;           // of a batch
  int share, shares;   // parts of a share, at most, and shares of a batch
  int batches, boxes;  // boxes of `width` batches
  bool beside;         // the lanes of a batch are neighbours; else those of neighbouring batches
};

/// What a lane has of a part. Elements follow each other as every `walk_phases`-th of the walk does.
struct lane_part {
  std::int64_t offset = 0, index = 0;  // of its first element from the array's, and its number in the batch
  int left = 0;                        // how many it has
};

/// Of `batch`, and of the lane `phase` of those that share it.
MULTIFOLD_HD constexpr lane_part lane_part_of(const lane_walk& walk, int batch, int phase, int part) {
  lane_part of;
  auto left = static_cast<unsigned>(batch);
  MULTIFOLD_ROLLED
  for (int i = walk.kept_count - 1; i > 0; --i) {
    const auto extent = static_cast<unsigned>(walk.kept_extent[i]), above = left / extent;
    of.offset += (left - above * extent) * walk.kept_stride[i];
    left = above;
  }
  if (walk.kept_count > 0) of.offset += left * walk.kept_stride[0];
  auto other = static_cast<unsigned>(part);
  int row = 0;
  if (walk.ranges > 1) {
    other /= static_cast<unsigned>(walk.ranges);
    row = (part - static_cast<int>(other) * walk.ranges) * walk.lane_rows * walk.walk_phases;
  }
  int place = phase;
  if (walk.chunks > 1) {
    const unsigned above = other / static_cast<unsigned>(walk.chunks);
    place += static_cast<int>(other - above * static_cast<unsigned>(walk.chunks)) * walk.phases;
    other = above;
  }
  const int most = walk.lane_rows * walk.walk_phases, behind = static_cast<int>(walk.walk_extent) - row;
  int rows = most < behind ? most : behind;
  if (place >= walk.phase_extent) rows = 0;
  of.index = place * walk.phase_index + row * walk.walk_index;
  of.offset += place * walk.phase_stride + row * walk.walk_stride;
  MULTIFOLD_ROLLED
  for (int i = walk.other_count - 1; i >= 0; --i) {
    const auto extent = static_cast<unsigned>(walk.other_extent[i]), above = other / extent,
               here = other - above * extent;
    of.offset += here * walk.other_stride[i];
    of.index += here * walk.other_index[i];
    other = above;
  }
  if (walk.walk_phases > 1) rows = (rows - phase + walk.walk_phases - 1) / walk.walk_phases;
  of.left = rows > 0 ? rows : 0;
  return of;
}

/// For elements of `item` bytes, and a GPU that holds `slots` blocks. Nothing where it would not serve: where no run is
/// contiguous, where runs are too short, or too many.
std::optional<lane_walk> lane_walk_of(const batches& form, std::int64_t item, std::int64_t slots);

}  // namespace multifold::inline v0_1::detail
