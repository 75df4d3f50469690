// Results that wait in the order of their batches, and the tiles in which a kernel puts them in their places: what that
// kernel and plans share.
#pragma once

#include <cstdint>
#include <vector>

#include "multifold/array.hpp"
#include "multifold/export.hpp"

namespace multifold::inline v0_1 {

/// Runs of results that kernels take.
inline constexpr int most_result_runs = 8;

/// The runs of the results of `form`, slowest first as batches are numbered, in as few of them as there can be: their
/// extents and result strides.
MULTIFOLD_EXPORT std::vector<run> result_runs(const batches& form);

/// Whether kernels that write results of `item_bytes` each to their places, as batches end, touch the memory's sectors
/// so often that it costs less to leave the results in the order of batches, and to put all of them in place in the
/// end.
MULTIFOLD_EXPORT bool scatters_results(const batches& form, std::int64_t item_bytes);

/// Some runs of results as one axis, slowest first, with the strides between neighbours in the order of batches and in
/// place.
struct placed_axis {
  int count;
  std::int64_t extent[most_result_runs], batch_stride[most_result_runs], place_stride[most_result_runs];
};

/// A block of the kernel, and what it has in shared memory: results, and where the lines of a tile begin.
inline constexpr int placing_threads = 256, placing_tile_bytes = 132 * 128, most_placed_lines = 512;

/// A transpose in tiles. Runs of results that are neighbours in both orders lie along columns in the order
/// of batches, and along rows in place.
struct placement {
  std::int64_t run_length;           // results
  placed_axis columns, rows, outer;  // of runs, but with strides of results
  std::int64_t column_count, row_count;
  std::int64_t place_step;  // from one result to the next of a tile's line, in place
  int tile_columns, tile_rows;
  int pitch;  // bytes from row to row in shared memory
  std::int64_t column_tiles, row_tiles, tiles;

  /// Of the grid.
  std::int64_t blocks() const noexcept {
    constexpr std::int64_t most = INT64_C(1) << 20;
    return tiles < most ? tiles : most;
  }
};

/// How results of `item_bytes`, at least one of them, are put in place.
/// Throws: unsupported_error for more runs than kernels take.
MULTIFOLD_EXPORT placement placement_of(const batches& form, std::int64_t item_bytes);

}  // namespace multifold::inline v0_1
