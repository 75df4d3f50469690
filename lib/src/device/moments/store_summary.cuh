// How a summary leaves a lane.
#pragma once

#include <cstdint>
#include <cstring>

#include "multifold/summary.hpp"

namespace multifold::inline v0_1::cuda::moments {

inline constexpr int summary_words = sizeof(summary) / 8;
static_assert(summary_words % 2 == 1 && sizeof(summary) % 8 == 0 && alignof(summary) == 8);

/// Stores a summary, as words, sixteen bytes at a time: its neighbours belong to other lanes, so every store is a line
/// of its own.
__device__ inline void store_in_vectors(const std::uint64_t (&word)[summary_words], summary& to) {
  constexpr int words = summary_words;
  const bool odd = reinterpret_cast<std::uintptr_t>(&to) % 16 != 0;  // the single word stands in front, not behind
  auto* const out = reinterpret_cast<std::uint64_t*>(&to);
  out[odd ? 0 : words - 1] = odd ? word[0] : word[words - 1];
  auto* const vectors = out + (odd ? 1 : 0);
#pragma unroll
  for (int i = 0; i + 1 < words; i += 2) {
    const std::uint64_t first = odd ? word[i + 1] : word[i], second = odd ? word[i + 2] : word[i + 1];
    asm volatile("st.v2.b64 [%0], {%1, %2};" ::"l"(vectors + i), "l"(first), "l"(second) : "memory");
  }
}
__device__ inline void store_in_vectors(const summary& from, summary& to) {
  std::uint64_t word[summary_words];
  memcpy(word, &from, sizeof(summary));
  store_in_vectors(word, to);
}

}  // namespace multifold::inline v0_1::cuda::moments
