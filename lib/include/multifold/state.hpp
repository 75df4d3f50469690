// Exact sums that are not finished: bytes that other processes and machines add to, and that are rounded at the end.
//
//   reduce_options options;
//   options.keep_state = true;
//   const auto mine = reduce(op_kind::sum, array, options).state;    // 112 bytes for sums of f32
//   const auto both = merge_states(mine, theirs);                    // in any order: the bytes of the whole
//   float total;
//   round_state(both, op_kind::sum, dtype::f32, &total);             // correctly rounded, once
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "multifold/dtype.hpp"
#include "multifold/ops.hpp"

namespace multifold {

/// The state of no elements at all, for a floating `element`: where a long run starts.
/// Throws: unsupported_error for integers, which have no states.
std::vector<std::byte> empty_state(dtype element);

/// The state of the elements of both: the same bytes in any order of merges.
/// Throws: format_error, naming byte, found and expected, unless both are whole states, and of the kind of `a`;
///         overflow_error for more than 2^63 - 1 elements.
std::vector<std::byte> merge_states(std::span<const std::byte> a, std::span<const std::byte> b);

/// The sum or mean of what `state` holds, rounded once to a floating `result` and written at `out`, which needs no
/// alignment. The sum of no elements is 0, their mean is NaN.
/// Throws: format_error as merge_states, unsupported_error for other operations and for integers.
void round_state(std::span<const std::byte> state, op_kind op, dtype result, void* out);

}  // namespace multifold
