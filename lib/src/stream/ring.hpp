// How large the chunks and slots of a GPU pipeline are: a pure function of what is reduced and of the memory
// that it may take.
#pragma once

#include <algorithm>
#include <cstdint>

#include "multifold/reduction.hpp"
#include "multifold/transfer.hpp"
#include "stream/host/slices.hpp"

namespace multifold::inline v0_1::stream {

/// What is to be streamed. `how` is not automatic any more.
struct ring_request {
  const slices& array;
  const reduction& what;
  std::int64_t elements;  // of each array; -1: unknown
  int arrays;
  std::int64_t memory_bytes;
  int threads;
  transfer how;
  bool shared = false;  // with the CPU, which should not have to wait long for the last chunks
};

/// Slots that chunks pass through, and room for the results that come back.
struct ring {
  std::int64_t cut_elements;    // where sums that are rounded on the way are cut, whatever the chunks
  std::int64_t chunk_elements;  // a multiple of it
  std::int64_t chunk_bytes;     // room in a slot, for one array
  std::int64_t room;            // for results, in every slot and in what goes back beside the slots
  std::int64_t step_results;    // of one kernel at most: as many, but for such sums the same whatever the memory
  bool beside;                  // whether more results than that can come of one chunk
  int slots;
  int workers;  // threads that fill them
};

inline constexpr std::int64_t least_chunk_bytes = 512 << 10;
inline constexpr std::int64_t status_bytes = 2 << 10;  // in front of the results

/// Of `threads`, those that stage what is not pinned, if they have nothing else to do; and the slots of each. Where
/// fewer would do, the others wait for slots.
constexpr int fillers_of(int threads) { return std::clamp(threads, 1, 12); }
inline constexpr std::int64_t filler_bytes = INT64_C(8) << 20;

/// The ring with the largest chunks, up to `most_chunk_bytes`, of which two or more fit; if there is none, one of the
/// smallest.
/// Memory: slots and results take memory_bytes at most, pinned and on the device: but for copies out of pinned memory
///         on the device alone, and mapped arrays take none for chunks.
/// Throws: out_of_memory if not even one slot fits.
ring ring_of(const ring_request& r, std::int64_t most_chunk_bytes = INT64_MAX);

/// Whether there is a smaller ring for the same request, for machines whose memory others use: its most_chunk_bytes.
inline bool can_shrink(const ring& r) { return r.chunk_bytes > least_chunk_bytes; }

}  // namespace multifold::inline v0_1::stream
