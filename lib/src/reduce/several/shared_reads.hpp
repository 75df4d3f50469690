// Several operations on an engine that takes one at a time: what one read has of several results is read once.
// Private to the API.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "multifold/reduce.hpp"

namespace multifold::inline v0_1::detail {

/// What the options have for one of several operations: an initial value and a correction are for those that take one.
reduce_options options_for(op_kind op, const reduce_options& options);

/// Where the elements of several operations come from.
enum class read_from : std::uint8_t {
  device_memory,
  wire,  // host memory or a source, on the way to a GPU
  once,  // the same of a source that is gone when it was read
};

/// Reduces by one operation.
using reduce_by_one = std::function<reduce_result(op_kind op, const reduce_options& options)>;

/// The results of `ops` by `reduce`, to the bit: op_kind::describe is asked where its summary has results of some of
/// them and costs less than they do, and op_kind::count_nonzero for any and all. `x` is an array, or tells the shape of
/// a source. Throws: what the first of `ops` that fails throws; unsupported_error for operations that more than one
/// read of a source that is read once would take.
std::vector<reduce_result> reduce_by_shared_reads(std::span<const op_kind> ops, const array_view& x, read_from where,
                                                  const reduce_options& options, const reduce_by_one& reduce);

}  // namespace multifold::inline v0_1::detail
