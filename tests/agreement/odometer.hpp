// Every offset of a strided view, in C order of its logical indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace multifold::agreement {

struct wheel {
  std::int64_t extent, stride;
};

/// Calls visit(offset) for every index over `wheels`, the last one fastest; once if there are none.
template <class Visit>
void turn(const std::vector<wheel>& wheels, std::int64_t offset, const Visit& visit, std::size_t from = 0) {
  if (from == wheels.size()) return visit(offset);
  const auto [extent, stride] = wheels[from];
  if (from + 1 == wheels.size()) {
    for (std::int64_t i = 0; i < extent; ++i) visit(offset + i * stride);
  } else {
    for (std::int64_t i = 0; i < extent; ++i) turn(wheels, offset + i * stride, visit, from + 1);
  }
}

}  // namespace multifold::agreement
