// Reductions of complex numbers, by their parts.
#pragma once

#include "arguments/settings.hpp"
#include "python.hpp"

namespace multifold::python {

/// Whether `x` is an array of complex numbers, or `given` asks for complex results.
bool gives_complex(nb::handle x, const keywords& given);

/// Of such an array. Throws: TypeError for real results of complex numbers, ValueError for what is not served.
nb::object reduce_complex_numbers(op_kind op, nb::handle x, const keywords& given);

}  // namespace multifold::python
