// Bytes of states that are changed on purpose, and what is said of them. For tests.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/little_endian.hpp"

namespace multifold::test_states {

using bytes = std::vector<std::byte>;

/// The same bytes with a checksum that fits.
inline bytes signed_again(bytes state) {
  const std::span<std::byte> all(state);
  put_little_endian(all.last(8), fnv1a(all.first(all.size() - 8)));
  return state;
}

/// With `size` bytes of `value` at byte `at`.
inline bytes with(bytes state, std::size_t at, std::size_t size, std::uint64_t value) {
  put_little_endian(std::span(state).subspan(at, size), value);
  return signed_again(std::move(state));
}

template <class Error, class Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was refused";
}

}  // namespace multifold::test_states
