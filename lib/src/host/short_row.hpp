// A few neighbours to one result in the caller's thread: no plan, no allocation, and nothing is asked of the system.
#pragma once

#include <cstdint>

#include "multifold/array.hpp"
#include "multifold/ops/visit.hpp"
#include "multifold/reduction.hpp"

namespace multifold::host {

/// Arrays below this size are reduced by the caller's thread alone: until others are awake, it is through. [bytes]
/// Microseconds of one thread and of all, medians, on an EPYC with two and a Xeon with sixteen cores:
///                 1 MiB       2 MiB       4 MiB
///     sum f32     29, 30      48, 53      93, 79      EPYC
///     sum f32     27, 41      77, 45      174, 48     Xeon
///                 0.4 MB      0.8 MB      1.2 MB
///     var f32     33, 57      64, 46      95, 78      EPYC
inline std::int64_t alone_bytes(const reduction& what) {
  const op_family family = family_of(what);
  const bool dear = family == op_family::moments || family == op_family::product;
  return dear ? 512 << 10 : 2 << 20;
}

/// Reduces `count` contiguous elements in host memory, of one array or of two, to one result.
/// Shapes:   `what` is as make_reduction makes it, but for its correction. Without elements it has an identity.
/// Memory:   accumulators on the stack. Folds of corrections 0 and 1 are kept for the process: MULTIFOLD_SIMD is read
///           at the first call for an operation and dtype.
/// Numerics: as host::run.
/// Throws:   overflow_error.
void run_row(const reduction& what, const operands& data, std::int64_t count, void* result);

}  // namespace multifold::host
