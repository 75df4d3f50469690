// The seam between the run-time dispatch of segments and the compiled instances.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "multifold/array.hpp"
#include "multifold/cuda/work_queue.hpp"
#include "multifold/ops/visit.hpp"
#include "multifold/plan.hpp"
#include "multifold/reduction.hpp"

namespace multifold::inline v0_1::cuda::segments {

/// What each share of the work leaves are accumulators of no more than so many bytes.
inline constexpr std::int64_t most_accumulator_bytes = 512, most_sum_bytes = 64;

/// How the work is cut into shares, of blocks or, of exact sums, of warps, by elements and segments together. An SM
/// holds `most_of_unit` at most. There are several times as many as the card holds where each is worth what it takes to
/// begin with it: not all SMs are equally fast, and what has begun later evens out what others lack. On an H200, sums of
/// 4 GiB of f32 in 4 segments went at 3375 GB/s, and maxima of a power law at 1624: in as many shares as the card holds,
/// and with barriers at which every lane arrived, at 2808 and 1089.
struct share_sizes {
  std::int64_t most_of_unit;
  std::int64_t least;   // no share has less
  std::int64_t enough;  // worth a share of its own beyond those that the card holds
};
inline constexpr share_sizes shares_of_blocks{most_tile_blocks, 1 << 12, 1 << 17},
    shares_of_warps{16, 1 << 11, 1 << 14};
inline constexpr std::int64_t most_share_waves = 8;

/// The number of them for a card that holds `resident` at a time.
inline std::int64_t share_count(const share_sizes& sizes, std::int64_t elements, std::int64_t segments,
                                std::int64_t resident) {
  const std::int64_t all = elements + segments;
  const std::int64_t waves = std::clamp<std::int64_t>(all / sizes.enough / resident, 1, most_share_waves);
  return std::clamp<std::int64_t>((all + sizes.least - 1) / sizes.least, 1, resident * waves);
}
/// No fewer than that, for any number that are held.
inline std::int64_t most_shares(const share_sizes& sizes, std::int64_t elements, std::int64_t segments,
                                std::int64_t units) {
  const std::int64_t held = units * sizes.most_of_unit;
  return std::max(held, std::min((elements + segments) / sizes.enough, held * most_share_waves));
}

/// Lost segments that are this much longer than the mean, and than so many elements, are read again in parts.
inline constexpr std::int64_t least_long = 1 << 16, long_means = 8, parts_of_long = 64;
/// Room for them: `room` of each but the list, which begins with their number.
struct long_segment_memory {
  std::int64_t longest, room;
  std::int64_t* list;
  std::int64_t* words;
  unsigned* arrivals;
  void* extremes;  // a part
};
inline std::int64_t longest_of_mean(std::int64_t elements, std::int64_t count) {
  return std::max(least_long, long_means * (elements / count));
}

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
  long_segment_memory long_ones;
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

}  // namespace multifold::inline v0_1::cuda::segments
