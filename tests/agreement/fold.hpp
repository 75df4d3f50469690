// The operation of the user's own that random views are folded by: it notices every element, and where it stands.
#pragma once

#include <cstdint>

#include "multifold/dtype.hpp"

namespace multifold::agreement {

/// What comes of a batch: hashes of its elements with their indices, added up.
struct fingerprint {
  std::uint64_t hashes = 0;
  std::int64_t elements = 0;
  std::int64_t last = -1;  // greatest index
  std::int64_t length = 0;

  MULTIFOLD_HD void merge(const fingerprint& other) {
    hashes += other.hashes;
    elements += other.elements;
    if (other.last > last) last = other.last;
  }
  /// Of one element.
  MULTIFOLD_HD static fingerprint of(std::uint64_t bits, std::int64_t index) {
    std::uint64_t z = bits * 0xd1342543de82ef95 + (static_cast<std::uint64_t>(index) + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return {z ^ (z >> 31), 1, index};
  }
};

}  // namespace multifold::agreement
