// What a pipeline reads: one array, or two side by side; and what it says in the end.
#pragma once

#include <cstdint>
#include <string>

#include "multifold/array.hpp"
#include "multifold/source.hpp"
#include "multifold/transfer.hpp"

namespace multifold::inline v0_1::stream {

/// One source, or two of the same layout that are read side by side.
struct inputs {
  source& x;
  source* y = nullptr;
  operands memory = nullptr;  // host addresses of the first elements, if all of them lie in memory

  inputs(source& only) noexcept : x(only) {}  // NOLINT: most reductions read one array
  inputs(source& first, source& second) noexcept : x(first), y(&second) {}

  int count() const noexcept { return y == nullptr ? 1 : 2; }
  bool random_access() const noexcept { return x.random_access() && (y == nullptr || y->random_access()); }
};

struct streamed {
  std::int64_t elements = 0;           // of each array
  transfer way = transfer::automatic;  // to a GPU, if there was one to go
  std::int64_t on_device = 0;          // as many of them as a GPU has reduced
  transfer_memory memory = {};         // that it took
  std::string note = {};               // what was done otherwise than the options have it
};

}  // namespace multifold::inline v0_1::stream
