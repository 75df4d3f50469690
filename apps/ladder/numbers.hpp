// The numbers that are reduced, by splitmix64 (Steele, Lea and Flood, OOPSLA 2014): each is made of its index alone, so
// that any thread of any machine makes the same ones.
#pragma once

#include <cstdint>
#include <type_traits>

namespace multifold::ladder {

inline std::uint64_t bits_at(std::int64_t index, int array) {
  constexpr std::uint64_t seed = 20261123, seed_step = 1000003, golden = 0x9e3779b97f4a7c15u;
  const std::uint64_t start = seed + static_cast<std::uint64_t>(array) * seed_step;
  std::uint64_t z = start + (static_cast<std::uint64_t>(index) + 1) * golden;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/// Floating point from -1 to 1, integers of 24 bits and a sign.
template <class T>
T number_at(std::int64_t index, int array) {
  const auto word = static_cast<std::int32_t>(bits_at(index, array) >> 32);
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(word) * static_cast<T>(0x1p-31);
  else return static_cast<T>(word >> 8);
}

}  // namespace multifold::ladder
