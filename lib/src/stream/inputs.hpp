// What a pipeline reads: one array, or two side by side.
#pragma once

#include "multifold/source.hpp"

namespace multifold::stream {

/// One source, or two of the same layout that are read side by side.
struct inputs {
  source& x;
  source* y = nullptr;

  inputs(source& only) noexcept : x(only) {}  // NOLINT: most reductions read one array
  inputs(source& first, source& second) noexcept : x(first), y(&second) {}

  int count() const noexcept { return y == nullptr ? 1 : 2; }
  bool random_access() const noexcept { return x.random_access() && (y == nullptr || y->random_access()); }
};

}  // namespace multifold::stream
