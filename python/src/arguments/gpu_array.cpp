// What libraries have of their own is looked up once: their modules live as long as the process.
#include "arguments/gpu_array.hpp"

#include <array>
#include <atomic>
#include <string_view>

#include "arguments/taken_array.hpp"

namespace multifold::python {
namespace {

// A string that lives as long as the process: to make one takes as long as what is asked by it.
nb::handle name(const char* text) { return PyUnicode_InternFromString(text); }

nb::object get(nb::handle of, nb::handle attribute) {
  nb::object found = nb::steal(PyObject_GetAttr(of.ptr(), attribute.ptr()));
  if (!found.is_valid()) throw nb::python_error();
  return found;
}

nb::object call(nb::handle of, nb::handle method) {
  nb::object found = nb::steal(PyObject_CallMethodObjArgs(of.ptr(), method.ptr(), nullptr));
  if (!found.is_valid()) throw nb::python_error();
  return found;
}

nb::object optional_attribute(nb::handle of, const char* attribute) {
  return nb::hasattr(of, attribute) ? nb::object(of.attr(attribute)) : nb::none();
}

struct torch_objects {
  nb::object tensor, parameter, current_device, current_stream, allocate, free;
  std::array<nb::object, dtypes> types;
  nb::handle is_cuda = name("is_cuda"), requires_grad = name("requires_grad"), is_neg = name("is_neg"),
             dtype_name = name("dtype"), get_device = name("get_device"), shape = name("shape"),
             stride = name("stride"), data_ptr = name("data_ptr");

  explicit torch_objects(const nb::object& torch) : tensor(torch.attr("Tensor")) {
    const nb::object internal = torch.attr("_C");
    parameter = torch.attr("nn").attr("Parameter");
    current_device = optional_attribute(internal, "_cuda_getDevice");
    current_stream = optional_attribute(internal, "_cuda_getCurrentRawStream");
    allocate = optional_attribute(internal, "_cuda_cudaCachingAllocator_raw_alloc");
    free = optional_attribute(internal, "_cuda_cudaCachingAllocator_raw_delete");
    for (int i = 0; i < dtypes; ++i) types[i] = optional_attribute(torch, numpy_name(static_cast<dtype>(i)).c_str());
  }

  // Those of a build without CUDA have no such functions.
  bool has_array(nb::handle object) const {
    return (object.type().is(tensor) || object.type().is(parameter)) && !current_stream.is_none() &&
           !current_device.is_none() && !allocate.is_none() && !free.is_none();
  }
};

struct cupy_objects {
  nb::object ndarray, empty, current_device, current_stream, allocate;
  nb::handle dtype_name = name("dtype"), code = name("char"), itemsize = name("itemsize"), device = name("device"),
             id = name("id"), shape = name("shape"), strides = name("strides"), data = name("data"), ptr = name("ptr");

  explicit cupy_objects(const nb::object& cupy)
      : ndarray(cupy.attr("ndarray")),
        empty(cupy.attr("empty")),
        current_device(cupy.attr("cuda").attr("runtime").attr("getDevice")),
        current_stream(cupy.attr("cuda").attr("get_current_stream")),
        allocate(cupy.attr("cuda").attr("alloc")) {}

