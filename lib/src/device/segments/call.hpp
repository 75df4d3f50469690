// The seam between the run-time dispatch of segments and the compiled instances.
#pragma once

#include <cstddef>
#include <cstdint>

#include "multifold/array.hpp"
#include "multifold/cuda/work_queue.hpp"
#include "multifold/ops/visit.hpp"
#include "multifold/plan.hpp"
#include "multifold/reduction.hpp"

namespace multifold::cuda::segments {

/// Shares of the work, of blocks or, of exact sums, of warps: so many an SM at most, and no shorter than so many
/// elements and segments together. What each leaves are accumulators of no more than so many bytes.
inline constexpr std::int64_t most_shares_of_blocks = most_tile_blocks, most_shares_of_warps = 16,
                              least_share_of_blocks = 1 << 12, least_share_of_warps = 1 << 11,
                              most_accumulator_bytes = 512, most_sum_bytes = 64;

struct segment_call {
  const reduction& what;
  operands data;
  std::int64_t elements;
  const void* offsets;
  bool wide;  // offsets of 64 bits
  std::int64_t count;
  void* results;
  // Of the workspace: cleared but for the last two, which have room for an accumulator a share.
  std::uint32_t* status_word;
  unsigned long long* bad;
  void* cuts;
  unsigned* lost;
  void* begun;
  void* ended;
  // Where parts of lost segments meet, cleared; null where they are read as a whole.
  std::int64_t* words;
  unsigned* arrivals;
  void* extremes;
  const pass& again;  // over segments that the first look has lost
  const engine_traits& gpu;
  work_queue& queue;
};

template <op_family Family, class T>
void enqueue(const segment_call& c);
/// The same for op_family::moments, of elements that T carries.
template <storage_type T>
void enqueue_moments(const segment_call& c);
/// Segments that these have lost are read again, of elements that Carrier carries.
template <floating_storage Carrier>
void enqueue_lost_sums(const segment_call& c);
template <storage_type Carrier>
void enqueue_lost_moments(const segment_call& c);

}  // namespace multifold::cuda::segments
