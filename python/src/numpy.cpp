// NumPy's names, scalars and arrays, made through its Python interface: the extension is not compiled against NumPy.
#include <array>
#include <atomic>
#include <cstring>

#include "python.hpp"

namespace multifold::python {
namespace {

constexpr std::array<const char*, dtypes> names{"bool",     "int8",    "int16",  "int32",  "int64",
                                                "uint8",    "uint16",  "uint32", "uint64", "float16",
                                                "bfloat16", "float32", "float64"};

// Kept to the end of the process, as the module itself is.
struct numpy_objects {
  nb::object ndarray, empty, uint16;
  std::array<nb::object, dtypes> scalars;
};

numpy_objects& numpy() {
  static numpy_objects* const objects = [] {
    auto* made = new numpy_objects;
    const nb::module_ module = nb::module_::import_("numpy");
    made->ndarray = module.attr("ndarray");
    made->empty = module.attr("empty");
    made->uint16 = module.attr("uint16");
    for (int i = 0; i < dtypes; ++i) {
      const auto type = static_cast<dtype>(i);
      if (type != dtype::bf16) made->scalars[i] = module.attr(type == dtype::boolean ? "bool_" : names[i]);
    }
    return made;
  }();
  return *objects;
}

std::optional<dtype> dtype_named(const std::string& name) {
  for (int i = 0; i < dtypes; ++i)
    if (name == names[i]) return static_cast<dtype>(i);
  return std::nullopt;
}

// NumPy's name of a dtype of any library, of a Python type, or of a name that is given.
std::string dtype_word(nb::handle given) {
  if (nb::isinstance<nb::str>(given)) {
    const std::string name = text_of(given);
    return name == "bfloat16" ? name : text_of(nb::module_::import_("numpy").attr("dtype")(given).attr("name"));
  }
  if (given.is(reinterpret_cast<PyObject*>(&PyFloat_Type))) return "float64";
  if (given.is(reinterpret_cast<PyObject*>(&PyLong_Type))) return "int64";
  if (nb::hasattr(given, "name")) return text_of(given.attr("name"));
  if (nb::hasattr(given, "__name__")) {
    const std::string name = text_of(given.attr("__name__"));
    return name == "bool_" ? "bool" : name;
  }
  const std::string name = text_of(given);  // torch.float32
  return name.substr(name.rfind('.') + 1);
}

double as_double(dtype type, const void* data) {
  return visit_floating(type, [&]<class T>() -> double {
    T x;
    std::memcpy(&x, data, sizeof x);
    return to_double(x);
  });
}

}  // namespace

nb::object shape_of(const std::vector<std::int64_t>& extents) {
  nb::object shape = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(extents.size())));
  for (std::size_t i = 0; i < extents.size(); ++i)
    PyTuple_SetItem(shape.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(extents[i]));
  return shape;
}

std::string text_of(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

void raise_type_error(const std::string& message) { throw nb::type_error(message.c_str()); }

std::string numpy_name(dtype type) { return names[static_cast<int>(type)]; }

std::optional<dtype> parts_of_dtype(nb::handle given) {
  const std::string word = dtype_word(given);
  if (word == "complex64") return dtype::f32;
  if (word == "complex128" || word == "complex") return dtype::f64;
  return std::nullopt;
}

bool holds_complex(nb::handle object) {
  if (!nb::hasattr(object, "dtype")) return false;
  const nb::object type = object.attr("dtype");
  if (is_plain_ndarray(object)) return nb::cast<std::string>(type.attr("kind")) == "c";
  return dtype_word(type).starts_with("complex");
}

dtype dtype_from(nb::handle given) {
  const std::string word = dtype_word(given);
  if (const auto type = dtype_named(word)) return *type;
  raise_type_error("multifold reduces no elements of type " + word +
                   ": bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32 and float64 are what there is");
}

nb::handle scalar_type(dtype type) {
  if (type != dtype::bf16) return numpy().scalars[static_cast<int>(type)];
  static std::atomic<PyObject*> bfloat16{nullptr};  // threads that find it at once find the same
  if (bfloat16.load() == nullptr) {
    nb::object found = nb::module_::import_("ml_dtypes").attr("bfloat16");
    bfloat16 = found.release().ptr();
  }
  return bfloat16.load();
}

void find_numpy() { numpy(); }

bool is_plain_ndarray(nb::handle object) noexcept { return object.type().is(numpy().ndarray); }

bool is_masked(nb::handle object) {
  if (is_plain_ndarray(object)) return false;
  nb::handle modules = PyImport_GetModuleDict();  // who has a masked array has imported numpy.ma
  PyObject* const ma = PyDict_GetItemString(modules.ptr(), "numpy.ma");
  return ma != nullptr && nb::isinstance(object, nb::handle(ma).attr("MaskedArray"));
}

nb::object number(dtype type, const void* data) {
  if (is_floating(type)) return nb::float_(as_double(type, data));
  return visit_dtype(type, [&]<class T>() -> nb::object {
    T x;
    std::memcpy(&x, data, sizeof x);
    if constexpr (std::is_same_v<T, bool8>) return nb::bool_(x.bits != 0);
    else if constexpr (std::is_integral_v<T>) return nb::int_(x);
    else return nb::none();
  });
}

nb::object numpy_scalar(dtype type, const void* data) { return scalar_type(type)(number(type, data)); }

nb::object numpy_complex(dtype part, const std::vector<std::int64_t>& extents, const void* data) {
  std::vector<std::int64_t> with_parts = extents;
  with_parts.push_back(2);
  const nb::object flat =
      numpy_array(part, with_parts, data).attr("view")(part == dtype::f32 ? "complex64" : "complex128");
  const nb::object array = flat.attr("reshape")(shape_of(extents));
  return extents.empty() ? nb::object(array[nb::tuple()]) : array;
}

nb::object numpy_array(dtype type, const std::vector<std::int64_t>& extents, const void* data) {
  const nb::object array = numpy().empty(shape_of(extents), scalar_type(type));
  const nb::object bytes = type == dtype::bf16 ? array.attr("view")(numpy().uint16) : array;
  Py_buffer buffer;
  if (PyObject_GetBuffer(bytes.ptr(), &buffer, PyBUF_CONTIG) != 0) throw nb::python_error();
  if (buffer.len > 0) std::memcpy(buffer.buf, data, static_cast<std::size_t>(buffer.len));
  PyBuffer_Release(&buffer);
  return array;
}

}  // namespace multifold::python
