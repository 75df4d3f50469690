// A file that includes this is linked with every part of the engine: those that are told an operation when they run.
#pragma once

#include <array>
#include <cstddef>

#include "multifold/engine_parts.hpp"

namespace multifold::inline v0_1::host {

inline constexpr std::size_t part_count = 18;
extern const std::array<engine_part*, part_count> every_part;

namespace {
[[gnu::used]] const auto* const linked_parts = &every_part;
}

}  // namespace multifold::inline v0_1::host
