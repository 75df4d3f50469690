// A few neighbours to one result in the caller's thread: no plan, no allocation, and nothing is asked of the system.
#pragma once

#include <cstdint>

#include "multifold/array.hpp"
#include "multifold/reduction.hpp"

namespace multifold::inline v0_1::host {

/// Whether one result is made of neighbours, in the order of memory.
bool is_row(const batches& form);

/// Whether the caller's thread alone reduces so many bytes, which are such a row or not, unless it is told how many do.
bool is_for_one_thread(const reduction& what, bool row, std::int64_t bytes);

/// Reduces `count` contiguous elements in host memory, of one array or of two, to one result.
/// Shapes:   `what` is as make_reduction makes it, but for its correction. Without elements it has an identity.
/// Memory:   accumulators on the stack. Folds of corrections 0 and 1 are kept for the process: MULTIFOLD_SIMD is read
///           at the first call for an operation and dtype.
/// Numerics: as host::run.
/// Throws:   overflow_error.
void run_row(const reduction& what, const operands& data, std::int64_t count, void* result);

}  // namespace multifold::inline v0_1::host
