// The library's folds over arrays in memory: one of each type of elements, whatever it is asked for.
#include "functions/central_moments.hpp"

#include "arguments/python_source.hpp"
#include "arguments/taken_array.hpp"
#include "calls/results.hpp"
#include "functions/folded.hpp"
#include "multifold/central_moments.hpp"

namespace multifold::python {
namespace {

// What `make<T>()` makes of the array.
template <class Make>
nb::object folded_of(const char* called, nb::handle x, const keywords& given, const Make& make) {
  const settings set = settings_from(given);
  refuse_options(called, set.options);
  if (is_source(x)) raise_type_error(std::string(called) + " is that of arrays in memory");
  const taken_array array(x);
  const array_view& view = array.view();
  reduce_result result;
  without_gil(is_long(view), [&](std::stop_token stop) {
    fold_options how = fold_options_from(set.options);
    how.stop = std::move(stop);
    visit_dtype(view.type, [&]<class T>() { result = result_of(fold(make.template operator()<T>(), view, how)); });
  });
  return result_object(result, x, set.as_number);
}

dyadic shift_from(nb::handle given) {
  if (PyIndex_Check(given.ptr()) != 0) {
    const nb::object index = nb::steal(PyNumber_Index(given.ptr()));
    if (!index.is_valid()) throw nb::python_error();
    int beyond = 0;
    const long long value = PyLong_AsLongLongAndOverflow(index.ptr(), &beyond);
    if (beyond == 0) return value;
    const unsigned long long large = beyond > 0 ? PyLong_AsUnsignedLongLong(index.ptr()) : 0;
    if (beyond > 0 && PyErr_Occurred() == nullptr) return large;
    PyErr_Clear();
    throw nb::value_error("shift as an integer has to fit 64 bits");
  }
  const double value = PyFloat_AsDouble(given.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    raise_type_error("shift takes a number, and not " + nb::cast<std::string>(nb::repr(given)));
  }
  if (!(value - value == 0)) throw nb::value_error("shift takes a finite number");
  return value;
}

}  // namespace

nb::object moment_of(nb::handle x, int power, nb::handle shift, const keywords& given) {
  if (power < 1 || power > exact_powers::highest) {
    throw nb::value_error(("moment takes a power of 1 to 4, and not " + std::to_string(power)).c_str());
  }
  moment_options options;
  if (!shift.is_none()) options.shift = shift_from(shift);
  return folded_of("moment", x, given, [&]<class T>() { return moment_fold<T>(power, options); });
}

nb::object skewness_of(nb::handle x, bool bias, const keywords& given) {
  return folded_of("skewness", x, given, [&]<class T>() { return skewness_fold<T>({bias}); });
}

nb::object kurtosis_of(nb::handle x, bool fisher, bool bias, const keywords& given) {
  return folded_of("kurtosis", x, given, [&]<class T>() { return kurtosis_fold<T>({fisher, bias}); });
}

}  // namespace multifold::python
