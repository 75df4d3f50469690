// Whether a graph can use the memory that it is given.
#pragma once

#include "multifold/array.hpp"
#include "multifold/plan.hpp"

namespace multifold::inline v0_1::graphs {

/// The current device.
int current_device();

/// Throws unsupported_error, naming the memory as `what`, if it belongs to another device or CUDA does not know it.
void check_place(const char* what, const void* at, int device);

/// The same of everything that `p` reads and writes.
void check_places(const plan& p, const operands& data, const void* results, int device);

}  // namespace multifold::inline v0_1::graphs
