// What reductions give back: scalars and arrays of NumPy, or of the library that the input came from.
#pragma once

#include "python.hpp"

namespace multifold::python {

/// The same object, of which type checkers ask nothing.
inline nb::any as_any(nb::object result) { return nb::steal<nb::any>(result.release()); }

/// The value as NumPy has it, or a Python number, or, if `like` is an array of another library, as an array of that.
/// Throws: ValueError for a Python number of several results.
nb::object result_object(const reduce_result& result, nb::handle like, bool as_number);

/// The same of complex numbers, whose parts are the last axis of `parts`.
nb::object complex_object(const reduce_result& parts, nb::handle like, bool as_number);

/// The same of op_kind::describe of elements of `element`: a multifold.Summary.
nb::object summary_object(const reduce_result& result, dtype element, bool as_number);

}  // namespace multifold::python
