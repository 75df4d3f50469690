// Accumulators that every chunk adds to directly, one chunk after the other: for slices with so many results that
// copies of their accumulators would cost more than the elements. They are cut into blocks, and the chunks follow each
// other from block to block, so that as many threads work as there are blocks.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "stream/host/merge.hpp"

namespace multifold::inline v0_1::stream {

inline constexpr std::int64_t turnstile_chunk_bytes = 256 << 10;
/// Slices with more accumulators than this are added to directly.
inline constexpr std::int64_t most_copied_bytes = 128 << 10;

/// Results of a block. The cut is part of the meaning of a rounded sum.
std::int64_t turnstile_block(std::int64_t results);

class host_turnstile {
 public:
  /// `other`: bytes from the elements of the first array to those of a second one.
  host_turnstile(const host::fold& f, const slices& s, result_sink& sink, std::ptrdiff_t other);

  /// Adds `parts` (of slices, in order) of the chunk at `data`, whose first element is `origin`.
  void pass(std::int64_t chunk, const std::vector<slice_range>& parts, const std::byte* data, std::int64_t origin);
  void abandon();
  /// After the last chunk: those of the slice that is open.
  std::byte* accumulators() const { return open_.get(); }

 private:
  struct block {
    host::interval results;        // of a slice
    std::vector<host::box> boxes;  // intervals of the kept loops inside a slice
  };
  struct slice_box {
    host::box box;
    std::int64_t slice;
  };

  bool wait_for(std::atomic<std::uint32_t>& turn, std::uint32_t chunk) const;
  void add(const block& s, const slice_box& p, const std::byte* data, std::int64_t origin);

  const host::fold& fold_;
  const slices& slices_;
  result_sink& sink_;
  const std::ptrdiff_t other_;
  host::aligned_bytes open_;
  std::vector<block> blocks_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> turns_;  // the chunk that may enter a block next, modulo 2^32
  std::atomic<bool> abandoned_{false};
};

}  // namespace multifold::inline v0_1::stream
