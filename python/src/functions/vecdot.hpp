// vecdot as the array API has it: broadcast, of dtypes that are promoted, along one axis.
#pragma once

#include "arguments/settings.hpp"
#include "python.hpp"

namespace multifold::python {

nb::object vecdot(nb::handle x, nb::handle y, const keywords& given);

}  // namespace multifold::python
