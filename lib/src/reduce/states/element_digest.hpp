// A digest of the elements of a source by their bytes and their places: of blocks that are read in any order, by any
// thread. It tells that data are others than before; it is no defence against somebody who wants them to look the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "multifold/source.hpp"

namespace multifold::inline v0_1::detail {

/// The digest of several blocks is the sum of theirs, whatever the order.
struct element_digest {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  element_digest& operator+=(const element_digest& other) noexcept {
    low += other.low;
    high += other.high;
    return *this;
  }
  bool operator==(const element_digest&) const = default;
};

/// What is added at once: 16 KiB of elements, which start at a multiple of that. Engines read multiples of 64 KiB.
inline constexpr std::int64_t digest_block_bytes = 16 << 10;

/// The digest of `bytes`, which start `first` blocks behind the start of the array; only its end cuts a block short.
/// `simd`: by AVX2 where there is any, which gives the same digest.
/// Cost: 25 GB/s a thread with AVX2, from the cache.
element_digest digest_of(std::int64_t first, std::span<const std::byte> bytes, bool simd = true) noexcept;

/// Of a text; none (all 0) of an empty one.
element_digest digest_of(std::string_view text) noexcept;

/// How a source is read again.
struct digest_options {
  int threads = 0;                                 // 0: all there are
  std::int64_t memory_bytes = 0;                   // of buffers; 0: as many as threads take
  std::function<void(std::int64_t)> before_chunk;  // told how many bytes are read so far; may throw, any thread
};

/// Reads the elements [first, first + count) of `input`, which has random access: `first` is at the start of a block,
/// and the end is there, too, or at that of the array.
/// Throws: what the source throws; out_of_memory.
element_digest digest_again(source& input, std::int64_t first, std::int64_t count, const digest_options& options);

}  // namespace multifold::inline v0_1::detail
