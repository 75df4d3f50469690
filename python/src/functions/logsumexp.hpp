// Logarithms of sums of exponentials.
#pragma once

#include "arguments/settings.hpp"
#include "python.hpp"

namespace multifold::python {

/// Of arrays of floating point in the memory of the CPU. Throws: TypeError for others.
nb::object logsumexp_of(nb::handle x, const keywords& given);

}  // namespace multifold::python
