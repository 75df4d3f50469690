// Turning big-endian elements into little-endian ones, or back, where they lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace multifold::inline v0_1::io {

/// Reverses the bytes of every element of `item` bytes (1, 2, 4 or 8) in place; any alignment; a rest shorter than an
/// element stays as it is.
void swap_bytes(std::span<std::byte> elements, std::int64_t item) noexcept;

}  // namespace multifold::inline v0_1::io
