// vector_norm of any order.
#pragma once

#include "arguments/settings.hpp"
#include "python.hpp"

namespace multifold::python {

/// Throws: TypeError for integers of other orders than 1 and 2, and for orders that are no numbers.
nb::object vector_norm(nb::handle x, const keywords& given, nb::handle order);

}  // namespace multifold::python
