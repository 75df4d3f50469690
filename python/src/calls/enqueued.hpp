// Results that stay on the GPU: nothing is waited for.
#pragma once

#include "arguments/gpu_array.hpp"
#include "arguments/settings.hpp"
#include "python.hpp"

namespace multifold::python {

/// The result of `x` as an array of its library, which the library's current stream will have written; null where
/// something is asked that has to be waited for: a number, another stream, what may not fit its dtype.
/// Throws: as reduce.
nb::object enqueued_result(op_kind op, const gpu_array& x, const settings& set);

}  // namespace multifold::python
