// Accumulators that every chunk adds to directly, one chunk after the other: for slabs with so many results that copies
// of their accumulators would cost more than the elements. They are cut into stripes, and the chunks follow each other
// from stripe to stripe, so that as many threads work as there are stripes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "stream/host/merge.hpp"

namespace multifold::inline v0_1::stream {

inline constexpr std::int64_t turnstile_chunk_bytes = 256 << 10;
/// Slabs with more accumulators than this are added to directly.
inline constexpr std::int64_t most_copied_bytes = 128 << 10;

/// Results of a stripe. The cut is part of the meaning of a rounded sum.
std::int64_t turnstile_stripe(std::int64_t results);

class host_turnstile {
 public:
  /// `other`: bytes from the elements of the first array to those of a second one.
  host_turnstile(const host::fold& f, const slabs& s, result_sink& sink, std::ptrdiff_t other);

  /// Adds `parts` (of slabs, in order) of the chunk at `data`, whose first element is `origin`.
  void pass(std::int64_t chunk, const std::vector<stretch>& parts, const std::byte* data, std::int64_t origin);
  void abandon();
  /// After the last chunk: those of the slab that is open.
  std::byte* accumulators() const { return open_.get(); }

 private:
  struct stripe {
    host::interval results;        // of a slab
    std::vector<host::box> boxes;  // intervals of the kept loops inside a slab
  };
  struct piece {
    host::box box;
    std::int64_t slab;
  };

  bool wait_for(std::atomic<std::uint32_t>& turn, std::uint32_t chunk) const;
  void add(const stripe& s, const piece& p, const std::byte* data, std::int64_t origin);

  const host::fold& fold_;
  const slabs& slabs_;
  result_sink& sink_;
  const std::ptrdiff_t other_;
  host::aligned_bytes open_;
  std::vector<stripe> stripes_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> turns_;  // the chunk that may enter a stripe next, modulo 2^32
  std::atomic<bool> abandoned_{false};
};

}  // namespace multifold::inline v0_1::stream
