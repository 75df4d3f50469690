// Asking for memory before it is needed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/blend.hpp"

namespace multifold::host {

/// How far ahead of a contiguous read the memory is asked for. A core's own prefetchers keep up with a loop that does
/// nothing else; with arithmetic between the loads they fall behind. On a Xeon with AVX-512 one thread read f32 for a
/// sum at 0.65 of the plain speed without this, and at 0.71, 0.79, 0.87, 0.93 and 0.95 with 512 bytes, 1, 2, 4, 8 KiB.
inline constexpr std::int64_t prefetch_bytes = 8192;
inline constexpr std::int64_t cache_line = 64;

/// Asks for the `bytes` that lie prefetch_bytes behind `at`; they need not exist.
MULTIFOLD_INLINE void prefetch_behind(const void* at, std::int64_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(at) + static_cast<std::uintptr_t>(prefetch_bytes);
  for (std::int64_t line = 0; line < bytes; line += cache_line) {
    __builtin_prefetch(reinterpret_cast<const void*>(first + static_cast<std::uintptr_t>(line)));
  }
}

}  // namespace multifold::host
