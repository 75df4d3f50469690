// The extension module multifold._multifold.
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "functions.hpp"

namespace multifold::python {
namespace {

// The message with Python's names of options in place of C++'s.
std::string in_python(std::string message) {
  static constexpr std::pair<std::string_view, std::string_view> words[] = {{"engine_choice::host", "engine='host'"},
                                                                            {"reduce_options::initial", "initial="}};
  for (const auto& [theirs, ours] : words)
    if (const std::size_t at = message.find(theirs); at != std::string::npos) message.replace(at, theirs.size(), ours);
  return message;
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const overflow_error& e) {
    PyErr_SetString(PyExc_OverflowError, in_python(e.what()).c_str());
  } catch (const out_of_memory& e) {
    PyErr_SetString(PyExc_MemoryError, in_python(e.what()).c_str());
  } catch (const io_error& e) {
    PyErr_SetString(PyExc_OSError, in_python(e.what()).c_str());
  } catch (const engine_error& e) {
    PyErr_SetString(PyExc_RuntimeError, in_python(e.what()).c_str());
  } catch (const cuda_error& e) {
    PyErr_SetString(PyExc_RuntimeError, in_python(e.what()).c_str());
  } catch (const cancelled_error& e) {
    PyErr_SetString(PyExc_RuntimeError, in_python(e.what()).c_str());
  } catch (const error& e) {  // of shapes, formats, and what is not served
    PyErr_SetString(PyExc_ValueError, in_python(e.what()).c_str());
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
