// What every file of the bindings needs: nanobind, and the part of NumPy that results are made of.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <multifold/multifold.hpp>
#include <optional>
#include <string>
#include <vector>

namespace multifold::python {

namespace nb = nanobind;

/// How many element types there are, which are numbered from 0.
inline constexpr int dtypes = 13;

/// A tuple of these integers.
nb::object shape_of(const std::vector<std::int64_t>& extents);

/// str(object).
std::string text_of(nb::handle object);

[[noreturn]] void raise_type_error(const std::string& message);

/// The element type that a dtype object of any library, a Python type or a name means, as NumPy reads names.
/// Throws: TypeError for those that multifold does not reduce, by name.
dtype dtype_from(nb::handle given);

/// The dtype of the parts of the complex numbers that it means; none if it means anything else.
std::optional<dtype> parts_of_dtype(nb::handle given);

/// Whether `object` is an array of complex numbers.
bool holds_complex(nb::handle object);

/// NumPy's name of it ("float32"); ml_dtypes' for bfloat16.
std::string numpy_name(dtype type);

/// NumPy's scalar type, or that of ml_dtypes for bfloat16. Borrowed.
nb::handle scalar_type(dtype type);

/// Imports NumPy, before threads could wait for one another in doing so.
void find_numpy();

/// Whether `object` is a numpy.ndarray, and of no class derived from it.
bool is_plain_ndarray(nb::handle object) noexcept;
bool is_masked(nb::handle object);

/// The element at `data` as a Python number, and as a NumPy scalar.
nb::object number(dtype type, const void* data);
nb::object numpy_scalar(dtype type, const void* data);

/// The same of complex numbers whose parts are of this dtype: `extents` are those without the parts.
nb::object numpy_complex(dtype part, const std::vector<std::int64_t>& extents, const void* data);

/// A new NumPy array with a copy of these elements.
nb::object numpy_array(dtype type, const std::vector<std::int64_t>& extents, const void* data);

}  // namespace multifold::python
