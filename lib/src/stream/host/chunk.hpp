// One thread's work on a chunk: batches that lie inside it become results, the others are left as accumulators.
#pragma once

#include <cstdint>

#include "stream/host/merge.hpp"

namespace multifold::inline v0_1::stream {

/// Elements that are reduced at a time, where anything is rounded on the way. Part of the meaning of a rounded sum: a
/// batch is cut where tiles meet.
inline constexpr std::int64_t tile_bytes = 64 << 10;

class host_chunk {
 public:
  /// `tile`: elements that are reduced at a time. `other`: bytes from the elements of the first array to those of a
  /// second one.
  host_chunk(const host::fold& f, const slices& s, result_sink& sink, std::int64_t tile, std::ptrdiff_t other);

  /// Adds elements `range`, the first of which is at `data`; ranges ascend without gaps until `take`, unless the slice
  /// stays open.
  void add(host::interval range, const std::byte* data);
  /// Reduces whole slices to results.
  void finish_whole(const slice_range& whole, const std::byte* data, std::int64_t origin);
  /// What is left for the neighbours; the next chunk may then begin.
  remains take();

 private:
  void add_tile(host::interval tile, const std::byte* data, std::int64_t origin);
  void finish_slices(host::interval some, const std::byte* data, std::int64_t origin);
  void add_part(const slice_range& part, const std::byte* data, std::int64_t origin);

  const host::fold& fold_;
  const slices& slices_;
  result_sink& sink_;
  const std::int64_t tile_;
  const std::ptrdiff_t other_;
  host::aligned_bytes whole_;      // accumulators of the whole slices of a tile
  std::int64_t whole_slices_ = 0;  // that it has room for
  host::aligned_bytes open_;       // of the slice that goes on
  bool opened_here_ = false;
  remains left_;
};

}  // namespace multifold::inline v0_1::stream
