// Elements beside marks that are not zero.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/elements/packed.hpp"

namespace multifold::inline v0_1::host {

template <class Word>
std::int64_t selected_words(const std::byte* from, const std::byte* marks, std::int64_t count, std::byte* into) {
  const packed<Word>* const x = packed_at<Word>(from);
  auto* const out = reinterpret_cast<packed<Word>*>(into);
  std::int64_t kept = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    out[kept] = x[i];
    kept += marks[i] != std::byte{0};
  }
  return kept;
}

/// Copies the elements beside marks that are not zero, and returns how many these are.
inline std::int64_t selected(std::int64_t item, const std::byte* from, const std::byte* marks, std::int64_t count,
                             std::byte* into) {
  if (item == 1) return selected_words<std::uint8_t>(from, marks, count, into);
  if (item == 2) return selected_words<std::uint16_t>(from, marks, count, into);
  if (item == 4) return selected_words<std::uint32_t>(from, marks, count, into);
  return selected_words<std::uint64_t>(from, marks, count, into);
}

/// Calls `emit(first, last)` for every run of marks that are not zero.
template <class Emit>
void runs_of(const std::byte* marks, std::int64_t count, std::int64_t stride, const Emit& emit) {
  for (std::int64_t i = 0; i < count;) {
    const bool on = marks[i * stride] != std::byte{0};
    const std::int64_t first = i;
    while (i < count && (marks[i * stride] != std::byte{0}) == on) ++i;
    if (on) emit(first, i);
  }
}

}  // namespace multifold::inline v0_1::host
