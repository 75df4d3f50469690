// What reduce() does, for callers that name the part of the CPU engine that reduces by the operation: none is linked by
// these.
#pragma once

#include <span>
#include <vector>

#include "multifold/reduce.hpp"
#include "multifold/several.hpp"

namespace multifold::inline v0_1 {

namespace cuda {
struct environment;
}

namespace detail {

/// As reduce() of one operation. Throws: unsupported_error, too, if its part is not linked.
reduce_result reduce_linked(op_kind op, const array_view& array, const reduce_options& options);
reduce_result reduce_linked(op_kind op, const array_view& x, const array_view& y, const reduce_options& options);
reduce_result reduce_linked(op_kind op, source& input, const reduce_options& options);
reduce_result reduce_linked(op_kind op, source& x, source& y, const reduce_options& options);

/// As cuda::reduce(), or as reduce() without an environment; `y` is null for operations that take one array.
reduce_result reduce_in(const cuda::environment* env, op_kind op, const array_view& x, const array_view* y,
                        const reduce_options& options);

/// As reduce() of several.
std::vector<reduce_result> reduce_linked(std::span<const op_kind> ops, const array_view& array,
                                         const reduce_options& options);
std::vector<reduce_result> reduce_linked(std::span<const op_kind> ops, const array_view& x, const array_view& y,
                                         const reduce_options& options);
std::vector<reduce_result> reduce_linked(std::span<const op_kind> ops, source& input, const reduce_options& options);
std::vector<reduce_result> reduce_linked(std::span<const op_kind> ops, source& x, source& y,
                                         const reduce_options& options);

/// As plan_for().
plan plan_linked(op_kind op, const array_view& array, const reduce_options& options);

}  // namespace detail
}  // namespace multifold::inline v0_1
