// The quick way: small contiguous NumPy arrays of numbers go to the functions of ranges as they are.
#include <span>
#include <string_view>

#include "arguments/taken_array.hpp"
#include "calls/run.hpp"

namespace multifold::python {
namespace {

// Less than the time in which another thread could do something with the GIL.
constexpr Py_ssize_t most_bytes = 128 << 10;

bool is_number(const char* format) {
  return format != nullptr && format[0] != 0 && format[1] == 0 &&
         std::string_view("defbhilqBHILQ").find(format[0]) != std::string_view::npos;
}

struct held_buffer {
  Py_buffer buffer;
  ~held_buffer() { PyBuffer_Release(&buffer); }
};

template <class T>
nb::object scalar_of(T value) {
  return numpy_scalar(dtype_of<T>, &value);
}

template <class T>
nb::object reduce_span(op_kind op, std::span<const T> x) {
  if (op == op_kind::sum) return scalar_of(sum(x));
  if (op == op_kind::min) return scalar_of(min(x));
  if (op == op_kind::max) return scalar_of(max(x));
  if (op == op_kind::argmin) return scalar_of(argmin(x));
  if (op == op_kind::argmax) return scalar_of(argmax(x));
  if constexpr (floating_storage<T>) {
    if (op == op_kind::mean) return scalar_of(mean(x));
    if (op == op_kind::var) return scalar_of(var(x));
    if (op == op_kind::norm2) return scalar_of(norm2(x));
  }
  return {};
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
  // Positions are those of rows.
  const char order = op == op_kind::argmin || op == op_kind::argmax ? 'C' : 'A';
  if (!is_number(buffer.format) || buffer.len > most_bytes || buffer.len == 0 ||
      PyBuffer_IsContiguous(&buffer, order) == 0 ||
      reinterpret_cast<std::uintptr_t>(buffer.buf) % static_cast<std::uintptr_t>(buffer.itemsize) != 0)
    return {};
  return visit_dtype(dtype_of_format(buffer.format, buffer.itemsize), [&]<class T>() -> nb::object {
    if constexpr (std::is_same_v<T, bf16> || std::is_same_v<T, bool8>) {
      return {};
    } else {
      const auto count = static_cast<std::size_t>(buffer.len) / sizeof(T);
      return reduce_span(op, std::span(static_cast<const T*>(buffer.buf), count));
    }
  });
}

}  // namespace multifold::python
