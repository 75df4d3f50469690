// What of a file is in the page cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace multifold::inline v0_1::io {

/// Reads into `buffer`, from byte `offset` of `descriptor` on, what can be had without waiting for the disk: how many
/// bytes, 0 where none are cached or the system cannot tell.
std::size_t read_cached(int descriptor, std::int64_t offset, std::span<std::byte> buffer) noexcept;

}  // namespace multifold::inline v0_1::io
