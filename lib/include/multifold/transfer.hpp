// How arrays in host memory come to a GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "multifold/export.hpp"

namespace multifold::inline v0_1 {

enum class transfer : std::uint8_t {
  automatic,  // copy, if the array lies in pinned memory, else staged
  staged,     // threads copy the array into pinned buffers, and from there it is sent
  copy,       // sent out of the array itself, which has to lie in pinned memory
  mapped,     // kernels read the array over the link; it has to lie in pinned memory, mapped to the device
};

/// What an array on its way to a GPU takes meanwhile.
struct transfer_memory {
  int slots = 0;                  // that chunks of it pass through
  std::int64_t chunk_bytes = 0;   // of one in a slot, of all arrays
  std::int64_t pinned_bytes = 0;  // slots and results
  std::int64_t device_bytes = 0;  // as well, with accumulators and workspace

  bool operator==(const transfer_memory&) const = default;
};

/// "auto", "staged", "copy", "mapped".
MULTIFOLD_EXPORT std::string_view name(transfer how) noexcept;
MULTIFOLD_EXPORT std::optional<transfer> parse_transfer(std::string_view text) noexcept;

}  // namespace multifold::inline v0_1
