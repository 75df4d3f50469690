// What a keyword can be, and what is said of one that cannot.
#include "arguments/settings.hpp"

namespace multifold::python {
namespace {

// A word among words that `parse` knows.
template <class Parse>
auto word(nb::handle given, const char* keyword, const char* known, Parse parse) {
  if (nb::isinstance<nb::str>(given))
    if (const auto found = parse(nb::cast<std::string>(given))) return *found;
  throw nb::value_error(
      (std::string(keyword) + " is one of " + known + ", and not " + nb::cast<std::string>(nb::repr(given))).c_str());
}

std::optional<nan_policy> parse_nan(const std::string& text) {
  if (text == "propagate") return nan_policy::propagate;
  if (text == "omit") return nan_policy::omit;
  return std::nullopt;
}

std::optional<accuracy> parse_accuracy(const std::string& text) {
  if (text == "exact") return accuracy::exact;
  if (text == "fast") return accuracy::fast;
  return std::nullopt;
}

std::int64_t integer_from(nb::handle given, const char* what) {
  const nb::object index = nb::steal(PyNumber_Index(given.ptr()));
  if (!index.is_valid()) {
    PyErr_Clear();
    raise_type_error(std::string(what) + " takes integers, and not " + nb::cast<std::string>(nb::repr(given)));
  }
  const long long value = PyLong_AsLongLong(index.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw nb::value_error((std::string(what) + " takes integers of 64 bits").c_str());
  }
  return value;
}

// Whether it can be had as an integer: arrays of NumPy say so, and only those of one integer are.
bool is_integer(nb::handle given) {
  if (PyIndex_Check(given.ptr()) == 0) return false;
  const bool can = nb::steal(PyNumber_Index(given.ptr())).is_valid();
  PyErr_Clear();
  return can;
}

// The array that stands for it: a truth, as NumPy's functions take, is an array of one.
nb::object marks_from(nb::handle where) {
  if (PyBool_Check(where.ptr()) == 0) return nb::borrow(where);
  const bool8 mark{static_cast<std::uint8_t>(where.is(Py_True))};
  return numpy_scalar(dtype::boolean, &mark);
}

}  // namespace

bool keywords::are_default() const noexcept {
  return axis.is_none() && type.is_none() && !keepdims && where.is_none() && initial.is_none() &&
         correction.is_none() && nan.is_none() && accuracy_wanted.is_none() && engine.is_none() && threads == 0 &&
         stream.is_none() && out.is_none();
}

op_kind op_from(nb::handle name) {
  return word(name, "an operation", "those in multifold.ops", [](const std::string& text) { return parse_op(text); });
}

nan_policy nan_from(nb::handle name) { return word(name, "nan", "'propagate' and 'omit'", parse_nan); }

std::vector<std::int64_t> integers_from(nb::handle given, const char* what) {
  std::vector<std::int64_t> values;
  if (nb::isinstance<nb::tuple>(given) || nb::isinstance<nb::list>(given)) {
    for (nb::handle each : given) values.push_back(integer_from(each, what));
  } else {
    values.push_back(integer_from(given, what));
  }
  return values;
}

correction correction_from(nb::handle given) {
  if (is_integer(given)) return integer_from(given, "correction");
  const double value = PyFloat_AsDouble(given.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    raise_type_error("correction takes a number, and not " + nb::cast<std::string>(nb::repr(given)));
  }
  return value;
}

initial_value initial_from(nb::handle given) {
  initial_value value;
  value.given = true;
  if (is_integer(given)) {
    const nb::object index = nb::steal(PyNumber_Index(given.ptr()));
    value.integer = true;
    int beyond = 0;
    value.integer_value = PyLong_AsLongLongAndOverflow(index.ptr(), &beyond);
    if (beyond > 0) value.integer_value = PyLong_AsUnsignedLongLong(index.ptr());
    if (beyond < 0 || PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      throw nb::value_error("an initial integer has to fit 64 bits");
    }
    value.real_value = PyLong_AsDouble(index.ptr());  // which elements of floating point take
    return value;
  }
  value.real_value = PyFloat_AsDouble(given.ptr());
  if (value.real_value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    raise_type_error("initial takes a real number, and not " + nb::cast<std::string>(nb::repr(given)));
  }
  return value;
}

settings settings_from(const keywords& given) {
  settings made;
  reduce_options& options = made.options;
  if (!given.axis.is_none()) options.axes = integers_from(given.axis, "axis");
  if (!given.type.is_none()) options.result = dtype_from(given.type);
  options.keepdims = given.keepdims;
  if (!given.where.is_none()) {
    made.marks = std::make_unique<taken_array>(marks_from(given.where));
    options.where = made.marks->view();
  }
  if (!given.initial.is_none()) options.initial = initial_from(given.initial);
  if (!given.correction.is_none()) options.correction = correction_from(given.correction);
  if (!given.nan.is_none()) options.nan = nan_from(given.nan);
  if (!given.accuracy_wanted.is_none())
    options.wanted = word(given.accuracy_wanted, "accuracy", "'exact' and 'fast'", parse_accuracy);
  if (!given.engine.is_none())
    options.engine = word(given.engine, "engine", "'auto', 'host', 'device' and 'both'",
                          [](const std::string& text) { return parse_engine(text); });
  if (given.threads < 0) throw nb::value_error("threads is a number of threads, or 0 for all there are");
  options.threads = given.threads;
  made.stream = stream_from(given.stream);
  options.stream = option_from(made.stream);
  if (!given.out.is_none()) {
    const PyObject* const out = given.out.ptr();
    const bool number =
        out == reinterpret_cast<PyObject*>(&PyFloat_Type) || out == reinterpret_cast<PyObject*>(&PyLong_Type) ||
        out == reinterpret_cast<PyObject*>(&PyComplex_Type) || out == reinterpret_cast<PyObject*>(&PyBool_Type);
    if (!number) raise_type_error("out takes float, for a Python number; results are new arrays otherwise");
    made.as_number = true;
  }
  return made;
}

}  // namespace multifold::python
