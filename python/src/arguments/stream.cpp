// Streams come as numbers, and as objects of libraries that say the number.
#include "arguments/stream.hpp"

namespace multifold::python {
namespace {

// The number that an object of a library says; none if it is no stream.
nb::object number_of(nb::handle given) {
  if (nb::hasattr(given, "__cuda_stream__")) {  // the protocol of CUDA Python: (version, handle)
    nb::object said = given.attr("__cuda_stream__");
    if (PyCallable_Check(said.ptr()) != 0) said = said();
    if (nb::cast<int>(nb::object(said[0])) != 0)
      throw nb::value_error("__cuda_stream__ is of a version that multifold does not know");
    return said[1];
  }
  for (const char* name : {"cuda_stream", "ptr"})  // of PyTorch, of CuPy
    if (nb::hasattr(given, name)) return given.attr(name);
  return nb::none();
}

}  // namespace

cuda_stream stream_from(nb::handle given) {
  if (given.is_none()) return no_stream;
  const nb::object number = PyLong_Check(given.ptr()) != 0 ? nb::borrow(given) : number_of(given);
  if (PyLong_Check(number.ptr()) == 0 || PyBool_Check(number.ptr()) != 0)
    raise_type_error(
        "stream takes a stream of CUDA: an int, which is its cudaStream_t, or an object that has one, as those of "
        "CuPy, PyTorch and cuda.core have; and not " +
        nb::cast<std::string>(nb::repr(given)));
  const unsigned long long value = PyLong_AsUnsignedLongLong(number.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw nb::value_error("stream is a cudaStream_t, and no negative or longer number");
  }
  return value == 0 ? legacy_stream : static_cast<cuda_stream>(value);
}

CUstream_st* option_from(cuda_stream stream) noexcept {
  return stream == legacy_stream ? nullptr : reinterpret_cast<CUstream_st*>(stream);
}

void refuse_on_host(cuda_stream stream) {
  if (stream != no_stream) raise_type_error("stream is for arrays on a GPU, and this is in the memory of the CPU");
}

// By a reduction of one element in the memory of the CPU, which begins after that work.
void wait_for(cuda_stream stream) {
  const float element = 0;
  reduce_options options;
  options.engine = engine_choice::host;
  options.stream = reinterpret_cast<CUstream_st*>(stream);
  nb::gil_scoped_release no_gil;
  reduce(op_kind::max, make_view(&element, {1}), options);
}

}  // namespace multifold::python
