// Byte swapping, eight bytes at a time whatever the element, so that plain 64-bit code keeps up with memory.
#include "io/formats/byte_order.hpp"

#include <bit>
#include <cstring>

namespace multifold::inline v0_1::io {
namespace {

std::uint64_t swap_twos(std::uint64_t word) noexcept {
  constexpr std::uint64_t low = 0x00ff00ff00ff00ff;
  return ((word >> 8) & low) | ((word & low) << 8);
}

std::uint64_t swap_fours(std::uint64_t word) noexcept { return std::rotl(__builtin_bswap64(word), 32); }

std::uint64_t swap_eights(std::uint64_t word) noexcept { return __builtin_bswap64(word); }

template <std::uint64_t (*Swap)(std::uint64_t) noexcept>
void swap_words(std::byte* bytes, std::size_t words) noexcept {
  for (std::size_t i = 0; i < words; ++i) {
    std::uint64_t word;
    std::memcpy(&word, bytes + 8 * i, 8);
    word = Swap(word);
    std::memcpy(bytes + 8 * i, &word, 8);
  }
}

// A last part of a word is swapped inside a whole one: each element's bytes stay within the element.
template <std::uint64_t (*Swap)(std::uint64_t) noexcept>
void swap_all(std::span<std::byte> elements, std::size_t item) noexcept {
  const std::size_t words = elements.size() / 8;
  swap_words<Swap>(elements.data(), words);
  const std::size_t rest = (elements.size() % 8) / item * item;
  if (rest == 0) return;
  std::byte last[8] = {};
  std::memcpy(last, elements.data() + 8 * words, rest);
  swap_words<Swap>(last, 1);
  std::memcpy(elements.data() + 8 * words, last, rest);
}

}  // namespace

void swap_bytes(std::span<std::byte> elements, std::int64_t item) noexcept {
  // Words are loaded as the machine has them; both masks and rotations are symmetric, so either byte order will do.
  if (item == 2) swap_all<swap_twos>(elements, 2);
  if (item == 4) swap_all<swap_fours>(elements, 4);
  if (item == 8) swap_all<swap_eights>(elements, 8);
}

}  // namespace multifold::inline v0_1::io
