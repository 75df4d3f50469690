// The elements of a trial: each is a function of the seed and of its place in the buffer, so that smaller trials keep
// the elements of larger ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "agreement/trial/trial.hpp"

namespace multifold::agreement {

/// A good hash of two numbers (splitmix64).
constexpr std::uint64_t mixed(std::uint64_t seed, std::uint64_t at) {
  std::uint64_t z = seed * 0xd1342543de82ef95 + (at + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// Fills `buffer` with elements of `type`. Operations of two arrays take `which` 0 and 1.
void fill(const numbers& n, dtype type, int which, std::span<std::byte> buffer);

}  // namespace multifold::agreement
