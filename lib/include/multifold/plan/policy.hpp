// How one pass is laid out on an engine: the values that kernels and plans share. Nothing here decides or runs
// anything.
#pragma once

#include <cstdint>
#include <string_view>

#include "multifold/dtype.hpp"
#include "multifold/export.hpp"

namespace multifold::inline v0_1 {

/// How the partial results of a pass become one.
enum class finish : std::uint8_t {
  next_pass,   // written to the workspace; the next pass reduces them
  last_block,  // written to the workspace; the last block of a batch to arrive reduces them, in order
  atomic,      // merged into one accumulator a batch by atomics
};

/// How the values of a block's threads become one.
enum class block_form : std::uint8_t {
  shuffle,      // shuffles inside each warp, then one value a warp through shared memory
  shared_tree,  // a tree in shared memory
};

/// What a pass reads, and how its work is laid out.
enum class kernel : std::uint8_t {
  block_rows,     // a block per part of a row of contiguous elements
  columns,        // neighbouring columns side by side: wide ones of a fold on the GPU, and all on the CPU
  tiles,          // any batches, in boxes of the array that are brought to shared memory
  strided,        // a block per part, an offset per element
  partials,       // a block per part of a row of partial results
  exact_rows,     // a block per part of a long row of floating-point elements, summed exactly whatever they are
  exact_blocks,   // a block per part of rows that one wave of blocks reads, for the same
  moment_groups,  // `group` threads per part of any batch, for norms, dot products, variances and descriptions
  sum_groups,     // the same for exact sums that other passes lost
};

MULTIFOLD_EXPORT std::string_view name(finish how) noexcept;
MULTIFOLD_EXPORT std::string_view name(block_form form) noexcept;
MULTIFOLD_EXPORT std::string_view name(kernel kind) noexcept;

/// What a block of tiles reads at a time: a box of the array (outer, length, inner), in shared memory.
struct tile_box {
  int outers = 1, rows = 1, columns = 1;  // at most; rows along the length, columns along inner
  int pitch = 0;                          // bytes from one contiguous piece to the next; 0 where it is a single piece
  bool turned = false;                    // threads of different outers begin at different rows: other banks
  int resident = 1;                       // the occupancy: blocks on an SM

  bool operator==(const tile_box&) const = default;
};

/// What a pass of tiles reads: (outer, length, inner) elements, whose batches run along the length; neighbours along
/// inner are neighbours in memory. Strides are in elements.
struct tiled_array {
  std::int64_t outer = 1, length = 1, inner = 1;
  std::int64_t outer_stride = 0, row_stride = 1;
  std::int64_t index_step = 1;  // from row to row, in the indices of the elements of a batch

  bool operator==(const tiled_array&) const = default;
};

/// Blocks of tiles: of so many threads, so many on an SM, each with a ring of so many pipeline
/// stages in shared memory. On an H200, rows of 1000 f32 were added at 4240 GB/s like this; with three stages of 16 KiB
/// and four blocks at 3480, and with three of 32 KiB and two blocks at 4260, but columns of (1000, 17) at 3410 in place
/// of 3940.
inline constexpr int tile_threads = 256, tile_stages = 2, most_tile_blocks = 3;
inline constexpr int moment_column_blocks = 2;  // at most, whose threads take whole moments of several columns
inline constexpr std::int64_t tile_stage_bytes = (30 << 10) + 128;
/// Pieces of tiles begin as far behind a multiple of this as they do in memory.
inline constexpr int tile_line_bytes = 128;
// A thread's columns may end behind the last one.
inline constexpr std::int64_t tile_ring_bytes = tile_stages * tile_stage_bytes + 16;

/// Shared memory of a block of tiles: the ring, an accumulator for each thread there may be, the rest of what the
/// kernel has, and what CUDA takes itself of an SM's.
constexpr std::int64_t tile_block_bytes(std::int64_t accumulator) noexcept {
  return tile_ring_bytes + tile_threads * accumulator + 512 + 1024;
}
/// The occupancy of tiles, in blocks an SM. Kernels are compiled for that of an H200: latency is hidden by warps
/// alone, and moments with 24 of them in place of 16 took fewer cycles even where a few registers were spilled.
constexpr int tile_blocks(std::int64_t accumulator, std::int64_t shared_bytes = INT64_C(228) << 10) noexcept {
  const std::int64_t blocks = shared_bytes / tile_block_bytes(accumulator);
  return blocks < most_tile_blocks ? static_cast<int>(blocks) : most_tile_blocks;
}

/// Threads of a block that walks down wide columns, at most, and the occupancy, in blocks an SM: latency is hidden by
/// warps alone, which wide accumulators leave registers for fewer of.
inline constexpr int column_threads = 256;
constexpr int column_blocks(std::int64_t accumulator) noexcept { return accumulator <= 16 ? 4 : 3; }
/// Columns of elements of `item` bytes that a thread walks down together: 8 bytes of narrow ones, or one.
constexpr int walked_columns(std::int64_t item) noexcept { return item <= 2 ? static_cast<int>(8 / item) : 1; }

/// A warp reads rows of so many elements, or of four times as many bytes, by itself: of shorter ones, what it does once a
/// row counts; of longer ones there are too few for all warps to end together.
inline constexpr std::int64_t least_warp_row = 512, most_warp_row_bytes = 64 << 10;

/// Threads of a block that reads long rows of moments, and the occupancy that registers allow, in blocks an SM.
inline constexpr int part_threads = 256, part_blocks = 3;

/// Rows of moments that groups of a warp's lanes read by themselves: of shorter ones, loads of theirs are hardly
/// coalesced.
inline constexpr std::int64_t least_group_row_bytes = 128;

/// Elements of a run of exact sums, at most, that a lane adds up with their errors, of so many bytes each.
MULTIFOLD_HD constexpr int most_short_run(std::int64_t item) noexcept { return item == 8 ? 12 : 16; }

/// Elements of a run in a tile that a lane takes, at most: what the narrowest lanes hold.
inline constexpr int most_run_share = (1 << 12) - 64;

/// Runs of neighbours with so many elements are read by vectors, by the lanes of a group: sooner where no element goes
/// alone, the ends being `masked`, and the more elements a vector has.
MULTIFOLD_HD constexpr int least_row_by_vectors(int item, bool masked, int group) noexcept {
  const int vectors = !masked ? 4 * group : item == 1 ? (group < 2 ? 2 : group) : item == 2 ? 2 * group : 6 * group;
  return vectors * (16 / item);
}

/// Columns of elements of `item` bytes that a thread of tiles takes together, at most. Exact sums do so where no other
/// thread has a part of their runs, and look at exponents once for all of them.
constexpr int most_tile_columns(std::int64_t item) noexcept { return item <= 2 ? 4 : item == 4 ? 2 : 1; }

/// One pass: the elements of every batch go to its `parts` in turn, `tile` at a time; no part is empty.
struct pass {
  kernel kind = kernel::block_rows;
  std::int64_t batches = 1;
  std::int64_t length = 1;
  std::int64_t parts = 1;
  std::int64_t tile = 1;           // equal to part_length where parts are contiguous
  std::int64_t part_length = 1;    // elements of the longest part
  finish how = finish::next_pass;  // without meaning where parts == 1
  block_form form = block_form::shuffle;
  int threads = 1;          // a block, or CPU threads at most
  int group = 1;            // threads per run of a box in tiles, per column, per part in moment_groups and sum_groups
  int vector = 1;           // neighbouring columns per thread in columns and tiles
  std::int64_t blocks = 1;  // of the grid, or parts that the CPU has
  tiled_array array;        // of tiles, and of columns on the GPU
  tile_box box;             // the same

