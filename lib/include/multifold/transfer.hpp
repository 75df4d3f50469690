// How arrays in host memory come to a GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace multifold {

enum class transfer : std::uint8_t {
  automatic,  // copy, if the array lies in pinned memory, else staged
  staged,     // threads copy the array into pinned buffers, and from there it is sent
  copy,       // sent out of the array itself, which has to lie in pinned memory
  mapped,     // kernels read the array over the link; it has to lie in pinned memory, mapped to the device
};

/// "auto", "staged", "copy", "mapped".
std::string_view name(transfer how) noexcept;
std::optional<transfer> parse_transfer(std::string_view text) noexcept;

}  // namespace multifold
