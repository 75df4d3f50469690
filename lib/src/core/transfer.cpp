// Names of the ways to a GPU.
#include "multifold/transfer.hpp"

#include <array>

namespace multifold::inline v0_1 {
namespace {

constexpr std::array<std::string_view, 4> names{"auto", "staged", "copy", "mapped"};

}  // namespace

std::string_view name(transfer how) noexcept { return names[static_cast<std::size_t>(how)]; }

std::optional<transfer> parse_transfer(std::string_view text) noexcept {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (text == names[i]) return static_cast<transfer>(i);
  }
  return std::nullopt;
}

}  // namespace multifold::inline v0_1
