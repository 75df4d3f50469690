// Bytes behind which stands a checksum that is right: no fuzzer would find one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "core/little_endian.hpp"

namespace multifold::fuzzing {

inline std::vector<std::byte> signed_bytes(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  if (size < 8) return bytes;
  const std::span<std::byte> all(bytes);
  put_little_endian(all.last(8), fnv1a(all.first(size - 8)));
  return bytes;
}

}  // namespace multifold::fuzzing
