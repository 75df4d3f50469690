// Refusals of reductions that have no value: of no elements, in a dtype that cannot hold it, or on an engine.
#pragma once

#include "multifold/reduction.hpp"

namespace multifold::inline v0_1::detail {

/// Throws: shape_error, which says that `op` of no elements has no value.
[[noreturn]] void throw_no_value(op_kind op);

/// Throws unsupported_error for an integer from a real value.
void check_result_dtype(const reduction& what);

/// Throws unsupported_error for a correction that is no integer, which kernels do not know.
void check_device_correction(const reduction& what);

}  // namespace multifold::inline v0_1::detail
