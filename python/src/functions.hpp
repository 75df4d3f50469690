// The functions and classes of the module, by what they do.
#pragma once

#include "python.hpp"

namespace multifold::python {

/// A bool, or what NumPy takes for one: numpy.bool_, 0 and 1.
struct truth {
  bool value = false;
  operator bool() const noexcept { return value; }
};

void add_reductions(nb::module_& module);
void add_general(nb::module_& module);
void add_state(nb::module_& module);

}  // namespace multifold::python

namespace nanobind::detail {
template <>
struct type_caster<multifold::python::truth> {
  NB_TYPE_CASTER(multifold::python::truth, const_name("bool"))

  bool from_python(handle given, std::uint32_t, cleanup_list*) noexcept {
    if (PyBool_Check(given.ptr()) == 0 && PyLong_Check(given.ptr()) == 0 && !is_numpy_truth(given)) return false;
    value.value = PyObject_IsTrue(given.ptr()) == 1;
    return true;
  }
  static handle from_cpp(multifold::python::truth given, rv_policy, cleanup_list*) noexcept {
    return handle(given.value ? Py_True : Py_False).inc_ref();
  }

 private:
  static bool is_numpy_truth(handle given) noexcept {
    return given.type().is(multifold::python::scalar_type(multifold::dtype::boolean));
  }
};
}  // namespace nanobind::detail
