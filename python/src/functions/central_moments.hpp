// Moments about the mean and about any number, skewness and kurtosis.
#pragma once

#include "arguments/settings.hpp"
#include "python.hpp"

namespace multifold::python {

/// Of arrays in the memory of the CPU. Throws: TypeError for others, ValueError for powers that are not 1 to 4.
nb::object moment_of(nb::handle x, int power, nb::handle shift, const keywords& given);
nb::object skewness_of(nb::handle x, bool bias, const keywords& given);
nb::object kurtosis_of(nb::handle x, bool fisher, bool bias, const keywords& given);

}  // namespace multifold::python
