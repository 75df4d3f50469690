// The quick way: contiguous NumPy arrays of numbers, up to some megabytes, go to the functions of ranges as they are.
#include <span>
#include <string_view>

#include "arguments/taken_array.hpp"
#include "calls/run.hpp"

namespace multifold::python {
namespace {

// Of more, a call takes so long that it has to be broken off where Ctrl-C is pressed.
constexpr Py_ssize_t most_bytes = 8 << 20;

// Of less, it takes less time than that in which another thread could do something with the GIL.
constexpr std::size_t least_unlocked_bytes = 128 << 10;

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
  const auto by = [&](auto function) {
    const auto unlocked = [&] {
      const nb::gil_scoped_release release;
      return function(x);
    };
    return scalar_of(x.size_bytes() < least_unlocked_bytes ? function(x) : unlocked());
  };
  if (op == op_kind::sum) return by([](auto span) { return sum(span); });
  if (op == op_kind::min) return by([](auto span) { return min(span); });
  if (op == op_kind::max) return by([](auto span) { return max(span); });
  if (op == op_kind::argmin) return by([](auto span) { return argmin(span); });
  if (op == op_kind::argmax) return by([](auto span) { return argmax(span); });
  if constexpr (floating_storage<T>) {
    if (op == op_kind::mean) return by([](auto span) { return mean(span); });
    if (op == op_kind::var) return by([](auto span) { return var(span); });
    if (op == op_kind::norm2) return by([](auto span) { return norm2(span); });
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
