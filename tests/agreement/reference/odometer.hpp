// Every offset of strided views of one shape, in C order of their logical indices.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace multifold::agreement {

/// Offsets in the array of a trial, in its second one, and in its marks.
using offsets = std::array<std::int64_t, 3>;

struct wheel {
  std::int64_t extent;
  offsets strides;
};

/// `at`, and `steps` of `strides` on.
inline offsets moved(offsets at, const offsets& strides, std::int64_t steps) {
  for (std::size_t i = 0; i < at.size(); ++i) at[i] += steps * strides[i];
  return at;
}

/// Calls visit(offsets) for every index over `wheels`, the last one fastest; once if there are none.
template <class Visit>
void turn(const std::vector<wheel>& wheels, const offsets& at, const Visit& visit, std::size_t from = 0) {
  if (from == wheels.size()) return visit(at);
  const auto& [extent, strides] = wheels[from];
  for (std::int64_t i = 0; i < extent; ++i) turn(wheels, moved(at, strides, i), visit, from + 1);
}

}  // namespace multifold::agreement
