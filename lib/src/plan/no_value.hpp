// The refusal of a reduction that has no value, for whoever finds that there are no elements.
#pragma once

#include "multifold/ops.hpp"

namespace multifold::detail {

/// Throws: shape_error, which says that `op` of no elements has no value.
[[noreturn]] void throw_no_value(op_kind op);

}  // namespace multifold::detail
