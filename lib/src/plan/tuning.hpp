// The table of tuning: every number by which plans for a GPU choose, what it decides, and the measurement behind it.
//
// What depends on the card is asked from it (engine_traits): SMs, the threads, blocks and shared memory
// that one holds, and the memory's rate. Rows in bytes that stand for a time, what a kernel more or a look more costs,
// go with the memory's rate (see `timed_bytes`); all others are of one block, one warp or one thread, and of any card.
// "Reasoned" rows were never measured by themselves. Other places have, for the sake of who else reads them,
//
// - policy.hpp: what kernels are compiled with, too: tiles, columns a thread, exact tiles, wide blocks, quick rows;
// - layouts/tile.cpp: the boxes of tiles; tile_threads.cpp: what the steps of their threads cost;
// - placement.cpp: results that wait.
#pragma once

#include <algorithm>
#include <cstdint>

#include "multifold/dtype.hpp"
#include "multifold/plan.hpp"

namespace multifold::inline v0_1::detail::tuning {

// --- Any pass -------------------------------------------------------------------------------------------------------

/// What a thread loads at once, and what the memory brings at once: a part boundary every 128 bytes keeps full cache
/// lines on both sides of a cut. [bytes, of the hardware]
inline constexpr std::int64_t vector_bytes = 16, line_bytes = 128;

/// Threads a block, unless a kernel says otherwise: a power of two, of which every card that kernels run on holds three
/// or more blocks. Reasoned.
inline constexpr int block_threads = 512;

/// A shorter part is not worth a block of its own: eight vectors a thread. Reasoned. [bytes]
inline constexpr std::int64_t part_bytes = 64 << 10;

/// Grids of so many blocks are as many as CUDA takes. [of the hardware]
inline constexpr std::int64_t most_blocks = (INT64_C(1) << 31) - 1;

/// Parts fill whole waves of blocks: the fewest that are as full as this, among the first few. Reasoned: behind eight
/// waves, the last one is an eighth at most.
inline constexpr std::int64_t most_waves = 8;
inline constexpr double full_wave = 0.95;

/// Partial results that are left to one block a batch. Reasoned: 32 for each of its threads.
inline constexpr std::int64_t most_partials = 1 << 14;

// --- Rows of neighbours: block_rows ---------------------------------------------------------------------------------

/// What a thread loads before it uses the first. Tiles dealt in turn keep all blocks in one range of memory: on an
/// H200 16 GiB of f32 were read at 4564 GB/s like this, and at 4464 with contiguous parts. [vectors; as in
/// block_rows.cuh]
inline constexpr std::int64_t vectors_in_flight = 4;

/// The occupancy for which kernels are compiled, in blocks an SM. Arrays that they read at once, with four vectors
/// a thread, are cut into a part for every SM, as far as that leaves a vector for each thread: on an H200,
/// captured sums of f32 of 4 MiB take 4.3 microseconds in 128 parts, 4.5 in 256 and 4.7 in 512; of 8 MiB 5.6, 5.4, 7.2.
inline constexpr std::int64_t row_blocks_a_unit = 2;

/// Vectors that a thread reads of a row which has a block of its own. Blocks end at different times, and small ones, of
/// which an SM holds more, leave less of it idle then: on an H200, rows of 70 KB took, as shares of a plain read, with
/// 512 threads, with 32 vectors a thread and with 128: any of f32 0.72, 0.84, 0.93; sums of u8 0.53, 0.70, 0.87; of i32
/// 0.53, 0.71, 0.88; argmax of f32 0.62, 0.78, 0.88; rows of 250 KB: 0.91, 0.91, 0.95; 0.81, 0.83, 0.96; 0.80, 0.81,
/// 0.93; 0.86, 0.88, 0.94.
inline constexpr std::int64_t row_vectors_a_thread = 128;

/// A row alone of up to this size has as many parts, which then end together: on an H200, 64 MiB take 18.4
/// microseconds, and 19.7 in twice as many parts. In longer rows those that come later even out what the others lack:
/// 16 GiB take 3677 microseconds, not 3690. [bytes, timed]
inline constexpr std::int64_t most_resident_bytes = INT64_C(512) << 20;

// --- Wide columns: columns ------------------------------------------------------------------------------------------

/// Rows of columns that are read with no tile, from this size on: a warp reads 128 or 256 bytes of a row at once.
/// On an H200, as shares of a plain read, beside tiles: argmax of bf16 in columns of 129 rows 0.72 and 0.55, of f32 in 98
/// 0.93 and 0.72, of f64 in 25480 0.93 and 0.78; min of f64 in 290 0.93 and 0.73, of f32 in 21270 0.97 and 0.91; any of
/// i16 in 192 0.81 and 0.63, of bf16 in 15297 0.76 and 0.67; sums of u16 in 78 0.85 and 0.73, of i64 in 3097 0.88 and
/// 0.82; prod of f64 in 22797 0.77 and 0.68. But min of f16 in 373 0.71 and 0.90, of u16 in 769 0.79 and 0.94; prod of
/// u16 in 842 0.34 and 0.43, of f32 in 33 0.50 and 0.60. Columns of 2 to 10 rows took twice as long as in tiles.
/// [bytes]
inline constexpr std::int64_t least_column_bytes = 512;

/// What a thread reads of a column, at least: of fewer rows it waits more than it reads; and where several share one, or
/// parts of it are dealt to several blocks, merging takes as long as some of them. [rows]
inline constexpr std::int64_t least_column_rows = 32;

// --- Exact sums -----------------------------------------------------------------------------------------------------

/// Rows from this size on have blocks of their own: to begin and to end them costs some microseconds each. Bins do not
/// care what the data are, tiles do. On an H200, as shares of a plain read, tiles beside bins: rows of 120 KB of f32,
/// normal 0.76 and 0.69, lognormal with sigma 3 0.64 and 0.69, with sigma 10 0.23 and 0.69, any bits 0.11 and 0.69; of
/// 280 KB, normal 0.79 and 0.74; rows of 134 KB of bf16 0.63 and 0.71, 0.62 and 0.71, 0.14 and 0.71, 0.15 and 0.71.
/// Pairs of f64 do, and more than tiles: of 124 KB 0.65 and 0.66, 0.65 and 0.69, 0.30 and 0.03, 0.22 and 0.02.
/// [bytes, timed]
constexpr std::int64_t exact_row_bytes(dtype input) {
  return input == dtype::f32 || input == dtype::bf16 ? INT64_C(96) << 10 : INT64_C(512) << 10;
}

/// Rows up to this size are read by one wave of blocks that gather pairs, and have little else to do than to wait for
/// memory. Captured sums on an H200, in microseconds, of normal elements and of any bits, beside the kernels for longer
/// rows:
///           f32                     bf16                    f64
///     1 MiB 4.0 (10.5), 15 (10)     5.3 (10.8), 15 (11)     4.1 (15.9), 29 (36)
///     8     6.6 (13.6), 19 (13)     8.5 (13.8), 20 (14)     6.9 (31.9), 59 (175)
///     32    13.6 (21.7), 33 (22)    16.8 (22.9), 35 (23)    14.1 (28.0), 169 (131)
/// [bytes, timed]
inline constexpr std::int64_t most_block_row_bytes = INT64_C(32) << 20;

/// Arrays of several such rows are read so up to this size. Of larger ones, kernels for longer rows make up for what
/// they begin and end with, whatever the data: on an H200, as shares of a plain read, 1.3 GB of f32 in 159 rows took
/// 0.82 here and 0.87 there, of any bits 0.39 and 0.87; of f64 in 142 rows 0.80 and 0.85, lognormal with sigma 10 0.01
/// and 0.24. [bytes, timed]
inline constexpr std::int64_t most_block_bytes = INT64_C(128) << 20;

/// What a block reads alone: 64 KiB take it 4.1 microseconds on an H200, and 128 KiB in parts 3.7, but in a graph of
/// many sums two kernels take twice the time of one. The fewer elements there are in a byte, the less a block has to do
/// for it. [bytes]
constexpr std::int64_t single_block_bytes(dtype input) { return input == dtype::bf16 ? 32 << 10 : 64 << 10; }

/// Of a block that reads a part of a row, and at least of the block that brings the parts together: it has more to do
/// than for other sums where parts are lost. Two such blocks fit an SM's registers, two of more threads
/// would not. A part has two vectors for each thread in arrays of up to 2 MiB. Reasoned.
inline constexpr int exact_part_threads = 256;
inline constexpr std::int64_t small_part_bytes = exact_part_threads * 32;
inline constexpr std::int64_t part_blocks_a_unit = 2;

/// Parts of a row: one for each thread of the block that brings them together.
inline constexpr std::int64_t most_block_parts = 512;

/// Arrays up to this size are read by blocks of so many threads, and more of them: they take a few microseconds.
/// Reasoned. [bytes, timed]
inline constexpr std::int64_t small_exact_bytes = INT64_C(1) << 26;
inline constexpr int small_exact_threads = 256;

/// Tiles of long rows of f32 and of narrower elements, in vectors of 16 bytes a thread: the largest of which a part still
/// has so many. On an H200 captured sums of f32 in tiles of 4 and of 32 vectors took, in microseconds, of 80 MiB 36 and
/// 41, of 160 MiB 55 and 61, of 512 MiB 142 and 143. [vectors; tiles]
inline constexpr std::int64_t least_tile_vectors = 4, most_tile_vectors = 32, tiles_a_part = 16;

/// Of parts from this size on, the last tiles go to blocks that ask first, by counters that have to be cleared. On
/// an H200 that brought 16 GiB of f32 from 0.995 to 1.001 of a plain read; parts of 1 MiB end together. [bytes]
inline constexpr std::int64_t least_claimed_part_bytes = INT64_C(4) << 20;

/// The occupancy of long rows, in threads an SM, if it has the shared memory for their bins: as many as
/// kernels are compiled for. What a block takes beside them is rounded up. [bytes]
inline constexpr std::int64_t exact_threads_a_unit = 1024, bin_bytes_a_thread = 144, bin_block_bytes = 4 << 10;

/// Sums that are added again: a lane rounds the sum of its group, which takes some twenty instructions a limb; so does
/// every limb that lanes merge. So lanes have so many elements, unless SMs would be idle, and never fewer
/// than so many. Reasoned.
inline constexpr std::int64_t again_elements_a_limb = 2, again_least_elements = 8;
/// The occupancy that registers allow, in warps an SM, each a block of its own. [as in sum_groups.cuh]
inline constexpr std::int64_t again_warps_a_unit = 24;

// --- Moments --------------------------------------------------------------------------------------------------------

/// Threads a block of groups, at most. [as in the kernels]
inline constexpr int moment_threads = 256;

/// Moments of rows from this size on are taken by teams of warps, or shared among blocks. On an H200, dot products of f32
/// in rows of 4 KiB went from 0.47 to 0.88 of a plain read with it, variances of f16 from 0.52 to 0.55. [bytes]
inline constexpr std::int64_t least_part_row_bytes = 2 << 10;
/// The same of descriptions, and of rows of bf16 that lie in tiles or are read by groups of lanes, whose plain sums are often
/// not certain where they are longer. Descriptions of f32 in rows of 4 and 32 KiB: 0.35 and 0.13 by tiles, 0.28 and 0.58
/// by teams; bf16 in rows of 6, 16 and 64 KiB 0.44, 0.45 and 0.33 by groups, 0.62, 0.82 and 0.88 by teams, of 2 KiB 0.71
/// and 0.36. Such rows of f32 and f64 stay with groups: of 4 KiB 0.89 and 0.49, of 16 KiB 0.94 and 0.80. [bytes]
inline constexpr std::int64_t least_costly_part_row_bytes = 6 << 10;

/// Rows that each of a block's teams of threads has at least, before half as many threads share one. Reasoned.
inline constexpr std::int64_t least_rows_of_team = 8;

/// Moments of other batches are taken by lanes, an element at a time, along runs from this length on. Columns are shared by
/// several lanes where each of them has so many elements, and so many of a run; what a lane takes together. On an H200,
/// variances of f32 over a middle axis of 16 had 0.42 of a plain read with it and 0.67 in tiles, of 25 with sigma 10 0.42 and 0.07,
/// of 128 0.51 and 0.37.
inline constexpr std::int64_t least_part_column = 17, part_lane_rows = 512, least_part_lane_rows = 64,
                              part_lane_step = 16;
/// Exact sums are taken so along runs of so many bytes: of f32 in 24, 32 and 64 rows 0.59, 0.75 and 0.86 of a plain read on an
/// H200, 0.75, 0.77 and 0.31 in tiles; of bf16 in 32 and 64 rows 0.48 and 0.56, 0.57 and 0.32 in tiles. [bytes]
inline constexpr std::int64_t least_sum_walk_bytes = 128;
/// A block that shares columns has as many neighbours as fill so many bytes, or half of them if lanes were left over; where
/// fewer bytes lie side by side than these, columns are read only by blocks that have many rows at once. [bytes]
inline constexpr std::int64_t part_column_bytes = 256, least_part_line_bytes = 32;
/// Elements that a lane has of a batch at least, where a warp or more of them share it. Reasoned.
inline constexpr std::int64_t part_row_lane_elements = 128;
/// Lanes of a block that have elements on the average, at least, where each has one of a run beside the walk; with so many no
/// other number of lanes for a batch is looked at. Reasoned.
inline constexpr double least_part_lanes = 154, enough_part_lanes = 215;
/// Integers go to lanes if these load so many bytes at a time, of both arrays. On an H200, 1-byte dot products over several axes had
/// 0.86 of a plain read in tiles and 0.39 by lanes, 2-norms of 2 bytes in columns 0.71 and 0.55, covariances of those 0.41 and
/// 0.74, variances of 4 bytes 0.41 and 0.88. [bytes]
inline constexpr std::int64_t least_integer_lane_bytes = 4;
/// What the end of a share costs beside an element of a lane. Reasoned.
inline constexpr double part_lane_cost = 24;
/// Shares of a batch that a lane merges, at most. Reasoned.
inline constexpr std::int64_t most_lane_meetings = 256;

/// Elements a lane of a part that is no long row, and of a batch that lanes share. Reasoned.
inline constexpr std::int64_t moment_part_elements = 32, moment_lane_elements = 8;

// --- Groups of lanes: moment_groups, sum_groups ---------------------------------------------------------------------

/// Threads a block, where groups gather in registers, and their occupancy at most, in blocks an SM: that of all
/// threads. [as in the kernels]
inline constexpr int group_threads = 256;
inline constexpr std::int64_t group_blocks_a_unit = 8;

/// Batches up to this many are cut into parts, which take words in memory. Reasoned: more keep every lane busy.
inline constexpr std::int64_t most_batches_in_parts = 4096;

/// Shared memory that CUDA takes for a block, beside what it asks for. [bytes, of the hardware]
inline constexpr std::int64_t block_bytes = 1024;

// --- The card -------------------------------------------------------------------------------------------------------

/// The rate of the memory that "timed" rows were found with: an H200's. [bytes a second]
inline constexpr double measured_memory_rate = 4.8e12;

/// As many bytes as `engine` reads while an H200 reads `bytes`: within a factor of two, which is what these rows are
/// good to. An H100, on which they were tried as they stand, counts as an H200, and so does a card that does not tell.
inline std::int64_t timed_bytes(std::int64_t bytes, const engine_traits& engine) {
  if (engine.memory_rate <= 0) return bytes;
  double share = 1;
  while (share / 2 * measured_memory_rate >= engine.memory_rate && share > 1.0 / 256) share /= 2;
  while (share * 2 * measured_memory_rate <= engine.memory_rate && share < 256) share *= 2;
  return static_cast<std::int64_t>(static_cast<double>(bytes) * share);
}

/// A GPU of `units` SMs that hold so many threads each. What else is asked from a card is still to be set.
inline engine_traits traits_of_gpu(int units, int unit_threads) {
  engine_traits t;
  t.engine = engine_kind::device;
  t.units = units;
  t.unit_threads = unit_threads;
  t.threads = block_threads;
  t.blocks_per_unit = std::max(1, unit_threads / block_threads);
  t.part_bytes = part_bytes;
  t.max_blocks = most_blocks;
  return t;
}

}  // namespace multifold::inline v0_1::detail::tuning
