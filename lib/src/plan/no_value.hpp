// Refusals of reductions that have no value: of no elements, or in a dtype that cannot hold it.
#pragma once

#include "multifold/reduction.hpp"

namespace multifold::detail {

/// Throws: shape_error, which says that `op` of no elements has no value.
[[noreturn]] void throw_no_value(op_kind op);

/// Throws unsupported_error for an integer from a real value.
void check_result_dtype(const reduction& what);

}  // namespace multifold::detail
