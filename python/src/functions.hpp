// The functions and classes of the module, by what they do.
#pragma once

#include "python.hpp"

namespace multifold::python {

void add_reductions(nb::module_& module);
void add_general(nb::module_& module);
void add_state(nb::module_& module);

}  // namespace multifold::python