  bool contiguous() const noexcept { return tile == part_length; }
  /// Of tiles: whether each batch is in one of them, and the lanes that share it are neighbours.
  bool has_whole_runs() const noexcept {
    return parts == 1 && box.rows >= array.length && (group == 1 || array.inner == 1);
  }
  /// Of tiles: whether rows of elements of so many bytes are long and many enough for a warp each. Exact sums read those
  /// with no tile.
  bool has_warp_rows(std::int64_t item) const noexcept {
    const std::int64_t bytes = length * item;
    return (bytes >= 4 * least_warp_row || length >= least_warp_row) && has_rows_for(bytes, 1);
  }
  /// The same of moments, of which a warp takes several rows at once.
  bool has_group_rows(std::int64_t item) const noexcept {
    const std::int64_t bytes = length * item;
    return bytes >= least_group_row_bytes && has_rows_for(bytes, bytes < 2048 ? 8 : 1);
  }
  /// The part that element `index` of a batch belongs to.
  std::int64_t part_of(std::int64_t index) const noexcept { return index / tile % parts; }

  bool operator==(const pass&) const = default;

 private:
  bool has_rows_for(std::int64_t bytes, std::int64_t rows_of_warp) const noexcept {
    return parts == 1 && array.inner == 1 && bytes <= most_warp_row_bytes &&
           batches >= 4 * blocks * (tile_threads / 32) * rows_of_warp;
  }
};

/// Whether each batch of partial results is a thread's, where there are few a batch: any grid serves, best of all a
/// thread a batch.
MULTIFOLD_HD constexpr bool takes_a_thread(std::int64_t batches, std::int64_t parts, std::int64_t length) noexcept {
  constexpr std::int64_t few = 8;
  return parts == 1 && length <= few && (batches > 1 || length == 1);
}

/// A block of the kernel that follows a first pass of exact sums of long rows of f64, over the tiles that it marked:
/// one block an SM.
inline constexpr int wide_threads = 192;
inline constexpr int wide_bin_rows = 145;  // of a warp's bins of double in shared memory, 32 of them each
inline constexpr int wide_shared_bytes = wide_threads / 32 * wide_bin_rows * 32 * 8;

/// Rows of f32 and bf16 up to this size are read by one block at once, so many vectors of 16 bytes a thread.
inline constexpr std::int64_t quick_row_bytes = 8 << 10;
inline constexpr int quick_vectors = 2;

/// Vectors of 16 bytes that a thread takes of every tile of exact_rows. Blocks that read longer runs get more out
/// of the memory, but short rows have to be shared among many blocks.
constexpr std::int64_t exact_tile_vectors(dtype input, std::int64_t length) noexcept {
  if (input == dtype::f64) return length < INT64_C(1) << 19 ? 12 : 36;
  return length < (INT64_C(1) << 26) / item_bytes(input) ? 4 : 32;
}

/// Tiles of f64 that a row of `length` elements has at most.
constexpr std::int64_t exact_tiles(std::int64_t length, std::int64_t threads) noexcept {
  const std::int64_t tile = exact_tile_vectors(dtype::f64, length) * threads * 2;
  return length / tile + (length % tile != 0 ? 1 : 0);
}

}  // namespace multifold::inline v0_1
