// Arrays of any library as array_view, without a copy: by the buffer protocol, DLPack or __cuda_array_interface__.
#pragma once

#include "arguments/dlpack.hpp"
#include "arguments/stream.hpp"
#include "python.hpp"

namespace multifold::python {

/// Whether complex numbers are taken, too: as their parts, along one axis more, the last one, of extent 2.
enum class complex_numbers { refused, as_parts };

/// Holds on to the memory of an array as long as it lives, which has to be with the GIL held at its end.
class taken_array {
 public:
  /// Stream: arrays on a GPU are asked to be ready for work on `stream`, or on the default stream if there is none.
  /// Throws: TypeError for what is no such array, naming its type and what to do; ValueError for layouts that cannot be
  ///         read as they are.
  explicit taken_array(nb::handle object, complex_numbers complex = complex_numbers::refused,
                       cuda_stream stream = no_stream);
  taken_array(nb::handle object, cuda_stream stream) : taken_array(object, complex_numbers::refused, stream) {}
  taken_array(const taken_array&) = delete;
  taken_array& operator=(const taken_array&) = delete;
  ~taken_array();

  const array_view& view() const noexcept { return view_; }
  bool on_device() const noexcept { return view_.where == place::device; }

  /// Whether `object` says that it is an array in memory.
  static bool fits(nb::handle object);

 private:
  void take_buffer(const nb::object& object);
  void take_dlpack(nb::handle object);
  void take_tensor(const dlpack::tensor& what);
  void take_cuda_interface(nb::handle object);
  void release() noexcept;

  void add_parts();

  array_view view_;
  const complex_numbers complex_;
  const cuda_stream stream_;  // never none
  Py_buffer buffer_{};
  dlpack::managed_tensor* managed_ = nullptr;
  dlpack::versioned_tensor* versioned_ = nullptr;
  nb::object owner_;
};

/// Whether the GPU engine is in this build, and runs on this machine.
bool has_device_engine();

/// Whether `object` has a buffer: arrays of CuPy on a GPU say so, too, only to refuse it.
bool has_host_buffer(nb::handle object);

/// The dtype of a buffer's format. Throws: TypeError, by name.
dtype dtype_of_format(const char* format, std::int64_t item);

}  // namespace multifold::python
