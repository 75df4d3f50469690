// Integers of file formats, which are little-endian on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace multifold::io {

/// The unsigned integer in `bytes`, at most eight, least significant first.
inline std::uint64_t little_endian(std::span<const std::byte> bytes) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

}  // namespace multifold::io
