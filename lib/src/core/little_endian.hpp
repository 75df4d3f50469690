// Integers of file formats, which are little-endian on every machine, and the checksum of the library's own formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace multifold::inline v0_1 {

/// The unsigned integer in `bytes`, at most eight, least significant first.
inline std::uint64_t little_endian(std::span<const std::byte> bytes) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

/// Writes the low bytes of `value`, as many as `out` has.
inline void put_little_endian(std::span<std::byte> out, std::uint64_t value) noexcept {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(i < 8 ? value >> 8 * i : 0);
}

/// FNV-1a of 64 bits, which a change of one byte always changes; goes on from the checksum of the bytes before.
inline std::uint64_t fnv1a(std::span<const std::byte> bytes, std::uint64_t before = 0xcbf29ce484222325u) noexcept {
  std::uint64_t hash = before;
  for (const std::byte b : bytes) hash = (hash ^ std::to_integer<std::uint64_t>(b)) * 0x100000001b3u;
  return hash;
}

}  // namespace multifold::inline v0_1
