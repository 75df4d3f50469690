// What the tests of this folder share: which rank this is, and arrays cut into parts for all of them. No tests here.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "multifold/mpi.hpp"
#include "multifold/multifold.hpp"

namespace multifold {

inline int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

inline int ranks_of_world() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// Where the part of each rank begins, and the end: 0, ..., n.
using cut = std::vector<std::int64_t>;

/// Even parts, everything on the last rank, on the first one, parts with empty ones between them, and random ones.
inline std::vector<cut> cuts(std::int64_t n) {
  const std::int64_t ranks = ranks_of_world();
  std::vector<cut> all(5);
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  for (std::int64_t r = 0; r <= ranks; ++r) {
    all[0].push_back(n * r / ranks);
    all[1].push_back(r < ranks ? 0 : n);
    all[2].push_back(r > 0 ? n : 0);
    all[3].push_back(r < ranks ? n * (r / 2 * 2) / ranks : n);
    const auto place = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n + 1));
    all[4].push_back(r == 0 ? 0 : r == ranks ? n : std::max(place / 2, all[4].back()));
  }
  return all;
}

struct part {
  std::int64_t first, count;
};

/// That of this rank.
inline part part_of(const cut& c) {
  const auto r = static_cast<std::size_t>(rank_of_world());
  return {c[r], c[r + 1] - c[r]};
}

template <class T>
std::span<const T> part_of(const std::vector<T>& x, const cut& c) {
  const part mine = part_of(c);
  return std::span(x).subspan(static_cast<std::size_t>(mine.first), static_cast<std::size_t>(mine.count));
}

/// Finite numbers of any magnitude, from random bits; the same on every rank.
template <class T>
std::vector<T> wild(std::size_t count, std::uint64_t seed = 20240229) {
  using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  std::mt19937_64 random(seed);
  std::vector<T> x;
  while (x.size() < count) {
    const T value = bit_copy<T>(static_cast<bits>(random()));
    if (std::isfinite(value)) x.push_back(value);
  }
  return x;
}

/// Small integers of either sign.
template <class T>
std::vector<T> small(std::size_t count, std::uint64_t seed = 7) {
  std::mt19937_64 random(seed);
  std::vector<T> x;
  while (x.size() < count) x.push_back(static_cast<T>(static_cast<std::int64_t>(random() % 21) - 10));
  return x;
}

/// What `f` throws as an E; "" if it throws nothing.
template <class E, class F>
std::string thrown(const F& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "";
}

}  // namespace multifold