  bool has_array(nb::handle object) const { return object.type().is(ndarray); }
};

// Null as long as nothing has imported the library, or it is being imported.
template <class Objects>
const Objects* objects_of(const char* library) {
  static std::atomic<const Objects*> found = nullptr;
  if (const Objects* const known = found.load(std::memory_order_acquire)) return known;
  const nb::object module = nb::steal(PyImport_GetModule(nb::str(library).ptr()));
  if (!module.is_valid()) {
    PyErr_Clear();
    return nullptr;
  }
  try {
    found.store(new Objects(module), std::memory_order_release);
  } catch (const nb::python_error&) {
    return nullptr;
  }
  return found.load(std::memory_order_acquire);
}
const torch_objects* torch() { return objects_of<torch_objects>("torch"); }
const cupy_objects* cupy() { return objects_of<cupy_objects>("cupy"); }

bool is_true(nb::handle object) { return object.is(Py_True); }

std::int64_t integer(nb::handle object) {
  const long long value = PyLong_AsLongLong(object.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return value;
}

std::uintptr_t address(nb::handle object) {
  const std::size_t value = PyLong_AsSize_t(object.ptr());
  if (value == static_cast<std::size_t>(-1) && PyErr_Occurred() != nullptr) throw nb::python_error();
  return value;
}

std::vector<std::int64_t> integers(nb::handle tuple) {
  std::vector<std::int64_t> values(nb::len(tuple));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = integer(PyTuple_GetItem(tuple.ptr(), static_cast<Py_ssize_t>(i)));
  return values;
}

cuda_stream numbered(nb::handle stream) {
  const std::uintptr_t value = address(stream);
  return value == 0 ? legacy_stream : value;
}

}  // namespace

std::optional<gpu_array> gpu_array::of(nb::handle object) {
  if (is_plain_ndarray(object)) return std::nullopt;
  try {
    if (const torch_objects* const known = torch(); known != nullptr && known->has_array(object)) {
      gpu_array found(library::torch, object);
      return found.read_torch() ? std::optional(std::move(found)) : std::nullopt;
    }
    if (const cupy_objects* const known = cupy(); known != nullptr && known->has_array(object)) {
      gpu_array found(library::cupy, object);
      return found.read_cupy() ? std::optional(std::move(found)) : std::nullopt;
    }
  } catch (const nb::python_error&) {
    // Of a tensor without memory, say: DLPack tells what there is to tell.
  }
  return std::nullopt;
}

bool gpu_array::read_torch() {
  const torch_objects& known = *torch();
  if (!is_true(get(object_, known.is_cuda)) || is_true(get(object_, known.requires_grad)) ||
      is_true(call(object_, known.is_neg)))
    return false;
  const nb::object type = get(object_, known.dtype_name), device = call(object_, known.get_device);
  int number = 0;
  while (number < dtypes && !type.is(known.types[number])) ++number;
  if (number == dtypes || integer(known.current_device()) != integer(device)) return false;
  view_.type = static_cast<dtype>(number);
  view_.where = place::device;
  view_.extents = integers(get(object_, known.shape));
  view_.strides = integers(call(object_, known.stride));
  view_.data = address_of(object_);
  current_ = numbered(known.current_stream(device));
  return view_.data != nullptr || view_.elements() == 0;
}

bool gpu_array::read_cupy() {
  const cupy_objects& known = *cupy();
  const nb::object type = get(object_, known.dtype_name);
  const std::string code = text_of(get(type, known.code));
  if (code.size() != 1 || std::string_view("?bBhHiIlLqQefd").find(code[0]) == std::string_view::npos) return false;
  if (integer(known.current_device()) != integer(get(get(object_, known.device), known.id))) return false;
  const std::int64_t item = integer(get(type, known.itemsize));
  view_.type = dtype_of_format(code.c_str(), item);
  view_.where = place::device;
  view_.extents = integers(get(object_, known.shape));
  view_.strides = integers(get(object_, known.strides));
  for (std::int64_t& stride : view_.strides) {
    if (stride % item != 0) return false;
    stride /= item;
  }
  view_.data = address_of(object_);
  current_ = numbered(get(known.current_stream(), known.ptr));
  return true;
}

nb::object gpu_array::empty(dtype type, const std::vector<std::int64_t>& extents) const {
  const nb::object shape = shape_of(extents);
  if (from_ == library::cupy) {
    if (type == dtype::bf16) return {};
    return cupy()->empty(shape, scalar_type(type));
  }
  if (type == view_.type) return object_.attr("new_empty")(shape);
  const nb::object& wanted = torch()->types[static_cast<int>(type)];
  return wanted.is_none() ? nb::object() : object_.attr("new_empty")(shape, nb::arg("dtype") = wanted);
}

void* gpu_array::address_of(nb::handle array) const {
  const nb::object at =
      from_ == library::torch ? call(array, torch()->data_ptr) : get(get(array, cupy()->data), cupy()->ptr);
  return reinterpret_cast<void*>(address(at));
}

gpu_array::workspace::workspace(const gpu_array& like, std::int64_t bytes) {
  nb::object at;
  if (like.from_ == library::cupy) {
    owner_ = cupy()->allocate(bytes);
    at = get(owner_, cupy()->ptr);
  } else {
    at = torch()->allocate(bytes, like.current_ == legacy_stream ? 0 : like.current_);
  }
  data_ = reinterpret_cast<std::byte*>(address(at));
}

gpu_array::workspace::~workspace() {
  if (owner_.is_valid() || data_ == nullptr) return;
  try {
    torch()->free(reinterpret_cast<std::uintptr_t>(data_));
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("the end of a workspace");
  }
}

nb::object as_in_memory(nb::handle object) {
  nb::object found = nb::borrow(object);
  const torch_objects* const known = torch();
  if (known == nullptr || PyObject_IsInstance(object.ptr(), known->tensor.ptr()) != 1) {
    PyErr_Clear();
    return found;
  }
  if (is_true(found.attr("is_conj")())) found = found.attr("resolve_conj")();
  return is_true(found.attr("is_neg")()) ? nb::object(found.attr("resolve_neg")()) : found;
}

}  // namespace multifold::python
