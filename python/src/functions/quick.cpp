// The quick way: small contiguous NumPy arrays of floating point go to the functions of ranges as they are.
#include <cstring>

#include "calls/run.hpp"

namespace multifold::python {
namespace {

// Less than the time in which another thread could do something with the GIL.
constexpr Py_ssize_t most_bytes = 128 << 10;

std::optional<dtype> floating(const char* format) {
  if (format == nullptr || format[0] == 0 || format[1] != 0) return std::nullopt;
  if (format[0] == 'd') return dtype::f64;
  if (format[0] == 'f') return dtype::f32;
  if (format[0] == 'e') return dtype::f16;
  return std::nullopt;
}

struct held_buffer {
  Py_buffer buffer;
  ~held_buffer() { PyBuffer_Release(&buffer); }
};

template <class T>
bool reduce_span(op_kind op, std::span<const T> x, T& value) {
  if (op == op_kind::sum) value = sum(x);
  else if (op == op_kind::mean) value = mean(x);
  else if (op == op_kind::var) value = var(x);
  else if (op == op_kind::norm2) value = norm2(x);
  else if (op == op_kind::min) value = min(x);
  else if (op == op_kind::max) value = max(x);
  else return false;
  return true;
}

}  // namespace

nb::object quick_value(op_kind op, nb::handle x) {
  if (!is_plain_ndarray(x)) return {};
  held_buffer held;
  Py_buffer& buffer = held.buffer;
  if (PyObject_GetBuffer(x.ptr(), &buffer, PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();
    buffer.obj = nullptr;
    return {};
  }
  const auto type = floating(buffer.format);
  if (!type || buffer.len > most_bytes || buffer.len == 0 || PyBuffer_IsContiguous(&buffer, 'A') == 0 ||
      reinterpret_cast<std::uintptr_t>(buffer.buf) % static_cast<std::uintptr_t>(buffer.itemsize) != 0)
    return {};
  return visit_floating(*type, [&]<class T>() -> nb::object {
    T value;
    const auto count = static_cast<std::size_t>(buffer.len) / sizeof(T);
    if (!reduce_span(op, std::span(static_cast<const T*>(buffer.buf), count), value)) return {};
    return numpy_scalar(*type, &value);
  });
}

}  // namespace multifold::python
