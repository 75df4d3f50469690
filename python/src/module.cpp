// The extension module multifold._multifold.
#include <exception>

#include "functions.hpp"

namespace multifold::python {
namespace {

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const overflow_error& e) {
    PyErr_SetString(PyExc_OverflowError, e.what());
  } catch (const out_of_memory& e) {
    PyErr_SetString(PyExc_MemoryError, e.what());
  } catch (const io_error& e) {
    PyErr_SetString(PyExc_OSError, e.what());
  } catch (const engine_error& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (const cuda_error& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (const cancelled_error& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (const error& e) {  // of shapes, formats, and what is not served
    PyErr_SetString(PyExc_ValueError, e.what());
  }
}

}  // namespace
}  // namespace multifold::python

NB_MODULE(_multifold, module) {
  namespace python = multifold::python;
  python::find_numpy();
  python::nb::register_exception_translator(&python::translate);
  python::add_reductions(module);
  python::add_general(module);
  python::add_state(module);
}
