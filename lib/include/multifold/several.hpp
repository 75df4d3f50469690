// Several values of one read: the sum, the greatest element and the norm of an array, say.
//
//   const std::vector<reduce_result> found = reduce({op_kind::sum, op_kind::max, op_kind::norm2}, array);
//   const float total = found[0].value<float>();
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "multifold/export.hpp"
#include "multifold/reduce.hpp"
#include "multifold/source.hpp"

namespace multifold::inline v0_1 {

/// Reduces `array` by each of `ops`: result i is what reduce(ops[i], array, options) returns, to the bit.
/// Shapes:   each result has the shape and dtype that it has by itself. An operation may be named more than once.
/// Options:  an initial value and a correction are for those of `ops` that take one, of which there has to be one; all
///           others are for each. `into`, keep_state, and forced plans are refused.
/// Memory:   as reduce, for all operations together. `used` holds their plans; `seconds` is the time of all.
/// Throws:   as reduce: what the first of `ops` that fails throws, if several do. Also unsupported_error for no
///           operations.
/// Cost:     on the host engine each element is read once, for all operations that are exact; sums of accuracy::fast
///           and products of floating point, whose bits depend on how they are cut, read it for themselves. Which
///           engine it is that small arrays take, or those in host memory if none is asked for. The device engine reads
///           the array once for all of sum, mean, std, norm2, min, max, argmin, argmax, any, all and count_nonzero that
///           are exact (in device memory: of runs of 64 KiB and longer, or if there are four of them), and once for
///           each other operation.
MULTIFOLD_EXPORT std::vector<reduce_result> reduce(std::span<const op_kind> ops, const array_view& array,
                                                   const reduce_options& options = {});
MULTIFOLD_EXPORT std::vector<reduce_result> reduce(std::initializer_list<op_kind> ops, const array_view& array,
                                                   const reduce_options& options = {});

/// The same of operations that take two arrays, which have to be alike as for reduce of two arrays.
MULTIFOLD_EXPORT std::vector<reduce_result> reduce(std::span<const op_kind> ops, const array_view& x,
                                                   const array_view& y, const reduce_options& options = {});
MULTIFOLD_EXPORT std::vector<reduce_result> reduce(std::initializer_list<op_kind> ops, const array_view& x,
                                                   const array_view& y, const reduce_options& options = {});

/// The same of sources, read once in bounded memory: options.memory_bytes are for the partial results of all operations
/// together. Throws: as reduce of sources; unsupported_error for pipes on another engine than the host's, unless one
/// read does for all operations.
MULTIFOLD_EXPORT std::vector<reduce_result> reduce(std::span<const op_kind> ops, source& input,
                                                   const reduce_options& options = {});
MULTIFOLD_EXPORT std::vector<reduce_result> reduce(std::initializer_list<op_kind> ops, source& input,
                                                   const reduce_options& options = {});
MULTIFOLD_EXPORT std::vector<reduce_result> reduce(std::span<const op_kind> ops, source& x, source& y,
                                                   const reduce_options& options = {});
MULTIFOLD_EXPORT std::vector<reduce_result> reduce(std::initializer_list<op_kind> ops, source& x, source& y,
                                                   const reduce_options& options = {});

}  // namespace multifold::inline v0_1
