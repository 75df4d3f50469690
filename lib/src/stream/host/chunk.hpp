// One thread's work on a chunk: batches that lie inside it become results, the others are left as accumulators.
#pragma once

#include <cstdint>

#include "stream/host/merge.hpp"

namespace multifold::inline v0_1::stream {

/// Elements that are reduced at a time, where anything is rounded on the way. Part of the meaning of a rounded sum: a
/// batch is cut where pieces meet.
inline constexpr std::int64_t piece_bytes = 64 << 10;

class host_chunk {
 public:
  /// `piece`: elements that are reduced at a time. `other`: bytes from the elements of the first array to those of a
  /// second one.
  host_chunk(const host::fold& f, const slabs& s, result_sink& sink, std::int64_t piece, std::ptrdiff_t other);

  /// Adds elements `range`, the first of which is at `data`; ranges ascend without gaps until `take`, unless the slab
  /// stays open.
  void add(host::interval range, const std::byte* data);
  /// Reduces whole slabs to results.
  void finish_whole(const stretch& whole, const std::byte* data, std::int64_t origin);
  /// What is left for the neighbours; the next chunk may then begin.
  remains take();

 private:
  void add_piece(host::interval piece, const std::byte* data, std::int64_t origin);
  void finish_slabs(host::interval some, const std::byte* data, std::int64_t origin);
  void add_part(const stretch& part, const std::byte* data, std::int64_t origin);

  const host::fold& fold_;
  const slabs& slabs_;
  result_sink& sink_;
  const std::int64_t piece_;
  const std::ptrdiff_t other_;
  host::aligned_bytes whole_;     // accumulators of the whole slabs of a piece
  std::int64_t whole_slabs_ = 0;  // that it has room for
  host::aligned_bytes open_;      // of the slab that goes on
  bool opened_here_ = false;
  remains left_;
};

}  // namespace multifold::inline v0_1::stream
